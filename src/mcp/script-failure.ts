/**
 * A script that failed, as a tool: what its caller is told, in our own words unless the script raised its message on
 * purpose, and what the log says: where in the script, never the statement or values.
 */
import { isRaised, ServiceError, SQL_FAILED, statusOfSqlState } from '../errors.js';
import type { Logger } from '../log.js';
import { IdentityRefused } from '../pg/identity.js';
import { maskQuoted, type SqlFailure } from '../pg/sql-failure.js';
import { listed } from './refusal.js';
import type { Parameters } from '../script/query-string.js';

export type Failure = SqlFailure | ServiceError;

const AWAY = 'the database cannot be reached now. Send the same call again in a while.';
const BUSY = 'the service is busy. Send the same call again in a moment.';
const SLOW =
  'the script took too long and was stopped. Narrow down what it reads, with its parameters.';

/** By SQLSTATE, or by its class. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['08', AWAY],
  ['53', BUSY],
  ['55P03', BUSY],
  ['40', BUSY],
  ['57014', SLOW],
  ['25006', 'tools can only read, and this script tried to write.'],
  ['42501', 'permission denied: the database does not let you read what the script reads.'],
]);

/** What is known where a script has failed. */
export interface FailedScript {
  readonly sent: Parameters;
  /** Largest result, bytes. */
  readonly maxResult: number;
  /** Whether messages that scripts raise on purpose are passed on. */
  readonly raised: boolean;
}

/** scriptFailureText is what the caller is told. */
export function scriptFailureText(failure: Failure, { sent, maxResult, raised }: FailedScript) {
  if (failure instanceof ServiceError) return serviceText(failure, maxResult);
  const { state, message } = failure;
  if (isRaised(state)) return raised ? message : SQL_FAILED;
  if (state.startsWith('57P')) return AWAY;
  if (state.startsWith('54')) return tooLarge(maxResult);
  if (state.startsWith('22')) return valueText(sent);
  return TEXTS.get(state) ?? TEXTS.get(state.slice(0, 2)) ?? `${SQL_FAILED} (${state})`;
}

function serviceText(failure: ServiceError, maxResult: number): string {
  switch (failure.code) {
    case 'result_too_large':
      return tooLarge(maxResult);
    case 'timeout':
      return SLOW;
    case 'busy':
      return BUSY;
    default:
      return failure.message;
  }
}

function tooLarge(maxResult: number): string {
  return `the result is larger than ${maxResult} bytes. Narrow down what the script reads, with its parameters.`;
}

/** A value that does not suit its type: which one it is, is not told, for it may be one of a row. */
function valueText(sent: Parameters): string {
  const names = [...sent.keys()];
  return names.length === 0
    ? 'the script met a value that is not valid where it stands.'
    : `a value is not valid for its type. Look at the arguments: ${listed(names)}.`;
}

/** Where and for whom a script ran. */
export interface ScriptPlace {
  readonly requestId: string;
  /** `<folder>/<script>` */
  readonly script: string;
  readonly alias: string;
  /** `script:line:column`, when PostgreSQL gave a position. */
  readonly position: string | undefined;
}

/** logScriptFailure writes one line, nothing for what the service itself refuses. */
export function logScriptFailure(log: Logger, failure: Failure, place: ScriptPlace): void {
  if (failure instanceof IdentityRefused) {
    const { role, failure: refusal } = failure;
    const fields = { ...place, role, state: refusal.state };
    log.warn(fields, `the caller's identity: ${wordsOf(refusal)}`);
    return;
  }
  if (failure instanceof ServiceError) return;
  const { state, schema, table, column, constraint } = failure;
  const fields = { ...place, state, schema, table, column, constraint };
  if (isRaised(state)) log.info(fields, 'a script raised an error');
  else if (statusOfSqlState(state) >= 503 && state !== '57014' && state !== '25006')
    log.error(fields, wordsOf(failure));
  else log.warn(fields, wordsOf(failure));
}

/** What PostgreSQL says, without what it quotes; not what a function in the database says. */
function wordsOf({ message, raised, state }: SqlFailure): string {
  if (raised || isRaised(state)) return 'a function in the database raised an error';
  return maskQuoted(message);
}
