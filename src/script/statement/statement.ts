/**
 * Builds the statement of a rendered script: a read is wrapped so that PostgreSQL makes the JSON, other texts are sent
 * unchanged, and split if they hold several statements. Refuses empty texts, and statements by the rules of
 * statement-rules.ts and transaction-rules.ts. Statements are cached by rendered text, because a script that binds its values
 * renders the same text each time.
 */
import { ServiceError } from '../../base/errors.js';
import { lineOf } from '../../base/position.js';
import { recent, type RecentBounds } from '../../base/recent.js';
import { END, SqlScanner, skipSpace, SYMBOL, WORD } from '../../template/sql-scanner.js';
import { originalOffset, renumber, type Renumbered } from './placeholders.js';
import { scriptNotUsable } from '../script-error.js';
import { checkStatement } from './statement-rules.js';
import { statementRanges, type StatementRange } from './statement-split.js';
import { COMMITTING, commitsAlone } from './transaction-rules.js';
import type { Verb } from '../verb.js';

export interface ScriptStatement {
  readonly sql: string;
  readonly text: string;
  /** Start and length of the script's text in `sql` (UTF-16 units). */
  readonly start: number;
  readonly length: number;
  /** Whether it may end its transaction, and with it the settings that are local to the transaction. */
  readonly commits: boolean;
  /** Whether the text was built before. */
  recurs: boolean;
  /** All statements of a text that has several, of which only these are sent. Undefined for one statement. */
  readonly parts: StatementParts | undefined;
}

/** The statements of a text that has several, in order. */
export interface StatementParts {
  readonly list: readonly StatementPart[];
  /** How many values they use together; -1 when their placeholders have gaps. */
  readonly values: number;
}

export interface StatementPart extends Renumbered {
  readonly statement: ScriptStatement;
  /** Its number in the script, from 1; 0 for one that the service adds. */
  readonly number: number;
  /** Where it begins in the rendered text, and its first token (UTF-16 units). */
  readonly start: number;
  readonly at: number;
}

/** Finds the place in a script of an offset in the text it rendered. */
interface Located {
  locate(offset: number): { readonly line: number };
}

/** Most statements of a script. */
const MOST_STATEMENTS = 1_000;

/** The statements of a text without a semicolon. */
const NOT_SPLIT: readonly StatementRange[] = [];

const REMEMBERED: RecentBounds = { entries: 1_000, characters: 2_000_000 };

/** The SQL before and after the text of a read, which has lines of its own. */
export interface ReadFrame {
  readonly head: string;
  readonly tail: string;
}

/** The function that makes the JSON of all rows; its scalar counterpart makes the JSON of one. */
export type JsonAggregate = 'json_agg' | 'jsonb_agg';

/**
 * fits is the condition that a value has at most `maxResult` bytes, or is NULL. Like all SQL around the text of a script, it
 * names functions and operators with their schema: with the search path of scripts, other users' would be found.
 */
export function fits(value: string, maxResult: number): string {
  return `(pg_catalog.pg_column_size(${value}) OPERATOR(pg_catalog.<=) ${maxResult}) IS NOT FALSE`;
}

/**
 * jsonFrame makes one JSON value of all rows; of `s.*`, because `s` alone could be a column. The statement returns no row
 * when the value is larger than `maxResult` bytes, so that it never leaves the database.
 */
export function jsonFrame(aggregate: JsonAggregate, maxResult: number): ReadFrame {
  return {
    head: `SELECT pg_catalog.${aggregate}(s.*) FROM (\n`,
    tail: `\n) s HAVING ${fits(`pg_catalog.${aggregate}(s.*)`, maxResult)}`,
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
   * `script_not_usable` when the text has no statement, `statement_not_allowed` when the rules refuse it; `source` gives
   * the line of one of several statements.
   */
  build(verb: Verb, text: string, path: string, source?: Located): ScriptStatement {
    const recent = verb === 'read' ? this.#reads : this.#others;
    let statement = recent.get(text);
    if (statement === undefined) {
      if (text.includes('\0')) throw scriptNotUsable(path, 'the text rendered holds a NUL'); // it would be truncated there
      const first = firstWord(text);
      if (first === undefined) throw scriptNotUsable(path, 'the text rendered holds no statement');
      const ranges = text.includes(';') ? statementRanges(text) : NOT_SPLIT;
      if (ranges.length < 2) {
        checkStatement(text, first);
        if (verb === 'read') statement = this.wrapRead(text, ranges);
        else statement = wholeText(text, COMMITTING.has(first));
      } else {
        const lines = source ?? { locate: (offset) => ({ line: lineOf(text, offset) }) };
        if (verb === 'read') throw notOne(ranges, lines);
        statement = { ...wholeText(text, false), parts: this.#parts(text, ranges, lines) };
      }
      recent.set(text, statement);
    } else if (!statement.recurs) {
      statement.recurs = true;
      for (const part of statement.parts?.list ?? []) part.statement.recurs = true;
    }
    return statement;
  }

  /** wrapRead makes the statement of a read. Its text has lines of its own, so that a comment at its end stays in it. */
  wrapRead(text: string, ranges: readonly StatementRange[] = NOT_SPLIT): ScriptStatement {
    const script = text.slice(0, endOfStatement(text, ranges));
    const { head, tail } = this.#frame;
    const sql = head + script + tail;
    return { ...wholeText(text, false), sql, start: head.length, length: script.length };
  }

  #parts(text: string, ranges: readonly StatementRange[], source: Located): StatementParts {
    if (ranges.length > MOST_STATEMENTS)
      throw notAllowed(`a script has at most ${MOST_STATEMENTS} statements`);
    const list: StatementPart[] = [];
    ranges.forEach(({ start, end, at, isFunction }, i) => {
      const one = text.slice(start, end);
      const first = firstWord(one) ?? '';
      checkPart(one, first, () => `statement ${i + 1}, line ${source.locate(at).line}`);
      // In a function, $1 is its argument.
      const renumbered = isFunction ? { sql: one, uses: [] } : renumber(one);
      // PostgreSQL takes it for a transaction block from the second statement on only.
      if (i === 0 && first === 'LOCK') list.push(this.#part({ sql: 'SELECT', uses: [] }, 0, 0, 0));
      list.push(this.#part(renumbered, i + 1, start, at));
    });
    const used = new Set(list.flatMap(({ uses }) => uses));
    return { list, values: Math.max(0, ...used) < used.size || used.size === 0 ? used.size : -1 };
  }

  /** A statement that recurs, in whatever script, is prepared once. */
  #part({ sql, uses }: Renumbered, number: number, start: number, at: number): StatementPart {
    let statement = this.#others.get(sql);
    if (statement === undefined) this.#others.set(sql, (statement = wholeText(sql, false)));
    else statement.recurs = true;
    return { statement, sql, uses, number, start, at };
  }
}

/** checkStatements applies the rules for single statements to each statement of a text. Throws ServiceError. */
export function checkStatements(text: string): void {
  for (const { start, end } of statementRanges(text)) {
    const one = text.slice(start, end);
    checkStatement(one, firstWord(one) ?? '');
  }
}

function checkPart(sql: string, first: string, place: () => string): void {
  try {
    checkStatement(sql, first);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw notAllowed(`${error.message} (${place()})`, `${error.detail ?? ''} (${place()})`);
  }
  const alone = commitsAlone(sql, first);
  if (alone === undefined) return;
  const reason = `${alone.what} ${alone.reason} (${place()})`;
  throw notAllowed(`statement is not allowed beside others: ${reason}`, reason);
}

function notOne([, second]: readonly StatementRange[], source: Located): ServiceError {
  const { line } = source.locate(second!.at);
  return notAllowed(`statement is not allowed in a script that reads: a second one (line ${line})`);
}

function notAllowed(message: string, detail = message): ServiceError {
  return new ServiceError('statement_not_allowed', message, { detail });
}

/**
 * positionToScript maps a position that PostgreSQL reports (characters of the statement, from 1) to an offset in the
 * rendered text (UTF-16 units). A position in the frame gives the nearest end of the text.
 */
export function positionToScript(statement: ScriptStatement, position: number): number {
  const { sql, start, length } = statement;
  return Math.min(Math.max(offsetOf(sql, position) - start, 0), length);
}

/** The offset (UTF-16 units) of a position that PostgreSQL reports. */
function offsetOf(sql: string, position: number): number {
  let offset = 0;
  for (let left = position - 1; left > 0 && offset < sql.length; left--) {
    offset += sql.codePointAt(offset)! > 0xffff ? 2 : 1;
  }
  return offset;
}

/** What PostgreSQL says about a statement. */
interface Said {
  readonly message: string;
  readonly position?: number | undefined;
}

/**
 * withoutFrame gives what PostgreSQL says about a statement without the SQL around the script: an error behind the script's
 * text is one at its end, and a message that repeats the rest of the statement ends with the script's.
 */
export function withoutFrame<S extends Said>(statement: ScriptStatement, said: S): S {
  const { sql, text, start, length } = statement;
  if (start === 0) return said;
  const tail = sql.slice(start + length);
  const { position, message } = said;
  if (position !== undefined && offsetOf(sql, position) >= start + length)
    return { ...said, message: closesFrame(text) ? UNOPENED : INCOMPLETE };
  return message.includes(tail) ? { ...said, message: message.replace(tail, '') } : said;
}

const INCOMPLETE = 'syntax error at the end of the script: its statement is incomplete';
const UNOPENED = 'syntax error in the script: it has a closing parenthesis without an opening one';

/** Whether a text closes a parenthesis that it does not open. */
function closesFrame(text: string): boolean {
  const scanner = new SqlScanner(text);
  let depth = 0;
  for (let kind = scanner.next(); kind !== END && depth >= 0; kind = scanner.next()) {
    if (kind !== SYMBOL) continue;
    const symbol = text.charAt(scanner.start);
    depth += symbol === '(' ? 1 : symbol === ')' ? -1 : 0;
  }
  return depth < 0;
}

/** positionToText maps a position in one of several statements to an offset in the rendered text. */
export function positionToText(part: StatementPart, position: number): number {
  return part.start + originalOffset(part, positionToScript(part.statement, position));
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
  return {
    sql: text,
    text,
    start: 0,
    length: text.length,
    commits,
    recurs: false,
    parts: undefined,
  };
}

/** firstWord gives the first word in upper case, '' when something else comes first, undefined for an empty statement. */
export function firstWord(text: string): string | undefined {
  let i = skipSpace(text, 0);
  while (text.charAt(i) === '(' || text.charAt(i) === ';') i = skipSpace(text, i + 1);
  if (i >= text.length) return undefined;
  const scanner = new SqlScanner(text, i);
  return scanner.next() === WORD ? scanner.value().toUpperCase() : '';
}

/** endOfStatement gives the end of the text without final semicolons and what follows them. */
function endOfStatement(text: string, [one]: readonly StatementRange[]): number {
  const end = one === undefined ? -1 : text.indexOf(';', one.end);
  return end === -1 ? text.length : end;
}

class RecentStatements {
  /** The statement used last: most often the next one too, and a comparison is faster than a lookup. */
  #last: ScriptStatement | undefined;
  readonly #recent = recent<ScriptStatement>(REMEMBERED);

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
