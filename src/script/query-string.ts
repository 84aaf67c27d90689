/**
 * Decodes the query string of a request: pairs separated by `&`, names and values with `+` for a space and percent escapes
 * of UTF-8. Refuses what it cannot decode, as an ignored pair could be an ignored condition.
 */
import { ServiceError } from '../errors.js';

/** Values by name, in order of first appearance; a list when the name was sent more than once. */
export type QueryParameters = Map<string, string | string[]>;

/** Most pairs of one query string. */
export const MAX_PAIRS = 1000;

/**
 * parseQueryString decodes a raw query string (without the question mark, its own bytes already decoded from UTF-8).
 * `;` is an ordinary character, a pair without `=` has the value '', empty pairs are ignored, and a name may be empty.
 * Throws ServiceError `invalid_query_string` for an invalid escape, bytes that are not UTF-8 (escaped or raw:
 * raw ones arrive as U+FFFD), a NUL, or more than MAX_PAIRS pairs.
 */
export function parseQueryString(raw: string): QueryParameters {
  const parameters: QueryParameters = new Map();
  const length = raw.length;
  if (length === 0) return parameters;
  if (raw.includes('\uFFFD') || raw.includes('\0')) throw invalid();
  const encoded = raw.includes('%') || raw.includes('+');
  let pairs = 0;
  let start = 0;
  while (start <= length) {
    let end = raw.indexOf('&', start);
    if (end === -1) end = length;
    if (end > start) {
      if (++pairs > MAX_PAIRS) {
        throw new ServiceError(
          'invalid_query_string',
          `invalid query string: more than ${MAX_PAIRS} parameters`,
        );
      }
      let equals = start;
      while (equals < end && raw.charCodeAt(equals) !== EQUALS) equals++;
      let name = raw.slice(start, equals);
      let value = equals < end ? raw.slice(equals + 1, end) : '';
      if (encoded) {
        name = decode(name);
        value = decode(value);
      }
      add(parameters, name, value);
    }
    start = end + 1;
  }
  return parameters;
}

const EQUALS = 0x3d;

function add(parameters: QueryParameters, name: string, value: string): void {
  const before = parameters.get(name);
  if (before === undefined) parameters.set(name, value);
  else if (typeof before === 'string') parameters.set(name, [before, value]);
  else before.push(value);
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  let decoded;
  try {
    // Strict: overlong forms, surrogates and incomplete sequences throw as invalid escapes do.
    decoded = decodeURIComponent(spaced);
  } catch {
    throw invalid();
  }
  if (decoded.includes('\0')) throw invalid();
  return decoded;
}

function invalid(): ServiceError {
  return new ServiceError('invalid_query_string');
}
