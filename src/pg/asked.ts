/**
 * Statements of our own and what becomes of them, for whoever keeps something in a table: users, stored scripts. A
 * failure is told without what it may quote.
 */
import { ServiceError, statusOfSqlState } from '../errors.js';
import type { TaskFailure } from '../protocol.js';
import type { InternalOutcome } from './internal-job.js';
import type { StatementResult } from './job.js';
import { maskQuoted, type SqlFailure } from './sql-failure.js';

/** What is asked: a Database, or its like. */
export interface Asked {
  ask(sql: string, values?: (string | null)[]): Promise<InternalOutcome>;
}

/** What is asked and not waited for for ever. */
export interface AskedInTime {
  askWithin(limit: number, sql: string, values?: (string | null)[]): Promise<InternalOutcome>;
}

/** Rows as PostgreSQL writes them. */
export type Rows = readonly (readonly (string | null)[])[];

/** StatementFailure is a statement that failed; its message holds no value. */
export class StatementFailure extends Error implements TaskFailure {
  override readonly name = 'StatementFailure';
  readonly reason: string;
  readonly passing: boolean;
  /** SQLSTATE, or a code of src/errors.ts. */
  readonly state: string;
  /** HTTP status that it comes to. */
  readonly status: number;

  constructor(failure: SqlFailure | ServiceError) {
    const reason = reasonOf(failure);
    super(reason);
    this.reason = reason;
    this.state = failure instanceof ServiceError ? failure.code : failure.state;
    this.status =
      failure instanceof ServiceError ? failure.status : statusOfSqlState(failure.state);
    this.passing = this.status >= 503;
  }
}

/** runStatement runs a statement; rejects with StatementFailure. */
export async function runStatement(
  database: Asked,
  sql: string,
  values: (string | null)[] = [],
): Promise<StatementResult> {
  const { result, failure } = await database.ask(sql, values);
  if (failure !== undefined) throw new StatementFailure(failure);
  return result;
}

/** rowsOf runs a statement and gives its rows; rejects with StatementFailure. */
export async function rowsOf(
  database: Asked,
  sql: string,
  values: (string | null)[] = [],
): Promise<Rows> {
  return (await runStatement(database, sql, values)).rows ?? [];
}

/** What a failure says, without what it may quote. */
function reasonOf(failure: SqlFailure | ServiceError): string {
  if (failure instanceof ServiceError) return failure.message;
  const { state, message, column, constraint, raised } = failure;
  const names = [
    column === undefined ? [] : `column ${column}`,
    constraint === undefined ? [] : `constraint ${constraint}`,
  ].flat();
  // What libpq says of a connection quotes hosts and files, no values; a function may write anything.
  const said = raised
    ? 'a function in the database raised an error'
    : state.startsWith('08')
      ? message
      : maskQuoted(message);
  return `${said.trim().replaceAll(/\s*\n\s*/g, ' ')} (${[state, ...names].join(', ')})`;
}
