/**
 * The value screen as its specification words it: slow, and written without a look at native/value_screen.cc. The
 * keywords are those of native/sql_keywords.h.
 */
import { readFileSync } from 'node:fs';

export const KEYWORDS: readonly string[] = [
  ...readFileSync('native/sql_keywords.h', 'utf8')
    .replace(/^[\s\S]*?= \{/, '')
    .matchAll(/"([a-z]+)"/g),
].map((match) => match[1]!);

const KNOWN = new Set(KEYWORDS);

const ALLOWED = /^[A-Za-z0-9_.:@/\\ -]*$/;

const DIGITS = '\\d(?:_?\\d)*';
/** A number of any version of PostgreSQL, in lower case, at the beginning of a word. */
const NUMBER = new RegExp(
  `^(?:0x(?:_?[0-9a-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+|${DIGITS}(?:e${DIGITS})?)`,
);
/** The rest of a number whose point is in front of the word. */
const FRACTION = new RegExp(`^e${DIGITS}`);

/** referenceScreen tells whether a value may be inserted into SQL text. */
export function referenceScreen(value: string): boolean {
  if (!ALLOWED.test(value)) return false;
  if (value.includes('--') || value.includes('::')) return false;
  if (!value.includes(' ')) return true;
  const text = value.toLowerCase();
  for (const { 0: word, index } of text.matchAll(/\w+/g)) {
    // The value may follow a digit in the text.
    const before = `0${text.slice(0, index)}`;
    if (hidesKeyword(word, /\d\.$/.test(before))) return false;
  }
  return true;
}

/** Whether a word is a keyword, or one behind the numbers with which it begins. */
function hidesKeyword(word: string, fraction: boolean): boolean {
  let rest = word;
  let found = fraction ? (FRACTION.exec(rest) ?? NUMBER.exec(rest)) : NUMBER.exec(rest);
  if (KNOWN.has(rest)) return true;
  while (found !== null) {
    rest = rest.slice(found[0].length);
    if (KNOWN.has(rest)) return true;
    found = NUMBER.exec(rest);
  }
  return false;
}
