/** The service as a whole in a frame. */
import { count, numberOf, quantileOf, rounded, type Counted } from './counted.js';

export interface ServiceRow {
  readonly version: string;
  readonly uptime: number;
  readonly requestsPerSecond: number;
  /** Responses with a status of 500 and more. */
  readonly failuresPerSecond: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly inFlight: number;
  readonly clients: number;
  readonly processes: number;
  readonly workers: number;
  /** Since the start of the service: HTTP processes started again by reason, threads that died, lines of the log lost. */
  readonly restarts: Readonly<Record<string, number>>;
  readonly threadDeaths: number;
  readonly logLinesDropped: number;
}

/** serviceRow gives all but the uptime; `totals` are the counters since the start of the service. */
export function serviceRow(
  counted: Counted,
  totals: Counted,
  seconds: number,
): Omit<ServiceRow, 'uptime'> {
  const name = 'http_server_request_duration_seconds';
  const requests = counted.histogram(name);
  const failures = counted.histogram(name, (labels) => Number(labels.get('status')) >= 500);
  const restarts = totals.series('service_http_process_restarts_total');
  return {
    version: counted.series('service_build_info')[0]?.labels.get('version') ?? '',
    requestsPerSecond: rounded(count(requests) / seconds),
    failuresPerSecond: rounded(count(failures) / seconds),
    p50: quantileOf(requests, 0.5),
    p99: quantileOf(requests, 0.99),
    inFlight: counted.sum('http_server_active_requests'),
    clients: counted.sum('service_http_connections'),
    processes: counted.sum('service_http_processes'),
    workers: counted.sum('service_query_workers'),
    restarts: Object.fromEntries(
      restarts.map(({ labels, value }) => [labels.get('reason') ?? '', numberOf(value)]),
    ),
    threadDeaths: totals.sum('service_thread_deaths_total'),
    logLinesDropped: totals.sum('service_log_lines_dropped_total'),
  };
}
