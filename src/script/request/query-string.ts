/** Decodes the query string of a request. */
import { MAX_PAIRS, parsePairs, type Pairs } from '../body/pairs.js';
import { ServiceError } from '../../base/errors.js';

export { MAX_PAIRS };

/** Values by name, in order of first appearance; a list when the name was sent more than once. */
export type QueryParameters = Pairs;

/**
 * parseQueryString decodes a raw query string (without the question mark, its own bytes already decoded from UTF-8) as
 * parsePairs does. Throws ServiceError `invalid_query_string`, also for bytes that are not UTF-8 (raw ones arrive as
 * U+FFFD) and for a NUL.
 */
export function parseQueryString(raw: string): QueryParameters {
  if (raw.length === 0) return new Map();
  if (raw.includes('\uFFFD') || raw.includes('\0')) throw invalid();
  return parsePairs(raw, invalid);
}

function invalid(what?: string): ServiceError {
  return new ServiceError('invalid_query_string', what && `invalid query string: ${what}`);
}
