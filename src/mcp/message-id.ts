/**
 * The id of a message: what the answer repeats. A string or an integer, as MCP has them; null, fractions and everything
 * else are refused.
 */

/** idText gives an id as JSON, for `text` the digits that were sent; undefined for what is no id. */
export function idText(id: unknown, text: string): string | undefined {
  if (typeof id === 'string') return JSON.stringify(id);
  if (typeof id !== 'number') return undefined;
  if (Number.isSafeInteger(id)) return String(id);
  const written = idAsWritten(text);
  return INTEGER.test(written) ? written : undefined;
}

const INTEGER = /^-?\d+$/;

/** A number, and the blanks before it. */
const NUMBER = /[ \t\r\n]*([-+.\deE]+)/y;

/** idAsWritten is the number that the last member `id` of an object has; `text` is that object, known to be valid. */
function idAsWritten(text: string): string {
  let depth = 0;
  let key = '';
  let found = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (depth === 1) key = text.slice(at, end + 1);
      at = end;
    } else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    else if (character === ':' && depth === 1 && JSON.parse(key) === 'id') {
      NUMBER.lastIndex = at + 1;
      found = NUMBER.exec(text)?.[1] ?? '';
    }
  }
  return found;
}

/** endOfString is where the quote is that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
