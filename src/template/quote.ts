/**
 * Quoting and unquoting of Go strings and characters, for `%q` and for constants in templates. Follows strconv's
 * quote.go. Unquoting returns undefined for an invalid constant.
 */
import { isLoneByte, loneByte, normalize, runeText } from './byte-string.js';

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** isPrint tells whether a code point is printable: letters, marks, numbers, punctuation, symbols, space. */
export function isPrint(rune: number): boolean {
  if (rune < 0x7f) return rune >= 0x20;
  return rune <= 0x10ffff && PRINTABLE.test(String.fromCodePoint(rune));
}

/** quote writes a double-quoted Go string constant; with `ascii`, characters outside ASCII are escaped. */
export function quote(text: string, ascii = false): string {
  let out = '"';
  for (let i = 0; i < text.length; i++) {
    const rune = text.codePointAt(i)!;
    if (rune > 0xffff) i++;
    out += isLoneByte(rune) ? `\\x${hex(rune - 0xdc00, 2)}` : escapeRune(rune, '"', ascii);
  }
  return `${out}"`;
}

/** quoteRune writes a single-quoted Go character constant. */
export function quoteRune(rune: number, ascii: boolean): string {
  return `'${escapeRune(runeText(rune).codePointAt(0)!, "'", ascii)}'`;
}

/** canBackquote tells whether text can be written as a raw string on one line. */
export function canBackquote(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if ((c < 0x20 && c !== 9) || c === 0x60 || c === 0x7f || c === 0xfeff) return false;
    if (isLoneByte(c) && (i === 0 || (text.charCodeAt(i - 1) & 0xfc00) !== 0xd800)) return false;
  }
  return true;
}

const ESCAPES: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  12: '\\f',
  10: '\\n',
  13: '\\r',
  9: '\\t',
  11: '\\v',
};

function escapeRune(rune: number, mark: string, ascii: boolean): string {
  const text = String.fromCodePoint(rune);
  if (text === mark || text === '\\') return `\\${text}`;
  if ((!ascii || rune < 0x80) && isPrint(rune)) return text;
  const short = ESCAPES[rune];
  if (short !== undefined) return short;
  if (rune < 0x20 || rune === 0x7f) return `\\x${hex(rune, 2)}`;
  return rune < 0x10000 ? `\\u${hex(rune, 4)}` : `\\U${hex(rune, 8)}`;
}

function hex(n: number, width: number): string {
  return n.toString(16).padStart(width, '0');
}

/** unquote is the value of a string constant, double-quoted or raw. */
export function unquote(constant: string): string | undefined {
  const mark = constant[0];
  const body = constant.slice(1, -1);
  if (mark === '`') return body.replaceAll('\r', '');
  let out = '';
  for (let i = 0; i < body.length;) {
    const char = unquoteChar(body, i, '"');
    if (char === undefined) return undefined;
    out += char.byte ? loneByte(char.value) : runeText(char.value);
    i = char.end;
  }
  return normalize(out);
}

/** UnquotedChar is one character of a constant: a code point, or a byte written \x or octal. */
interface UnquotedChar {
  readonly value: number;
  readonly byte: boolean;
  readonly end: number;
}

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** unquoteChar reads the character at offset i of a constant whose quote is `mark`. */
export function unquoteChar(text: string, i: number, mark: string): UnquotedChar | undefined {
  const rune = text.codePointAt(i);
  if (rune === undefined || text[i] === mark) return undefined;
  if (rune !== 92) return { value: rune, byte: false, end: i + (rune > 0xffff ? 2 : 1) };
  const letter = text[i + 1] ?? '';
  const simple = Object.hasOwn(SIMPLE, letter) ? SIMPLE[letter] : undefined;
  if (simple !== undefined) return { value: simple, byte: false, end: i + 2 };
  if (letter === mark) return { value: letter.charCodeAt(0), byte: false, end: i + 2 };
  if (letter >= '0' && letter <= '7') {
    const digits = text.slice(i + 1, i + 4);
    if (!/^[0-7]{3}$/.test(digits)) return undefined;
    const value = parseInt(digits, 8);
    return value > 255 ? undefined : { value, byte: true, end: i + 4 };
  }
  const count = Object.hasOwn(HEX_DIGITS, letter) ? HEX_DIGITS[letter]! : 0;
  const digits = text.slice(i + 2, i + 2 + count);
  if (count === 0 || digits.length < count || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
  const value = parseInt(digits, 16);
  const end = i + 2 + count;
  if (letter === 'x') return { value, byte: true, end };
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return undefined;
  return { value, byte: false, end };
}
