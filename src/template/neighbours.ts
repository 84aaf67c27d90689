/**
 * Syntax that a value must not form together with adjacent text: the beginning or the end of a comment (two hyphens,
 * slash and star, star and slash), a cast (two colons), an escaped quote (a backslash before one), or the prefix of a
 * literal. The screen checks values one by one; this checks their boundaries.
 */
import { END, QUOTED, SqlScanner, STRING } from './sql-scanner.js';

const HYPHEN = 45;
const COLON = 58;
const SLASH = 47;
const STAR = 42;
const BACKSLASH = 92;
const QUOTE = 39;
const DOUBLE_QUOTE = 34;
const AMPERSAND = 38;

/**
 * pairForms tells whether two adjacent UTF-16 units are such syntax; `value` says whether the first one comes from a
 * value, because only then a backslash before a quote counts.
 */
export function pairForms(first: number, second: number, value: boolean): boolean {
  switch (first) {
    case HYPHEN:
    case COLON:
      return second === first;
    case SLASH:
      return second === STAR;
    case STAR:
      return second === SLASH;
    case BACKSLASH:
      return value && (second === QUOTE || second === DOUBLE_QUOTE);
    default:
      return false;
  }
}

/** formsSyntax is pairForms for the units before and after an offset at which a value begins or ends. */
export function formsSyntax(text: string, at: number, value: boolean): boolean {
  return pairForms(text.charCodeAt(at - 1), text.charCodeAt(at), value);
}

/**
 * mayPrefix tells whether the unit before an offset may be a prefix of the literal that follows it: E, B, X or N before
 * a quote, U before an ampersand. Whether it is one depends on the text before: see completedPrefix.
 */
export function mayPrefix(before: number, letter: number, next: number): boolean {
  switch (letter | 0x20) {
    case LOWER_B:
    case LOWER_E:
    case LOWER_N:
    case LOWER_X:
      return next === QUOTE && !isWordPart(before);
    case LOWER_U:
      return next === AMPERSAND && !isWordPart(before);
    default:
      return false;
  }
}

const LOWER_B = 0x62;
const LOWER_E = 0x65;
const LOWER_N = 0x6e;
const LOWER_U = 0x75;
const LOWER_X = 0x78;

/** Whether no word can begin after a unit. A digit may end a number, and other units are left to the scanner. */
function isWordPart(unit: number): boolean {
  const lower = unit | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || unit === 0x5f;
}

/**
 * completedPrefix is the parameter whose value is the prefix of a literal, or undefined; `edges` maps the
 * offsets after letters that may be one (mayPrefix) to their parameters. Inside a literal such a letter is only text.
 */
export function completedPrefix(
  text: string,
  edges: ReadonlyMap<number, string>,
): string | undefined {
  const scanner = new SqlScanner(text);
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    if (kind !== STRING && kind !== QUOTED) continue;
    const parameter = edges.get(scanner.start + 1);
    if (parameter !== undefined) return parameter;
  }
  return undefined;
}
