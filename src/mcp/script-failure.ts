/**
 * What a caller is told of a script that failed as a tool: in words of our own, unless the script raised its message on
 * purpose.
 */
import { isRaised, ServiceError, SQL_FAILED } from '../errors.js';
import type { Parameters } from '../script/query-string.js';
import { commonText, type Failure, type Remedies } from './failure.js';
import { listed } from './refusal.js';

const NARROWER = 'Narrow down what the script reads, with its parameters.';

const REMEDIES: Remedies = {
  slow: `the script took too long and was stopped. ${NARROWER}`,
  large: NARROWER,
  writes: 'tools can only read, and this script tried to write.',
  denied: 'permission denied: the database does not let you read what the script reads.',
};

/** What is known where a script has failed. */
export interface FailedScript {
  readonly sent: Parameters;
  /** Largest result, bytes. */
  readonly maxResult: number;
  /** Whether messages that scripts raise on purpose are passed on. */
  readonly raised: boolean;
}

/** scriptFailureText is what the caller is told. */
export function scriptFailureText(
  failure: Failure,
  { sent, maxResult, raised }: FailedScript,
): string {
  if (!(failure instanceof ServiceError) && isRaised(failure.state))
    return raised ? failure.message : SQL_FAILED;
  const common = commonText(failure, REMEDIES, maxResult);
  if (common !== undefined) return common;
  if (failure instanceof ServiceError) return failure.message;
  const { state } = failure;
  return state.startsWith('22') ? valueText(sent) : `${SQL_FAILED} (${state})`;
}

/** A value that does not suit its type: which one it is, is not told, for it may be one of a row. */
function valueText(sent: Parameters): string {
  const names = [...sent.keys()];
  return names.length === 0
    ? 'the script met a value that is not valid where it stands.'
    : `a value is not valid for its type. Look at the arguments: ${listed(names)}.`;
}
