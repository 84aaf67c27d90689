/**
 * What a query worker reports of requests whose spans are kept: of those that the HTTP process has chosen, of those that fail
 * (5xx) and of slow ones; the HTTP process has the last word. Names of scripts, databases and servers, times and codes, never
 * SQL, values or users.
 */
import type { CallRun, McpCall } from '../../mcp/arguments/call.js';
import type { Run } from '../../postgres/statement/job.js';
import type { WorkerTraceSettings } from '../../messages/thread-settings.js';
import { monotonic } from '../../observe/trace/clock.js';
import { traceIdsOf, type NumberedRequest } from '../../observe/trace/ids.js';
import { RateLimit } from '../../observe/trace/rate-limit.js';
import { CLIENT, INTERNAL, type Attributes } from '../../observe/trace/span.js';
import type { Work, WorkSpan } from '../../observe/trace/work.js';
import type { TraceIds } from '../../observe/trace/trace-context.js';
import type { Query } from '../query.js';

/** Most requests a second that are reported only because they failed or were slow. */
const MOST_FAILED_OR_SLOW = 100;

export class QuerySpans {
  /** Duration, ms, from which a request is slow. */
  readonly slow: number;
  readonly #seed: string;
  readonly #failedOrSlow = new RateLimit(MOST_FAILED_OR_SLOW);
  readonly #post: (report: string) => void;

  /** `post` sends a report to the HTTP process. */
  constructor({ seed, slow }: WorkerTraceSettings, post: (report: string) => void) {
    this.slow = slow === 0 ? Infinity : slow;
    this.#seed = seed;
    this.#post = post;
  }

  idsOf(request: NumberedRequest): TraceIds {
    return traceIdsOf(this.#seed, request);
  }

  /** failed keeps the spans of a query whose response will have this status, if that is a failure. */
  failed(query: Query, status: number): void {
    if (status >= 500) this.#keep(query);
  }

  /** ran keeps the spans of a query that was slow. */
  ran(query: Query, run: Run): void {
    if (run.ended - query.since >= this.slow) this.#keep(query);
  }

  /** answered reports a query, if its spans are kept; its response follows. `code` is an error's. */
  answered(query: Query, status: number, code: string | undefined): void {
    if (query.trace === undefined && status >= 500) this.#keep(query);
    if (query.trace === undefined) return;
    this.#report({
      id: query.id,
      taken: query.taken && monotonic(query.taken),
      error: code,
      spans: spansOf(query, code),
    });
  }

  failedMcp(call: McpCall): void {
    this.#keep(call);
  }

  answeredMcp(call: McpCall, status: number): void {
    const { id, taken, tool, runs } = call;
    const isSlow = runs.some(({ run, since }) => run.ended - since >= this.slow);
    if (status >= 500 || isSlow) this.#keep(call);
    if (call.trace === undefined) return;
    this.#report({
      id,
      taken: taken && monotonic(taken),
      attributes: { 'gen_ai.tool.name': tool },
      spans: runs.flatMap((one) => runSpans(one)),
    });
  }

  #keep(one: Query | McpCall): void {
    if (one.trace === undefined && this.#failedOrSlow.take(performance.now()))
      one.trace = this.idsOf(one.request);
  }

  #report(work: Work): void {
    this.#post(JSON.stringify(work));
  }
}

/** The parts of a query: finding and rendering its script, the wait for a connection, the time in the database. */
function spansOf(query: Query, code: string | undefined): WorkSpan[] {
  const { taken, submitted, run, since, attempts, path } = query;
  const now = performance.now();
  const spans: WorkSpan[] = [];
  if (taken !== undefined)
    spans.push(
      internal('render', taken, submitted ?? now, submitted === undefined ? code : undefined),
    );
  if (run !== undefined) spans.push(...runSpans({ name: path, run, since, attempts }));
  else if (since > 0) spans.push(internal('wait', since, now, code));
  return spans;
}

/** The wait of a statement and its time in the database. */
function runSpans({ name, run, since, attempts }: CallRun): WorkSpan[] {
  const { server, began, ended, lane, rows, state } = run;
  const attributes: Attributes = {
    'db.system.name': 'postgresql',
    'db.namespace': server.database,
    'db.operation.name': name,
    'db.response.status_code': isSqlState(state) ? state : undefined,
    'db.response.returned_rows': rows,
    'server.address': server.host,
    'server.port': server.port,
    'service.lane': lane,
    'service.attempts': attempts,
  };
  const start = monotonic(began);
  const end = monotonic(ended);
  return [
    internal('wait', since, began, undefined),
    { name, kind: CLIENT, start, end, error: state, attributes },
  ];
}

function internal(name: string, start: number, end: number, error: string | undefined): WorkSpan {
  return { name, kind: INTERNAL, start: monotonic(start), end: monotonic(end), error };
}

/** Whether a code is PostgreSQL's own. */
function isSqlState(code: string | undefined): boolean {
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code);
}
