/**
 * The id of a message, which the response repeats. As in MCP it is a string or an integer; null, fractions and
 * everything else are rejected.
 */

/** idText returns an id as JSON, with the digits that were sent in `text`; undefined if it is not a valid id. */
export function idText(id: unknown, text: string): string | undefined {
  if (typeof id === 'string') return JSON.stringify(id);
  if (typeof id !== 'number') return undefined;
  if (Number.isSafeInteger(id)) return String(id);
  const written = idAsWritten(text);
  return INTEGER.test(written) ? written : undefined;
}

const INTEGER = /^-?\d+$/;

/** A number after optional white space. */
const NUMBER = /[ \t\r\n]*([-+.\deE]+)/y;

/** The number in the last member `id` of an object, as written; `text` is the object, which is valid JSON. */
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

/** The offset of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
