/**
 * Splits a text at the semicolons that separate statements: not those in strings, comments and parentheses (the actions of
 * a rule), nor those in the body of a function between BEGIN ATOMIC and END. psql splits by the same rules.
 */
import { END, SqlScanner, skipSpace, SYMBOL, WORD } from '../../template/sql-scanner.js';

/** A statement of a text, without white space and semicolons around it (UTF-16 offsets). */
export interface StatementRange {
  /** Comments before the statement are part of it. */
  readonly start: number;
  readonly end: number;
  /** Where its first token begins. */
  readonly at: number;
  /** Whether it creates a function or procedure. */
  readonly isFunction: boolean;
}

/** statementRanges gives the statements of a text in order, without empty ones. */
export function statementRanges(text: string): StatementRange[] {
  const ranges: StatementRange[] = [];
  const scanner = new SqlScanner(text);
  const body = new FunctionBody();
  let start = 0;
  let depth = 0;
  for (;;) {
    const kind = scanner.next();
    if (kind === WORD) body.word(scanner, depth);
    else body.other();
    const c = kind === SYMBOL ? text.charAt(scanner.start) : '';
    if (c === '(') depth++;
    else if (c === ')') depth = Math.max(0, depth - 1);
    if (kind !== END && (c !== ';' || depth > 0 || body.isOpen)) continue;
    const at = skipSpace(text, start);
    if (at < scanner.start)
      ranges.push({ ...trimmed(text, start, scanner.start), at, isFunction: body.isFunction });
    if (kind === END) return ranges;
    start = scanner.end;
    body.reset();
  }
}

function trimmed(text: string, from: number, to: number): { start: number; end: number } {
  let start = from;
  while (isSpace(text.charCodeAt(start))) start++;
  let end = to;
  while (isSpace(text.charCodeAt(end - 1))) end--;
  return { start, end };
}

function isSpace(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d);
}

/** Longest of the words below: longer ones are not compared. */
const LONGEST = 'PROCEDURE'.length;

/** FunctionBody follows the words of a statement to and through the body of a function: BEGIN ATOMIC … END. */
class FunctionBody {
  /** Words of the statement read so far, until its kind is known. */
  #words = 0;
  /** Whether the statement so far is CREATE [OR REPLACE] and perhaps FUNCTION or PROCEDURE. */
  #creates = false;
  isFunction = false;
  #afterBegin = false;
  /** Of BEGIN ATOMIC and of each CASE in it, which END closes. */
  #depth = 0;

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  reset(): void {
    this.#words = 0;
    this.#creates = this.isFunction = this.#afterBegin = false;
    this.#depth = 0;
  }

  /** other notes a token that is not a word. */
  other(): void {
    this.#afterBegin = false;
  }

  /** word notes the scanner's current token, inside so many parentheses. */
  word(scanner: SqlScanner, parentheses: number): void {
    if (this.#words > 3 && !this.isFunction) return;
    const word = scanner.end - scanner.start > LONGEST ? '' : scanner.value().toUpperCase();
    if (!this.isFunction) {
      this.#kind(word);
      return;
    }
    if (parentheses > 0) return;
    if (this.#depth === 0) {
      if (this.#afterBegin && word === 'ATOMIC') this.#depth = 1;
      this.#afterBegin = word === 'BEGIN';
    } else if (word === 'CASE') this.#depth++;
    else if (word === 'END') this.#depth--;
  }

  #kind(word: string): void {
    const place = this.#words++;
    if (place === 0) this.#creates = word === 'CREATE';
    else if (this.#creates) {
      this.isFunction = word === 'FUNCTION' || word === 'PROCEDURE';
      this.#creates = word === 'OR' || word === 'REPLACE';
    }
  }
}
