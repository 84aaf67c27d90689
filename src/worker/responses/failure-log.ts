/**
 * Failures of statements in the log and in responses. A log line has the SQLSTATE, the position in the script, the names
 * involved, and the message with quoted values masked; never the statement, values, DETAIL or CONTEXT.
 */
import type { ScriptRequest } from '../../messages/batch.js';
import type { RequestBody } from '../../script/body/request-body.js';
import { isRaised, SQL_FAILED, statusOfSqlState, type ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { IdentityRejected } from '../../postgres/statement/identity.js';
import { failureLevel, maskQuoted, type SqlFailure } from '../../postgres/statement/sql-failure.js';
import { parseQueryString } from '../../script/request/query-string.js';
import type { RequestIds } from '../../observe/trace/trace-context.js';
import type { WorkerSettings } from '../../messages/worker-settings.js';
import type { ErrorResponse } from './readable-error.js';

/** For whom a statement failed: `script` is `<folder>/<script>`. */
interface FailedRequest extends RequestIds {
  readonly script: string;
  readonly alias: string;
}

/** Where and for whom it failed. */
type FailurePlace = FailedRequest &
  Pick<FailureResponseOptions, 'statement' | 'position' | 'parameter' | 'hint' | 'source'>;

/** What the request contained: a message may repeat it. */
export interface SentText extends Pick<ScriptRequest, 'query' | 'headers'> {
  readonly body: RequestBody | undefined;
}

/** Bodies whose words are looked for in a message, at most of this length: with longer ones nothing of it is logged. */
const LONGEST_BODY = 256 << 10;

/** logFailure logs a failure: without values and DETAIL, except in development, where `sent` is undefined. */
export function logFailure(
  log: Logger,
  failure: SqlFailure,
  place: FailurePlace,
  sent: SentText | undefined,
): void {
  const { state, schema, table, column, constraint } = failure;
  const fields = { ...place, state, schema, table, column, constraint };
  if (sent === undefined) {
    const { detail, hint = place.hint } = failure;
    log[failureLevel(failure)]({ ...fields, detail, hint }, failure.message);
    return;
  }
  const message = failure.raised ? RAISED : maskSent(maskQuoted(failure.message), sent);
  log[failureLevel(failure)](fields, isRaised(state) ? 'a script raised an error' : message);
}

/** State of a missing privilege, which is no mistake of a script. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** checkHint says how the author of a script sees a message whose names are masked in the log; undefined where none helps. */
export function checkHint(state: string, script: string): string | undefined {
  if (!state.startsWith('42') || state === INSUFFICIENT_PRIVILEGE) return undefined;
  return `sql-rest-service check --script ${script} shows the whole message`;
}

/** logRejectedIdentity logs the role and why it could not be set, never the claims. */
export function logRejectedIdentity(
  log: Logger,
  { role, failure }: IdentityRejected,
  place: FailedRequest,
): void {
  const message = failure.raised ? RAISED : maskQuoted(failure.message);
  log.warn({ ...place, role, state: failure.state }, `the caller's identity: ${message}`);
}

/** Replaces a message that a function wrote: it may contain values, quoted or not. */
const RAISED = 'a function in the database raised an error';

/**
 * maskSent replaces the words of a message that contain a word of the request: PostgreSQL does not quote every name that
 * it repeats (`column item.x does not exist`), and a script may have interpolated it.
 */
function maskSent(message: string, { query, headers, body }: SentText): string {
  if (body !== undefined && body.size > LONGEST_BODY) return LONG_BODY;
  const values = [...parseQueryString(query).values()].flat();
  values.push(...headers.split('\n').filter((_, i) => i % 2 === 1));
  if (body !== undefined) values.push(...body.texts());
  const words = new Set(values.flatMap((value) => value.toLowerCase().match(WORD) ?? []));
  return message.replace(WORD, (word) => {
    const lower = word.toLowerCase();
    if (words.has(lower)) return '…';
    for (const one of words) {
      // Short words are part of too many others; PostgreSQL cuts names after 63 bytes.
      if (one.length >= 3 && lower.includes(one)) return '…';
      if (lower.length >= 15 && one.startsWith(lower)) return '…';
    }
    return word;
  });
}

const LONG_BODY = 'a statement failed; the message may repeat text of a long body';

const WORD = /[\p{L}\p{N}_]+/gu;

/** Facts about the failure of a statement, besides PostgreSQL's message. */
export interface Explanation {
  /** As `<folder>/<script>:<line>:<column>`. */
  readonly position: string | undefined;
  /** The parameter whose value is invalid, where that is known. */
  readonly parameter: string | undefined;
  /** Of a parameter that is a list, the element that is invalid, from 0. */
  readonly index: number | undefined;
  /** Which of several statements: its number, or `commit`. */
  readonly statement: string | undefined;
  /** What the author of the script can do about it, where PostgreSQL gives no hint. */
  readonly hint: string | undefined;
  /** The error that the caller gets in the place of PostgreSQL's. */
  readonly fault: ServiceError | undefined;
}

export interface FailureResponseOptions extends Explanation {
  /** The text that the script declares for the error. */
  readonly declared: string | undefined;
  /** The lines of the script around the position, in development. */
  readonly source: readonly string[] | undefined;
  /** Whether a value of a row is the cause, and no request. */
  readonly ofRow: boolean;
  /** Whether a cancelled statement (57014) was over its time limit; otherwise an administrator has cancelled it. */
  readonly overTime: boolean;
}

export function failureResponse(
  failure: SqlFailure,
  settings: Pick<WorkerSettings, 'debug' | 'raised' | 'details' | 'development'>,
  options: FailureResponseOptions,
): ErrorResponse {
  const { state } = failure;
  const { fault } = options;
  const cancelled = state === '57014';
  const isOurs = (cancelled && !options.overTime) || options.ofRow;
  const status = isOurs ? 500 : (fault?.status ?? statusOfSqlState(state));
  const code = cancelled && options.overTime ? 'timeout' : (fault?.code ?? state);
  const declared = code === state ? options.declared : undefined;
  const raised = settings.raised && isRaised(state) ? failure.message : undefined;
  const message = declared ?? raised ?? fault?.message ?? SQL_FAILED;
  const extra: Record<string, unknown> = {};
  if (options.parameter !== undefined) extra['parameter'] = options.parameter;
  if (settings.details) {
    const { raised, constraint, column, table } = failure;
    extra['index'] = options.index;
    // What code in the database wrote may have values in their place.
    if (/^2[23]/.test(state) && raised !== true)
      Object.assign(extra, { constraint, column, table });
    if (message === SQL_FAILED && !options.ofRow)
      extra['reason'] = REASONS.find(([begin]) => state.startsWith(begin))?.[1];
  }
  if (settings.debug) {
    extra['message'] = failure.message;
    if (failure.detail !== undefined) extra['detail'] = failure.detail;
    const hint = failure.hint ?? options.hint;
    if (hint !== undefined) extra['hint'] = hint;
    if (options.statement !== undefined) extra['statement'] = options.statement;
    if (options.position !== undefined) extra['position'] = options.position;
  }
  if (settings.development && code !== state) extra['state'] = state;
  if (options.source !== undefined) extra['source'] = options.source;
  return { status, message, code, members: extra };
}

const UNAVAILABLE = 'the database is not available: send it again later';

/** What failed, for callers, by the beginning of the SQLSTATE. Mistakes of a script are for its author. */
const REASONS: readonly (readonly [begin: string, reason?: string])[] = [
  ['22', 'a value is not valid for its type'],
  ['23502', 'a value that is needed is missing'],
  ['23503', 'a row that this refers to does not exist, or a row still refers to this one'],
  ['23505', 'there is a row with this key already'],
  ['23', 'a constraint does not allow it'],
  ['40', 'another request was in the way: send it again'],
  ['55P03', 'another request has locked the rows: send it again later'],
  ['08007', 'the connection was lost, and it may have taken effect: look before you send it again'],
  ['08P01'],
  ['08', UNAVAILABLE],
  ['25006', UNAVAILABLE],
  ['53', UNAVAILABLE],
  ['57P', UNAVAILABLE],
];
