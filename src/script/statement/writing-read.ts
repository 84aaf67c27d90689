/**
 * Read scripts whose statement writes. Their text becomes a subquery, so that PostgreSQL reports a syntax error or a WITH
 * that is not at the top level; the author needs another suffix.
 */
import type { ScriptStatement } from './statement.js';
import { END, SqlScanner, skipSpace, SYMBOL, WORD } from '../../template/sql-scanner.js';

/** The suffix of a file for each statement that writes. */
const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['INSERT', '.write.sql'],
  ['UPDATE', '.update.sql'],
  ['DELETE', '.delete.sql'],
  ['MERGE', '.write.sql'],
]);

const MAIN: ReadonlySet<string> = new Set([...SUFFIXES.keys(), 'SELECT', 'VALUES', 'TABLE']);

/** The offset of the word that makes a statement write, and that word in upper case. */
export interface WritingWord {
  readonly at: number;
  readonly word: string;
}

/** writingWord finds INSERT, UPDATE, DELETE or MERGE as the statement of a text, or in the WITH before it. */
export function writingWord(text: string): WritingWord | undefined {
  const scanner = new SqlScanner(text, skipSpace(text, 0));
  if (scanner.next() !== WORD) return undefined;
  const first = scanner.value().toUpperCase();
  if (SUFFIXES.has(first)) return { at: scanner.start, word: first };
  if (first !== 'WITH') return undefined;
  let depth = 0;
  let before = '';
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    const value = kind === WORD ? scanner.value().toUpperCase() : text.charAt(scanner.start);
    if (kind === SYMBOL) depth += value === '(' ? 1 : value === ')' ? -1 : 0;
    const opens = (before === 'AS(' || before === 'MATERIALIZED(') && depth === 1;
    if (kind === WORD && (opens || depth === 0)) {
      if (SUFFIXES.has(value)) return { at: scanner.start, word: value };
      if (depth === 0 && MAIN.has(value)) return undefined;
    }
    before = value === '(' ? `${before}(` : value;
  }
  return undefined;
}

/** readThatWrites says what to do about a read whose text has a word that writes. */
export function readThatWrites({ word }: WritingWord): string {
  return `${word} does not run in a read script: use the suffix ${SUFFIXES.get(word)}`;
}

/** SQLSTATEs of a subquery that writes: a syntax error, and a WITH that is not at the top level. */
const STATES: ReadonlySet<string> = new Set(['42601', '0A000']);

/** readHint says what to do about a failed statement, if it is a read that writes. */
export function readHint({ text, start }: ScriptStatement, state: string): string | undefined {
  const writing = start > 0 && STATES.has(state) ? writingWord(text) : undefined;
  return writing && readThatWrites(writing);
}
