/** The databases in a frame, and their replicas. */
import { quantileOf, rounded, type Counted } from './counted.js';
import type { Series } from './metrics-reader.js';

export interface DatabaseRow {
  readonly database: string;
  readonly statementsPerSecond: number;
  /** Connections: with statements in flight, without, being opened, and at most. */
  readonly used: number;
  readonly idle: number;
  readonly opening: number;
  readonly most: number;
  readonly lanes: Lanes;
  readonly waiting: Lanes;
  readonly inFlight: number;
  readonly waitP50: number | null;
  readonly waitP99: number | null;
  /** Statements that were refused before they were sent, and attempts to connect that failed. */
  readonly refusedPerSecond: number;
  readonly failedConnectionsPerSecond: number;
}

interface Lanes {
  readonly fast: number;
  readonly slow: number;
}

/** databaseRows lists the servers of all databases, in the order of the scrape. */
export function databaseRows(counted: Counted, seconds: number): DatabaseRow[] {
  return counted.values('db_client_connection_max', 'database').map((database) => {
    const of = (name: string, label = '', value = ''): number =>
      counted.sum(
        name,
        (labels) =>
          labels.get('database') === database && (label === '' || labels.get(label) === value),
      );
    const isIts = (labels: Series['labels']): boolean => labels.get('database') === database;
    const wait = counted.histogram('db_client_connection_wait_time_seconds', isIts);
    const lanes = (name: string): Lanes => ({
      fast: of(name, 'lane', 'fast'),
      slow: of(name, 'lane', 'slow'),
    });
    return {
      database,
      statementsPerSecond: rounded(of('service_pg_statement_uses_total') / seconds),
      used: of('db_client_connection_count', 'state', 'used'),
      idle: of('db_client_connection_count', 'state', 'idle'),
      opening: of('db_client_connection_count', 'state', 'opening'),
      most: of('db_client_connection_max'),
      lanes: lanes('service_pg_lane_connections'),
      waiting: lanes('db_client_connection_pending_requests'),
      inFlight: of('service_pg_statements_in_flight'),
      waitP50: quantileOf(wait, 0.5),
      waitP99: quantileOf(wait, 0.99),
      refusedPerSecond: rounded(of('service_pg_refused_total') / seconds),
      failedConnectionsPerSecond: rounded(
        of('service_pg_connection_attempts_total', 'result', 'failed') / seconds,
      ),
    };
  });
}
