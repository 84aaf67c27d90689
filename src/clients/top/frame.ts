/**
 * What `top` shows at a time, from what was counted in an interval. `--json` prints it as it is: times are in seconds,
 * sizes in bytes; null is what cannot be said, such as a quantile of nothing.
 */
import { Counted, rounded } from './counted.js';
import { databaseRows, type DatabaseRow } from './database-rows.js';
import { startOf, type Interval } from './interval.js';
import { processRows, type ProcessRow } from './process-rows.js';
import { scriptRows, type ScriptRow } from './script-rows.js';
import { serviceRow, type ServiceRow } from './service-row.js';

export interface Frame {
  /** ISO 8601. */
  readonly time: string;
  readonly seconds: number;
  /** Whether the interval is all the time since the service was started. */
  readonly sinceStart: boolean;
  readonly service: ServiceRow;
  /** By the time of their statements, longest first. */
  readonly scripts: readonly ScriptRow[];
  readonly databases: readonly DatabaseRow[];
  readonly processes: readonly ProcessRow[];
}

/** The metrics that are read. */
export const NAMES: ReadonlySet<string> = new Set([
  'service_build_info',
  'service_start_time_seconds',
  'service_http_processes',
  'service_query_workers',
  'service_http_process_restarts_total',
  'service_thread_deaths_total',
  'service_log_lines_dropped_total',
  'service_http_connections',
  'http_server_request_duration_seconds',
  'http_server_active_requests',
  'db_client_operation_duration_seconds',
  'db_client_operation_errors_total',
  'db_client_operation_result_bytes_total',
  'db_client_operation_result_rows_total',
  'db_client_connection_count',
  'db_client_connection_max',
  'db_client_connection_pending_requests',
  'db_client_connection_wait_time_seconds',
  'service_script_slow_lane_total',
  'service_pg_lane_connections',
  'service_pg_statements_in_flight',
  'service_pg_refused_total',
  'service_pg_statement_uses_total',
  'service_pg_connection_attempts_total',
  'service_thread_cpu_seconds_total',
  'nodejs_eventloop_delay_seconds',
  'v8js_memory_heap_used_bytes',
  'process_memory_usage_bytes',
  'process_open_file_descriptor_count',
]);

/** frameOf gives the frame of an interval; `totals` are the counters at its end, `time` seconds since 1970. */
export function frameOf(interval: Interval, totals: Interval['metrics'], time: number): Frame {
  const { seconds, isSinceStart } = interval;
  const counted = new Counted(interval.metrics);
  const counters = new Counted(totals);
  return {
    time: new Date(time * 1_000).toISOString(),
    seconds: rounded(seconds),
    sinceStart: isSinceStart,
    service: {
      ...serviceRow(counted, counters, seconds),
      uptime: Math.max(0, Math.round(time - startOf(interval))),
    },
    scripts: scriptRows(counted, seconds),
    databases: databaseRows(counted, seconds),
    processes: processRows(counted, seconds),
  };
}
