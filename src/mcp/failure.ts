/**
 * What all statements of tools have in common when they fail: how callers are told what has nothing to do with what they
 * sent, and the line in the log. PostgreSQL's words are not passed on, for a view or a function may put anything into
 * them, rows among it.
 */
import { isRaised, ServiceError, statusOfSqlState } from '../errors.js';
import type { Logger } from '../log.js';
import { IdentityRefused } from '../pg/identity.js';
import { maskQuoted, type SqlFailure } from '../pg/sql-failure.js';

export type Failure = SqlFailure | ServiceError;

/** The same for what is not there and for what is not permitted. */
export const PERMISSION_DENIED = 'permission denied';

/** What there is to change, as it depends on what was run. */
export interface Remedies {
  /** It took too long. */
  readonly slow: string;
  /** Its result is too large: a sentence. */
  readonly large: string;
  /** It tried to write. */
  readonly writes: string;
  /** The database does not let the caller read. */
  readonly denied: string;
}

const AWAY = 'the database cannot be reached now. Send the same call again in a while.';
const BUSY = 'the service is busy. Send the same call again in a moment.';

/** commonText is what is told of a failure; undefined when it depends on what was run. `maxResult` is bytes. */
export function commonText(
  failure: Failure,
  remedies: Remedies,
  maxResult: number,
): string | undefined {
  const kind = failure instanceof ServiceError ? failure.code : failure.state;
  switch (kind) {
    case 'timeout':
    case '57014':
      return remedies.slow;
    case 'busy':
    case '55P03':
      return BUSY;
    case 'permission_denied':
      return PERMISSION_DENIED;
    case '42501':
      return remedies.denied;
    case '25006':
      return remedies.writes;
    case 'result_too_large':
      return tooLarge(remedies, maxResult);
  }
  if (failure instanceof ServiceError) return failure.status >= 503 ? AWAY : undefined;
  switch (kind.slice(0, 2)) {
    case '08':
    case '57':
      return AWAY;
    case '40':
    case '53':
      return BUSY;
    case '54':
      return tooLarge(remedies, maxResult);
    default:
      return undefined;
  }
}

function tooLarge({ large }: Remedies, maxResult: number): string {
  return `the result is larger than ${maxResult} bytes. ${large}`;
}

/**
 * logFailure writes one line: ERROR for what ails the service, INFO for what was raised on purpose, WARN for anything else,
 * nothing for what the service itself refuses. No values, no statement. What `place` says wins over what the database does.
 */
export function logFailure(
  log: Logger,
  failure: Failure,
  place: Readonly<Record<string, string | undefined>>,
): void {
  if (failure instanceof IdentityRefused) {
    const { role, failure: refusal } = failure;
    const fields = { ...place, role, state: refusal.state };
    log.warn(fields, `the caller's identity: ${wordsOf(refusal)}`);
  } else if (!(failure instanceof ServiceError)) {
    const { state, schema, table, column, constraint } = failure;
    const fields = { state, schema, table, column, constraint, ...place };
    const ails = statusOfSqlState(state) >= 503 && state !== '25006';
    if (isRaised(state)) log.info(fields, wordsOf(failure));
    else if (ails && state !== '57014') log.error(fields, wordsOf(failure));
    else log.warn(fields, wordsOf(failure));
  }
}

/** What PostgreSQL says, without what it quotes; not what a function in the database says. */
function wordsOf({ message, raised, state }: SqlFailure): string {
  if (raised || isRaised(state)) return 'a function in the database raised an error';
  return maskQuoted(message);
}
