/** Compares what the service finds in a text with what PostgreSQL's lexer and parser find. */
import { ServiceError } from '#app/base/errors.js';
import { firstWord } from '#app/script/statement/statement.js';
import { checkStatement } from '#app/script/statement/statement-rules.js';
import { statementRanges } from '#app/script/statement/statement-split.js';
import { commitsAlone } from '#app/script/statement/transaction-rules.js';
import { END, QUOTED, SqlScanner, STRING, WORD } from '#app/template/sql-scanner.js';
import {
  leavesState,
  parsedStatements,
  runsAlone,
  scannedTokens,
  type ParsedStatement,
} from './postgres-parser.js';

/** What both say of one question. */
export interface Answers {
  readonly question: string;
  readonly ours: unknown;
  readonly postgres: unknown;
}

/** answersAbout gives the answers to all questions that PostgreSQL can answer about a text: none when it refuses a token. */
export function answersAbout(text: string): Answers[] {
  const scanned = scannedTokens(text);
  if (scanned === undefined) return [];
  const numbers = scanned.filter(({ kind }) => kind === 'number');
  const tokens = scanned.filter(({ kind }) => kind !== 'number');
  // Ours ends a number before its exponent or its letters.
  const isOurs = (at: number): boolean => !numbers.some(({ start, end }) => at > start && at < end);
  const found: Answers[] = [
    { question: 'tokens', ours: ourTokens(text).filter(({ start }) => isOurs(start)), postgres: tokens }, // prettier-ignore
  ];
  const statements = parsedStatements(text);
  if (statements === undefined) return found;
  found.push({
    question: 'statements',
    ours: statementRanges(text).map(({ at, end }) => text.slice(at, end)),
    postgres: statements.map(({ at, end }) => text.slice(at, end)),
  });
  for (const statement of statements) found.push(...answersAboutStatement(text, statement));
  return found;
}

function* answersAboutStatement(text: string, statement: ParsedStatement): Generator<Answers> {
  const sql = text.slice(statement.at, statement.end);
  const first = firstWord(sql) ?? '';
  // The code of a DO statement is a string for the parser of SQL.
  if (statement.type !== 'DoStmt')
    yield { question: `refused: ${sql}`, ours: isRefused(sql, first), postgres: leavesState(statement) }; // prettier-ignore
  const ours = commitsAlone(sql, first) !== undefined;
  yield { question: `alone: ${sql}`, ours, postgres: runsAlone(statement) };
}

function ourTokens(text: string): { start: number; end: number; kind: string }[] {
  const found = [];
  const scanner = new SqlScanner(text);
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    const name = KINDS.get(kind);
    if (name !== undefined) found.push({ start: scanner.start, end: scanner.end, kind: name });
  }
  return found;
}

const KINDS = new Map([
  [WORD, 'word'],
  [QUOTED, 'quoted'],
  [STRING, 'string'],
]);

function isRefused(sql: string, first: string): boolean {
  try {
    checkStatement(sql, first);
    return false;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return true;
  }
}
