/**
 * Error messages for scripts that failed as tools. PostgreSQL's own messages are not passed on, except one that the
 * script raised on purpose.
 */
import { isRaised, ServiceError, SQL_FAILED } from '../../base/errors.js';
import type { QueryParameters } from '../../script/request/query-string.js';
import { commonFailureText, type ToolFailure, type Remedies } from '../arguments/tool-failure.js';
import { listNames } from '../arguments/argument-error.js';

const NARROWER = 'Narrow down what the script reads, with its parameters.';

const REMEDIES: Remedies = {
  slow: `the script took too long and was stopped. ${NARROWER}`,
  large: NARROWER,
  writes: 'tools can only read, and this script tried to write.',
  denied: 'permission denied: the database does not let you read what the script reads.',
};

const BROKEN =
  'the script cannot be run as a tool: it is not in order, or does not only read. Other arguments will most likely not help; its owner finds the reason in the log of the service.';

export interface FailedScript {
  /** The parameters of the call. */
  readonly sent: QueryParameters;
  /** Largest result, bytes. */
  readonly maxResult: number;
  /** Whether messages that scripts raise on purpose are passed on. */
  readonly raised: boolean;
  /** The error to report if the cause is known. */
  readonly fault: ServiceError | undefined;
  /** The parameter whose value is invalid, where that is known. */
  readonly parameter: string | undefined;
}

/** scriptTooLargeText is the message if not even one row fits; `maxResult` is in bytes. */
export function scriptTooLargeText(maxResult: number): string {
  return commonFailureText(new ServiceError('result_too_large'), REMEDIES, maxResult)!;
}

export function scriptFailureText(
  failure: ToolFailure,
  { sent, maxResult, raised, fault, parameter }: FailedScript,
): string {
  if (!(failure instanceof ServiceError) && isRaised(failure.state))
    return raised ? failure.message : SQL_FAILED;
  if (fault !== undefined) return fault.message;
  const common = commonFailureText(failure, REMEDIES, maxResult);
  if (common !== undefined) return common;
  if (failure instanceof ServiceError) return failure.message;
  const { state } = failure;
  if (state.startsWith('22')) return valueText(sent, parameter);
  return /^(?:42|0A|08P01)/.test(state) ? BROKEN : `${SQL_FAILED} (${state})`;
}

/** The message for an invalid value. It does not repeat the value, which may be one of a row. */
function valueText(sent: QueryParameters, parameter: string | undefined): string {
  if (parameter !== undefined && sent.has(parameter))
    return `the value of ${listNames([parameter])} is not valid for its type.`;
  const names = [...sent.keys()];
  return names.length === 0
    ? 'the script met a value that is not valid where it stands.'
    : `a value is not valid for its type. Look at the arguments: ${listNames(names)}.`;
}
