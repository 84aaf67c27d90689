/**
 * Failures of tools' statements: the messages that do not depend on the arguments, and the log line. PostgreSQL's
 * messages are not passed on, because a view or a function may put data of rows into them.
 */
import { isRaised, ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { IdentityRejected } from '../../postgres/statement/identity.js';
import { failureLevel, maskQuoted, type SqlFailure } from '../../postgres/statement/sql-failure.js';

export type ToolFailure = SqlFailure | ServiceError;

/** The same message for absent and for forbidden tables. */
export const PERMISSION_DENIED = 'permission denied';

/** Advice that depends on the kind of statement. */
export interface Remedies {
  /** It took too long. */
  readonly slow: string;
  /** Its result is too large: a sentence. */
  readonly large: string;
  readonly writes: string;
  /** The database does not let the caller read. */
  readonly denied: string;
}

const AWAY = 'the database cannot be reached now. Send the same call again in a while.';
const BUSY = 'the service is busy. Send the same call again in a moment.';

/** commonFailureText is the message for a failure; undefined if it depends on the statement. `maxResult` is in bytes. */
export function commonFailureText(
  failure: ToolFailure,
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
  if (kind === '08P01') return undefined; // caused by the statement, not by the connection
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
 * logFailure writes one line with the level of failureLevel, and none for errors of the service itself. The line
 * contains no values and no SQL. Fields in `place` override the failure's.
 */
export function logFailure(
  log: Logger,
  failure: ToolFailure,
  place: Readonly<Record<string, string | undefined>>,
): void {
  if (failure instanceof IdentityRejected) {
    const { role, failure: cause } = failure;
    const fields = { ...place, role, state: cause.state };
    log.warn(fields, `the caller's identity: ${maskedMessage(cause)}`);
  } else if (!(failure instanceof ServiceError)) {
    const { state, schema, table, column, constraint } = failure;
    const fields = { state, schema, table, column, constraint, ...place };
    log[failureLevel(failure, true)](fields, maskedMessage(failure));
  }
}

/** PostgreSQL's message with quoted parts masked; a message raised by a function is replaced. */
function maskedMessage({ message, raised, state }: SqlFailure): string {
  if (raised || isRaised(state)) return 'a function in the database raised an error';
  return maskQuoted(message);
}
