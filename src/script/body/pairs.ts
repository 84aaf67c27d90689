/**
 * Decodes the pairs of a query string or of a form: separated by `&`, names and values with `+` for a space and percent
 * escapes of UTF-8. Refuses a pair that it cannot decode, as an ignored one could be an ignored condition.
 */

/** Values by name, in order of first appearance; a list when the name was sent more than once. */
export type Pairs = Map<string, string | string[]>;

/** Most pairs of one text. */
export const MAX_PAIRS = 1000;

/** Makes the error for a text; without `what` it has an escape that cannot be decoded. */
type Invalid = (what?: string) => Error;

/**
 * parsePairs decodes a text. `;` is an ordinary character, a pair without `=` has the value '', empty pairs are ignored,
 * and a name may be empty. Throws what `invalid` makes for an invalid escape, escaped bytes that are not UTF-8, an escaped
 * NUL, or more than MAX_PAIRS pairs.
 */
export function parsePairs(text: string, invalid: Invalid): Pairs {
  const pairs: Pairs = new Map();
  const length = text.length;
  const encoded = text.includes('%') || text.includes('+');
  let count = 0;
  let start = 0;
  while (start <= length) {
    let end = text.indexOf('&', start);
    if (end === -1) end = length;
    if (end > start) {
      if (++count > MAX_PAIRS) throw invalid(`more than ${MAX_PAIRS} parameters`);
      let equals = start;
      while (equals < end && text.charCodeAt(equals) !== EQUALS) equals++;
      let name = text.slice(start, equals);
      let value = equals < end ? text.slice(equals + 1, end) : '';
      if (encoded) {
        name = decode(name, invalid);
        value = decode(value, invalid);
      }
      addPair(pairs, name, value);
    }
    start = end + 1;
  }
  return pairs;
}

const EQUALS = 0x3d;

/** addPair adds a value to the others of its name. */
export function addPair<Value>(
  pairs: Map<string, Value | Value[]>,
  name: string,
  value: Value,
): void {
  const before = pairs.get(name);
  if (before === undefined) pairs.set(name, value);
  else if (Array.isArray(before)) before.push(value);
  else pairs.set(name, [before, value]);
}

function decode(text: string, invalid: Invalid): string {
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
