/**
 * Builds the statement of a rendered script: a read is wrapped so that PostgreSQL makes the JSON, other texts are sent
 * unchanged. Refuses empty texts, and statements by the rules of statement-rules.ts. Statements are cached by rendered
 * text, because a script that binds its values renders the same text each time.
 */
import { Recent, type RecentBounds } from '../recent.js';
import { scriptNotUsable } from './script-error.js';
import { END, SqlScanner, skipSpace, SYMBOL, WORD } from '../template/sql-scanner.js';
import { checkStatement } from './statement-rules.js';
import type { Verb } from './verb.js';

export interface ScriptStatement {
  readonly sql: string;
  /** The rendered text. */
  readonly text: string;
  /** Start and length of the script's text in `sql` (UTF-16 units). */
  readonly start: number;
  readonly length: number;
  /** Whether it may end its transaction, and with it the settings that are local to the transaction. */
  readonly commits: boolean;
  /** Whether the text was built before. */
  recurs: boolean;
}

/** First words of statements in which a procedure may COMMIT or ROLLBACK. */
const COMMITTING: ReadonlySet<string> = new Set(['CALL', 'DO']);

const REMEMBERED: RecentBounds = { entries: 500, characters: 1_000_000 };

/** The SQL before and after the text of a read, which has lines of its own. */
export interface ReadFrame {
  readonly head: string;
  readonly tail: string;
}

/** The function that makes the JSON of all rows; its scalar counterpart makes that of one. */
export type JsonAggregate = 'json_agg' | 'jsonb_agg';

/**
 * jsonFrame makes one JSON value of all rows; of `s.*`, because `s` alone could be a column. The statement returns no row
 * when the value is larger than `maxResult` bytes, so that it never leaves the database.
 */
export function jsonFrame(aggregate: JsonAggregate, maxResult: number): ReadFrame {
  return {
    head: `SELECT ${aggregate}(s.*) FROM (\n`,
    tail: `\n) s HAVING (pg_column_size(${aggregate}(s.*)) <= ${maxResult}) IS NOT FALSE`,
  };
}

export class StatementBuilder {
  readonly #frame: ReadFrame;
  readonly #reads = new RecentStatements();
  readonly #others = new RecentStatements();

  /** `frame` is for reads. */
  constructor(frame: ReadFrame) {
    this.#frame = frame;
  }

  /**
   * build makes the statement of a text that the script `path` (`<folder>/<script>`) rendered. Throws ServiceError
   * `script_not_usable` when the text has no statement, `statement_not_allowed` when the rules refuse it.
   */
  build(verb: Verb, text: string, path: string): ScriptStatement {
    const recent = verb === 'read' ? this.#reads : this.#others;
    let statement = recent.get(text);
    if (statement === undefined) {
      if (text.includes('\0')) throw scriptNotUsable(path, 'the text rendered holds a NUL'); // it would be truncated there
      const first = firstWord(text);
      if (first === undefined) throw scriptNotUsable(path, 'the text rendered holds no statement');
      checkStatement(text, first);
      statement = verb === 'read' ? this.wrapRead(text) : wholeText(text, COMMITTING.has(first));
      recent.set(text, statement);
    } else statement.recurs = true;
    return statement;
  }

  /** wrapRead makes the statement of a read. Its text has lines of its own, so that a comment at its end stays in it. */
  wrapRead(text: string): ScriptStatement {
    const script = text.slice(0, endOfStatement(text));
    const { head, tail } = this.#frame;
    return {
      sql: head + script + tail,
      text,
      start: head.length,
      length: script.length,
      commits: false,
      recurs: false,
    };
  }
}

/**
 * positionToScript maps a position that PostgreSQL reports (characters of the statement, from 1) to an offset in the
 * rendered text (UTF-16 units). A position in the frame gives the nearest end of the text.
 */
export function positionToScript(statement: ScriptStatement, position: number): number {
  const { sql, start, length } = statement;
  let offset = 0;
  for (let left = position - 1; left > 0 && offset < sql.length; left--) {
    offset += sql.codePointAt(offset)! > 0xffff ? 2 : 1;
  }
  return Math.min(Math.max(offset - start, 0), length);
}

/**
 * isInFrame tells whether a position that PostgreSQL reports (characters of the statement, from 1) is in the SQL around the
 * text of a read.
 */
export function isInFrame({ sql, start, length }: ScriptStatement, position: number): boolean {
  const before = Array.from(sql.slice(0, start)).length;
  return (
    position <= before || position > before + Array.from(sql.slice(start, start + length)).length
  );
}

/** returnsNoRows tells whether a text is a change without RETURNING, as far as its first word shows it. */
export function returnsNoRows(text: string): boolean {
  return CHANGES.has(firstWord(text) ?? '') && !/\breturning\b/i.test(text);
}

const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

function wholeText(text: string, commits: boolean): ScriptStatement {
  return { sql: text, text, start: 0, length: text.length, commits, recurs: false };
}

/** firstWord gives the first word in upper case, '' when something else comes first, undefined for an empty statement. */
function firstWord(text: string): string | undefined {
  let i = skipSpace(text, 0);
  while (text.charAt(i) === '(' || text.charAt(i) === ';') i = skipSpace(text, i + 1);
  if (i >= text.length) return undefined;
  const scanner = new SqlScanner(text, i);
  return scanner.next() === WORD ? scanner.value().toUpperCase() : '';
}

/** endOfStatement gives the end of the text without a final semicolon and what follows that. */
function endOfStatement(text: string): number {
  if (!text.includes(';')) return text.length;
  const scanner = new SqlScanner(text);
  let last = -1;
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    last = kind === SYMBOL && text.charAt(scanner.start) === ';' ? scanner.start : -1;
  }
  return last === -1 ? text.length : last;
}

class RecentStatements {
  /** The statement used last: most often the next one too, and a comparison is faster than a lookup. */
  #last: ScriptStatement | undefined;
  readonly #recent = new Recent<ScriptStatement>(REMEMBERED);

  get(text: string): ScriptStatement | undefined {
    if (this.#last?.text === text) return this.#last;
    const found = this.#recent.get(text);
    if (found !== undefined) this.#last = found;
    return found;
  }

  set(text: string, statement: ScriptStatement): void {
    this.#last = statement;
    this.#recent.set(text, statement);
  }
}
