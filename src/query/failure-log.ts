/**
 * What the log says of requests that failed in the database: SQLSTATE, where in the script, the names involved, and the
 * message with what it quotes masked. Never the statement, values, DETAIL or CONTEXT. And what the caller is told.
 */
import { errorBody, isRaised, SQL_FAILED, statusOfSqlState } from '../errors.js';
import type { Logger } from '../log.js';
import type { IdentityRefused } from '../pg/identity.js';
import { maskQuoted, type SqlFailure } from '../pg/sql-failure.js';
import { parseQueryString } from '../script/query-string.js';

/** Where and for whom a statement failed. */
export interface FailurePlace {
  readonly requestId: string;
  /** `<folder>/<script>`. */
  readonly script: string;
  readonly alias: string;
  /** `script:line:column`, when PostgreSQL gave a position. */
  readonly position: string | undefined;
}

/** What the request held: a message may repeat it. */
export interface SentText {
  /** Raw query string. */
  readonly query: string;
  /** Packed as protocol.ts says. */
  readonly headers: string;
}

/** logFailure writes one line: WARN for what callers or scripts cause, ERROR for what ails the service. */
export function logFailure(
  log: Logger,
  failure: SqlFailure,
  place: FailurePlace,
  sent: SentText,
): void {
  const { state, schema, table, column, constraint } = failure;
  const fields = { ...place, state, schema, table, column, constraint };
  if (isRaised(state)) log.info(fields, 'a script raised an error');
  else {
    const message = failure.raised ? RAISED : maskSent(maskQuoted(failure.message), sent);
    if (statusOfSqlState(state) >= 503) log.error(fields, message);
    else log.warn(fields, message);
  }
}

/** logRefusedIdentity writes a WARN with the role and why it could not be set, never the claims. */
export function logRefusedIdentity(
  log: Logger,
  { role, failure }: IdentityRefused,
  place: Omit<FailurePlace, 'position'>,
): void {
  const message = failure.raised ? RAISED : maskQuoted(failure.message);
  log.warn({ ...place, role, state: failure.state }, `the caller's identity: ${message}`);
}

/** Instead of a message that a function wrote: it may hold values, quoted or not. */
const RAISED = 'a function in the database raised an error';

/**
 * maskSent replaces the words of a message that hold one the request sent: PostgreSQL does not quote every name that
 * it repeats (`column item.x does not exist`), and a script may have interpolated it.
 */
function maskSent(message: string, { query, headers }: SentText): string {
  const values = [...parseQueryString(query).values()].flat();
  values.push(...headers.split('\n').filter((_, i) => i % 2 === 1));
  const words = new Set(values.flatMap((value) => value.toLowerCase().match(WORD) ?? []));
  return message.replace(WORD, (word) => {
    const lower = word.toLowerCase();
    if (words.has(lower)) return '…';
    for (const one of words) {
      // Short ones are in too many words; a name beyond 63 bytes is cut off.
      if (one.length >= 3 && lower.includes(one)) return '…';
      if (lower.length >= 15 && one.startsWith(lower)) return '…';
    }
    return word;
  });
}

const WORD = /[\p{L}\p{N}_]+/gu;

/** What may be told to the caller. */
export interface FailureAnswerOptions {
  readonly xml: boolean;
  /** The database's own words are added. */
  readonly debug: boolean;
  /** Messages that scripts raise on purpose are passed on. */
  readonly raised: boolean;
  readonly position: string | undefined;
  /** A cancelled statement (57014) was over its time limit; otherwise somebody else has cancelled it. */
  readonly overTime: boolean;
}

/** failureAnswer gives status and body for a failed statement. */
export function failureAnswer(
  failure: SqlFailure,
  options: FailureAnswerOptions,
): { status: number; body: string } {
  const { state } = failure;
  const cancelled = state === '57014';
  const status = cancelled && !options.overTime ? 500 : statusOfSqlState(state);
  const told = options.raised && isRaised(state) ? failure.message : SQL_FAILED;
  const code = cancelled && options.overTime ? 'timeout' : state;
  const extra: Record<string, string> = {};
  if (options.debug) {
    extra['message'] = failure.message;
    if (failure.detail !== undefined) extra['detail'] = failure.detail;
    if (failure.hint !== undefined) extra['hint'] = failure.hint;
    if (options.position !== undefined) extra['position'] = options.position;
  }
  return { status, body: errorBody(told, code, options.xml, extra) };
}
