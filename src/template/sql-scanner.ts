/**
 * A scanner of PostgreSQL's lexical syntax that distinguishes words from quoted identifiers, strings ('…', E'…' and the
 * other prefixes, continued over lines, $tag$…$tag$) and comments (to the end of the line, and nested). Follows
 * src/backend/parser/scan.l with standard_conforming_strings on. It reports no errors: an unterminated token extends to
 * the end of the text, and PostgreSQL reports it.
 */

export const END = 0;
/** An unquoted word: keyword or identifier. */
export const WORD = 1;
/** A quoted identifier. */
export const QUOTED = 2;
/** A string constant of any form. */
export const STRING = 3;
/** A number, or a parameter such as $1. */
export const NUMBER = 4;
/** Any other single character. */
export const SYMBOL = 5;

/** SqlScanner reads one token per call of `next`. */
export class SqlScanner {
  readonly text: string;
  /** Start and end of the current token (UTF-16 offsets). */
  start: number;
  end: number;

  constructor(text: string, from = 0) {
    this.text = text;
    this.start = from;
    this.end = from;
  }

  /** next advances to the next token and returns its kind, END after the last one. */
  next(): number {
    const text = this.text;
    const from = skipSpace(text, this.end);
    this.start = from;
    if (from >= text.length) {
      this.end = from;
      return END;
    }
    const c = text.charCodeAt(from);
    if (isWordStart(c)) {
      const end = wordEnd(text, from + 1);
      if (text.charCodeAt(end) === QUOTE && isStringPrefix(text, from, end)) {
        this.end = stringEnd(text, end, end - from === 1 && (c | 0x20) === LOWER_E);
        return STRING;
      }
      if (text.charCodeAt(end) === AMPERSAND && end - from === 1 && (c | 0x20) === LOWER_U) {
        const quote = text.charCodeAt(end + 1);
        if (quote === QUOTE) {
          this.end = stringEnd(text, end + 1, false);
          return STRING;
        }
        if (quote === DOUBLE_QUOTE) {
          this.end = quotedEnd(text, end + 1, DOUBLE_QUOTE, false);
          return QUOTED;
        }
      }
      this.end = end;
      return WORD;
    }
    if (c === QUOTE) {
      this.end = stringEnd(text, from, false);
      return STRING;
    }
    if (c === DOUBLE_QUOTE) {
      this.end = quotedEnd(text, from, DOUBLE_QUOTE, false);
      return QUOTED;
    }
    if (c === DOLLAR) {
      const tag = dollarTagEnd(text, from);
      if (tag !== -1) {
        const close = text.indexOf(text.slice(from, tag), tag);
        this.end = close === -1 ? text.length : close + (tag - from);
        return STRING;
      }
    }
    if (isDigit(c) || (c === DOLLAR && isDigit(text.charCodeAt(from + 1)))) {
      let end = from + 1;
      while (isDigit(text.charCodeAt(end))) end++;
      this.end = end;
      return NUMBER;
    }
    this.end = from + 1;
    return SYMBOL;
  }

  value(): string {
    return this.text.slice(this.start, this.end);
  }
}

/** skipSpace is the first offset from `from` on that is neither white space nor inside a comment. */
export function skipSpace(text: string, from: number): number {
  let i = from;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === 0x20 || (c >= 0x09 && c <= 0x0d)) i++;
    else {
      const end = skipComment(text, i);
      if (end === i) return i;
      i = end;
    }
  }
}

/** skipComment is the offset after the comment that begins at `from`, or `from` if none does. */
export function skipComment(text: string, from: number): number {
  const c = text.charCodeAt(from);
  if (c === MINUS && text.charCodeAt(from + 1) === MINUS) return lineEnd(text, from + 2);
  if (c === SLASH && text.charCodeAt(from + 1) === STAR) return commentEnd(text, from + 2);
  return from;
}

const MINUS = 0x2d;
const SLASH = 0x2f;
const STAR = 0x2a;
const QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DOLLAR = 0x24;
const AMPERSAND = 0x26;
const LOWER_E = 0x65;
const LOWER_U = 0x75;

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

function isWordStart(c: number): boolean {
  const letter = c | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || c === 0x5f || c >= 0x80;
}

function wordEnd(text: string, from: number): number {
  let i = from;
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!isWordStart(c) && !isDigit(c) && c !== DOLLAR) break;
  }
  return i;
}

/** B, X, E and N are prefixes only if they are the whole word before the quote. */
function isStringPrefix(text: string, from: number, end: number): boolean {
  return end - from === 1 && 'bBxXeEnN'.includes(text.charAt(from));
}

function lineEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x0a || c === 0x0d) return i;
  }
  return text.length;
}

function commentEnd(text: string, from: number): number {
  let depth = 1;
  let i = from;
  while (i < text.length) {
    const c = text.charCodeAt(i++);
    if (c === STAR && text.charCodeAt(i) === SLASH) {
      i++;
      if (--depth === 0) return i;
    } else if (c === SLASH && text.charCodeAt(i) === STAR) {
      i++;
      depth++;
    }
  }
  return text.length;
}

/** quotedEnd is the offset after the quote that closes the one at `open`; a doubled quote is part of the content. */
function quotedEnd(text: string, open: number, quote: number, escapes: boolean): number {
  let i = open + 1;
  while (i < text.length) {
    const c = text.charCodeAt(i++);
    if (escapes && c === BACKSLASH) i++;
    else if (c === quote) {
      if (text.charCodeAt(i) !== quote) return i;
      i++;
    }
  }
  return text.length;
}

/** stringEnd is the end of a string with its continuations: further strings after white space with a line break. */
function stringEnd(text: string, open: number, escapes: boolean): number {
  let end = quotedEnd(text, open, QUOTE, escapes);
  for (;;) {
    let i = end;
    let broken = false;
    for (;;) {
      const c = text.charCodeAt(i);
      if (c === 0x0a || c === 0x0d) broken = true;
      if (c === 0x20 || (c >= 0x09 && c <= 0x0d)) i++;
      else if (c === MINUS && text.charCodeAt(i + 1) === MINUS) i = lineEnd(text, i + 2);
      else break;
    }
    if (!broken || text.charCodeAt(i) !== QUOTE) return end;
    end = quotedEnd(text, i, QUOTE, escapes);
  }
}

/** dollarTagEnd is the offset after the opening `$tag$` at `from`, or -1. */
function dollarTagEnd(text: string, from: number): number {
  let i = from + 1;
  if (isDigit(text.charCodeAt(i))) return -1;
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === DOLLAR) return i + 1;
    if (!isWordStart(c) && !isDigit(c)) return -1;
  }
  return -1;
}
