/**
 * Everything that threads count, by the names that a scrape shows. Names follow the conventions of OpenTelemetry in the form
 * of Prometheus where it has one; docs/observability.md says what each is good for. Another metric is a field here, and a
 * line where it is counted.
 */
import { ERRORS, type ErrorCode } from '../../base/errors.js';
import { VERDICTS } from '../../messages/proofs.js';
import { MetricTable } from './metric-table.js';

/** Most scripts, paths of scripts and functions of plugins with rows of their own in a table; the rest is `other`. */
export const MOST_SCRIPTS = 2_000;

/** Requests, by method, route and status. */
export const ROUTES = new MetricTable({
  labels: ['method', 'route', 'status'],
  capacity: 4_096,
  reserved: 512,
  bounded: 1,
});

export const REQUEST_DURATION = ROUTES.histogram(
  'http_server_request_duration_seconds',
  'Time from the headers of a request to its response; status 499 is a client that disconnected before.',
  'seconds',
);

/** Scripts, by the database on which they run. */
export const SCRIPTS = new MetricTable({
  labels: ['script', 'database'],
  capacity: MOST_SCRIPTS + 64,
  reserved: 64,
  bounded: 0,
});

export const SCRIPT = {
  duration: SCRIPTS.histogram(
    'db_client_operation_duration_seconds',
    'Time from sending the statements of a script to their result.',
    'seconds',
  ),
  errors: SCRIPTS.counter(
    'db_client_operation_errors',
    'Statements of scripts that failed, in the database or on the way.',
  ),
  bytes: SCRIPTS.counter(
    'db_client_operation_result_bytes',
    'Size of the results of scripts.',
    'bytes',
  ),
  rows: SCRIPTS.counter(
    'db_client_operation_result_rows',
    'Rows that scripts inserted, updated, deleted or returned.',
  ),
  slowLane: SCRIPTS.counter(
    'service_script_slow_lane',
    'Statements of scripts that had a connection of their own: of slow and of new scripts.',
  ),
} as const;

export const DATABASES = new MetricTable({
  labels: ['database'],
  capacity: 256,
  reserved: 2,
});

export const DATABASE = {
  wait: DATABASES.histogram(
    'db_client_connection_wait_time_seconds',
    'Time that a statement waits in a query worker until it is sent on a connection.',
    'seconds',
  ),
  connections: DATABASES.gauges(
    'db_client_connection_count',
    'Connections to PostgreSQL: with statements in flight, without, and being opened.',
    'state',
    ['used', 'idle', 'opening'],
  ),
  most: DATABASES.gauge(
    'db_client_connection_max',
    'Connections to PostgreSQL that the query workers may have.',
  ),
  pending: DATABASES.gauges(
    'db_client_connection_pending_requests',
    'Statements that wait for a connection: of fast scripts, and of slow or new ones.',
    'lane',
    ['fast', 'slow'],
  ),
  lanes: DATABASES.gauges(
    'service_pg_lane_connections',
    'Connections with statements in flight: pipelines that fast scripts share, and those of one slow statement each.',
    'lane',
    ['fast', 'slow'],
  ),
  inFlight: DATABASES.gauge(
    'service_pg_statements_in_flight',
    'Statements that were sent and have no result yet; divided by the connections in use this is the depth of the pipelines.',
  ),
  prepared: DATABASES.gauge(
    'service_pg_prepared_statements',
    'Statements that are prepared on all connections together.',
  ),
  preparedBytes: DATABASES.gauge(
    'service_pg_prepared_statement_bytes',
    'Length of the texts of these statements.',
    { unit: 'bytes' },
  ),
  opened: DATABASES.counters(
    'service_pg_connection_attempts',
    'Attempts to open a connection.',
    'result',
    ['opened', 'failed'],
  ),
  closed: DATABASES.counter(
    'service_pg_connections_closed',
    'Connections that were closed, for whatever reason.',
  ),
  retries: DATABASES.counter(
    'service_pg_retries',
    'Statements that were sent again: after a stale prepared statement, an aborted transaction or a lost connection.',
  ),
  cancelled: DATABASES.counter(
    'service_pg_cancellations',
    'Running statements that were cancelled, because nobody waited for them or they took too long.',
  ),
  abandoned: DATABASES.counter(
    'service_pg_abandoned',
    'Statements that were dropped before they were sent, because their client was gone.',
  ),
  refused: DATABASES.counters(
    'service_pg_refused',
    'Statements that were refused before they were sent.',
    'reason',
    ['unreachable', 'queue_full', 'overdue'],
  ),
  uses: DATABASES.counters(
    'service_pg_statement_uses',
    'Statements of scripts, listings and tools that were sent: prepared on that connection before, with this use, and not.',
    'result',
    ['prepared', 'new', 'unprepared'],
  ),
  depth: DATABASES.histogram(
    'service_pg_pipeline_depth',
    'Statements in flight on a connection when one is sent, with that one.',
    '',
  ),
} as const;

/** Servers of databases that have replicas, by their names in DATABASES. */
export const SERVERS = new MetricTable({
  labels: ['database'],
  capacity: 256,
  reserved: 2,
});

export const SERVER = {
  role: SERVERS.gauges(
    'service_pg_server_role',
    '1 for the role of the server as a query worker sees it, else 0. Only the primary and serving replicas run statements.',
    'role',
    ['unknown', 'primary', 'serving', 'silent', 'behind', 'diverged', 'foreign', 'outdated'],
    'max',
  ),
  lagBytes: SERVERS.gauge(
    'service_pg_replication_lag_bytes',
    'Write-ahead log between the position of the primary and what a replica has replayed.',
    { unit: 'bytes', merge: 'max' },
  ),
  lagSeconds: SERVERS.gauge(
    'service_pg_replication_lag_seconds',
    'Time since the primary was first seen at a position that a replica has not replayed.',
    { unit: 'seconds', merge: 'max' },
  ),
  primaryChanges: SERVERS.counter(
    'service_pg_primary_changes',
    'Times that a query worker saw the server replace another one as the primary.',
  ),
} as const;

/** What a thread counts without labels of rows. */
export const COUNTS = new MetricTable();

export const HTTP = {
  requestBody: COUNTS.histogram(
    'http_server_request_body_size_bytes',
    'Size of the bodies of requests that have one.',
    'bytes',
  ),
  responseBody: COUNTS.histogram(
    'http_server_response_body_size_bytes',
    'Size of the bodies of responses, as it was before they were sent.',
    'bytes',
  ),
  active: COUNTS.gauge('http_server_active_requests', 'Requests without a response.'),
  sending: COUNTS.gauge(
    'service_http_sending_responses',
    'Large responses that are being sent to their clients.',
  ),
  connections: COUNTS.gauge('service_http_connections', 'Open connections of clients.'),
} as const;

/** Error responses, by their code. Errors of PostgreSQL, whose codes are its own, are `sqlstate`. */
export const ERROR_RESPONSES = COUNTS.counters(
  'service_errors',
  'Error responses, by the code in their body; sqlstate is an error that PostgreSQL reported.',
  'code',
  [...(Object.keys(ERRORS) as ErrorCode[]), 'sqlstate'],
);

export const TOKENS = COUNTS.counters(
  'service_auth_tokens',
  'Tokens of callers: verified before, verified now, and refused. Requests that wait for the same check count once.',
  'result',
  ['remembered', 'verified', 'refused'],
);

export const REFUSED_TOKENS = COUNTS.counters(
  'service_auth_refused_tokens',
  'Tokens that were refused, and missing ones, by the reason. The response has only the error code.',
  'reason',
  [
    'missing',
    'malformed',
    'algorithm',
    'key_unknown',
    'signature',
    'expired',
    'not_yet_valid',
    'issuer',
    'audience',
    'claims',
    'keys_unavailable',
    'queue_full',
    'internal',
  ],
);

export const LOGINS = COUNTS.counters(
  'service_auth_logins',
  'Logins at /auth: with a token as the answer, with a wrong user or password, refused after too many of these, and not checked.',
  'result',
  ['succeeded', 'failed', 'locked_out', 'unchecked'],
);

export const KEY_SET_LOADS = COUNTS.counters(
  'service_auth_key_set_loads',
  'Loads of the key set with which tokens are verified, from its URL or its file.',
  'result',
  ['succeeded', 'failed'],
);

export const PLUGIN = {
  calls: COUNTS.counters('service_plugin_calls', 'Calls of plugins, by their end.', 'result', [
    'answered',
    'failed',
  ]),
  crashes: COUNTS.counter('service_plugin_crashes', 'Plugin hosts that crashed.'),
  waiting: COUNTS.gauge('service_plugin_queue', 'Calls that wait for a thread of plugins.'),
} as const;

export const TOOL_CALLS = COUNTS.counters(
  'service_mcp_tool_calls',
  'Calls of MCP tools: the general ones by name, those of single tables and of scripts.',
  'tool',
  [
    'list_databases',
    'list_schemas',
    'list_tables',
    'describe_table',
    'select_table',
    'aggregate_table',
    'table',
    'script',
  ],
);

export const BATCH_REQUESTS = COUNTS.histogram(
  'service_batch_requests',
  'Requests in one message from an HTTP process to a query worker.',
  '',
);

export const SCRIPT_LOADS = COUNTS.counters(
  'service_script_loads',
  'Texts of scripts that were compiled: at their first use, after a change, and for lists of all scripts.',
  'result',
  ['compiled', 'broken'],
);

export const RENDERED_TEXTS = COUNTS.counters(
  'service_rendered_texts',
  'Texts that scripts rendered for requests: those that a query worker remembers with their statement, and others.',
  'result',
  ['remembered', 'new'],
);

export const STORED_SCRIPT_READS = COUNTS.counters(
  'service_stored_script_reads',
  'Reads of what has changed in the table of scripts.',
  'result',
  ['succeeded', 'failed'],
);

export const CATALOG_READS = COUNTS.counters(
  'service_mcp_catalog_reads',
  'Reads of the tables that MCP clients see.',
  'result',
  ['succeeded', 'failed'],
);

export const PROOFS = COUNTS.gauges(
  'service_proofs',
  'Scripts by the result of their proof.',
  'result',
  VERDICTS,
  'max',
);

export const THREAD_DEATHS = COUNTS.counters(
  'service_thread_deaths',
  'Threads that died and were replaced.',
  'thread',
  ['query', 'prover'],
);

export const LOG_DROPPED = COUNTS.counter(
  'service_log_lines_dropped',
  'Lines of the log that were dropped, because standard output took no more.',
);

export const THREADS = new MetricTable({ labels: ['process', 'thread'] });

export const THREAD = {
  cpu: THREADS.counter('service_thread_cpu_seconds', 'CPU time of a thread.', 'seconds'),
  delay: THREADS.histogram(
    'nodejs_eventloop_delay_seconds',
    'How much later than planned a timer of one second fired, once a second.',
    'seconds',
  ),
  heap: THREADS.gauge('v8js_memory_heap_used_bytes', 'Memory in use in the heap of a thread.', {
    unit: 'bytes',
  }),
  external: THREADS.gauge(
    'v8js_memory_external_bytes',
    'Memory of buffers outside the heap of a thread.',
    { unit: 'bytes' },
  ),
} as const;

/** In the order of their places in a block. */
export const TABLES = [COUNTS, THREADS, DATABASES, SERVERS, SCRIPTS, ROUTES] as const;
