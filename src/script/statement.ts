/**
 * From a rendered script to the statement that is sent: a read is wrapped so that PostgreSQL makes the JSON, anything
 * else goes as it is. Refuses empty scripts and what statement-rules.ts names. Keeps what it built by rendered text,
 * because a script that binds its values renders the same text each time.
 */
import { Recent, type RecentBounds } from '../recent.js';
import { scriptNotUsable } from './script-error.js';
import { END, SqlScanner, skipSpace, SYMBOL, WORD } from './sql-scanner.js';
import { checkStatement } from './statement-rules.js';
import type { Verb } from './verb.js';

/** A statement ready to be sent. */
export interface Statement {
  readonly sql: string;
  /** The rendered text. */
  readonly text: string;
  /** Where the script's text begins in `sql`, and how much of it is there (UTF-16 units). */
  readonly start: number;
  readonly length: number;
  /** Whether something in it may end its transaction, and with it what was set for that. */
  readonly commits: boolean;
  /** Whether the same text came before. */
  recurs: boolean;
}

/** First words of statements in which a procedure's own COMMIT or ROLLBACK may run. */
const COMMITTING: ReadonlySet<string> = new Set(['CALL', 'DO']);

/** How many statements are remembered. */
const REMEMBERED: RecentBounds = { entries: 500, characters: 1_000_000 };

/** What stands before and after a script that reads; in between it has lines of its own. */
export interface ReadFrame {
  readonly head: string;
  readonly tail: string;
}

/**
 * jsonFrame makes one value of all rows, as JSON. There is no row when that is larger than `maxResult` bytes: what is too
 * large never leaves the database.
 */
export function jsonFrame(aggregate: 'json_agg' | 'jsonb_agg', maxResult: number): ReadFrame {
  return {
    head: `SELECT ${aggregate}(s) FROM (\n`,
    tail: `\n) s HAVING (pg_column_size(${aggregate}(s)) <= ${maxResult}) IS NOT FALSE`,
  };
}

/** StatementBuilder makes statements and remembers the recent ones. */
export class StatementBuilder {
  readonly #frame: ReadFrame;
  readonly #reads = new RecentStatements();
  readonly #others = new RecentStatements();

  /** `frame` is for what reads. */
  constructor(frame: ReadFrame) {
    this.#frame = frame;
  }

  /**
   * build makes the statement of a text that the script at `path` (`<folder>/<script>`) rendered. Throws ServiceError
   * `script_not_usable` when the text holds no statement, `statement_not_allowed` when the rules refuse it.
   */
  build(verb: Verb, text: string, path: string): Statement {
    const recent = verb === 'read' ? this.#reads : this.#others;
    let statement = recent.get(text);
    if (statement === undefined) {
      if (text.includes('\0')) throw scriptNotUsable(path, 'the text rendered holds a NUL'); // it would end there
      const first = firstWord(text);
      if (first === undefined) throw scriptNotUsable(path, 'the text rendered holds no statement');
      checkStatement(text, first);
      statement = verb === 'read' ? this.wrapRead(text) : wholeText(text, COMMITTING.has(first));
      recent.set(text, statement);
    } else statement.recurs = true;
    return statement;
  }

  /** wrapRead makes the statement of a text that reads. It stands on lines of its own, so that a comment ends with it. */
  wrapRead(text: string): Statement {
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
 * rendered text (UTF-16 units). A position in what was added around the text gives its nearest end.
 */
export function positionToScript(statement: Statement, position: number): number {
  const { sql, start, length } = statement;
  let offset = 0;
  for (let left = position - 1; left > 0 && offset < sql.length; left--) {
    offset += sql.codePointAt(offset)! > 0xffff ? 2 : 1;
  }
  return Math.min(Math.max(offset - start, 0), length);
}

function wholeText(text: string, commits: boolean): Statement {
  return { sql: text, text, start: 0, length: text.length, commits, recurs: false };
}

/** firstWord is the first word in upper case, '' when something else comes first, undefined when nothing comes. */
function firstWord(text: string): string | undefined {
  let i = skipSpace(text, 0);
  while (text.charAt(i) === '(' || text.charAt(i) === ';') i = skipSpace(text, i + 1);
  if (i >= text.length) return undefined;
  const scanner = new SqlScanner(text, i);
  return scanner.next() === WORD ? scanner.value().toUpperCase() : '';
}

/** endOfStatement is where the text ends without a semicolon that only comments and white space follow. */
function endOfStatement(text: string): number {
  if (!text.includes(';')) return text.length;
  const scanner = new SqlScanner(text);
  let last = -1;
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    last = kind === SYMBOL && text.charAt(scanner.start) === ';' ? scanner.start : -1;
  }
  return last === -1 ? text.length : last;
}

/** RecentStatements remembers statements by their text. */
class RecentStatements {
  /** The one that was asked for last: most often the next one too, and compared faster than looked up. */
  #last: Statement | undefined;
  readonly #recent = new Recent<Statement>(REMEMBERED);

  get(text: string): Statement | undefined {
    if (this.#last?.text === text) return this.#last;
    const found = this.#recent.get(text);
    if (found !== undefined) this.#last = found;
    return found;
  }

  set(text: string, statement: Statement): void {
    this.#last = statement;
    this.#recent.set(text, statement);
  }
}
