/**
 * Reads JSON as text, without parsing it as a whole: digits stay as they were sent, where JavaScript would round them, and
 * of a large result only the rows in view are read.
 */

/** A member of an object or an element of an array: where its value is in the text. */
export interface Span {
  /** Undefined in an array. */
  readonly key: string | undefined;
  readonly start: number;
  readonly end: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;

/** Code units that open or close a value, and the change of the depth. */
function change(code: number): number {
  if (code === 91 || code === 123) return 1;
  return code === 93 || code === 125 ? -1 : 0;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** The position behind the string that begins at `at`. */
function afterString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i + 1;
  }
  return text.length;
}

/** spans lists the values of the array or object that a text of JSON has from `from` on. */
export function spans(text: string, from = 0): Span[] {
  const found: Span[] = [];
  let depth = 0;
  let key: string | undefined;
  let start = -1;
  let end = 0;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isSpace(code)) continue;
    const step = change(code);
    if (step === 1 && depth === 0) {
      depth = 1;
      continue;
    }
    if (depth === 1 && (code === COMMA || step === -1)) {
      if (start >= 0) found.push({ key, start, end });
      if (step === -1) break;
      key = undefined;
      start = -1;
      continue;
    }
    if (depth === 1 && code === COLON && start >= 0) {
      key = JSON.parse(text.slice(start, end)) as string;
      start = -1;
      continue;
    }
    if (start < 0) start = i;
    depth += step;
    if (code === QUOTE) i = afterString(text, i) - 1;
    end = i + 1;
  }
  return found;
}

/** kindOf tells what a value is from its first character. */
export function kindOf(raw: string): 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object' {
  switch (raw[0]) {
    case '"':
      return 'string';
    case '[':
      return 'array';
    case '{':
      return 'object';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return 'number';
  }
}

/** shownText is a value as a cell shows it: a string without its quotes, all else as it was sent. */
export function shownText(raw: string): string {
  return kindOf(raw) === 'string' ? (JSON.parse(raw) as string) : raw;
}

/** indented writes JSON on several lines, up to about `limit` characters; `whole` tells whether that was all of it. */
export function indented(
  text: string,
  limit: number,
): { readonly text: string; readonly whole: boolean } {
  let made = '';
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (made.length >= limit) return { text: made, whole: false };
    const code = text.charCodeAt(i);
    if (isSpace(code)) continue;
    const step = change(code);
    if (code === QUOTE) {
      const end = afterString(text, i);
      made += text.slice(i, end);
      i = end - 1;
    } else if (step === 1) {
      const close = nextVisible(text, i + 1);
      if (change(text.charCodeAt(close)) === -1) {
        made += text[i]! + text[close]!;
        i = close;
      } else made += `${text[i]!}\n${'  '.repeat(++depth)}`;
    } else if (step === -1) made += `\n${'  '.repeat(Math.max(--depth, 0))}${text[i]!}`;
    else if (code === COMMA) made += `,\n${'  '.repeat(depth)}`;
    else made += code === COLON ? ': ' : text[i]!;
  }
  return { text: made, whole: true };
}

function nextVisible(text: string, at: number): number {
  let i = at;
  while (i < text.length && isSpace(text.charCodeAt(i))) i++;
  return i;
}
