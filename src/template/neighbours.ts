/**
 * What a value may not form with the text beside it: a comment (two hyphens, slash and star), a cast (two colons), or
 * an escaped quote (a backslash before one). The screen sees values one by one; this sees where they meet other text.
 */

const HYPHEN = 45;
const COLON = 58;
const SLASH = 47;
const STAR = 42;
const BACKSLASH = 92;
const QUOTE = 39;
const DOUBLE_QUOTE = 34;

/**
 * pairForms tells whether two UTF-16 units side by side are such syntax; `value` says whether the first one comes
 * from a value, for only then a backslash before a quote counts.
 */
export function pairForms(first: number, second: number, value: boolean): boolean {
  switch (first) {
    case HYPHEN:
    case COLON:
      return second === first;
    case SLASH:
      return second === STAR;
    case BACKSLASH:
      return value && (second === QUOTE || second === DOUBLE_QUOTE);
    default:
      return false;
  }
}

/** formsSyntax is pairForms for the units on both sides of an offset, at which a value begins or ends. */
export function formsSyntax(text: string, at: number, value: boolean): boolean {
  return pairForms(text.charCodeAt(at - 1), text.charCodeAt(at), value);
}
