/** Statements of the service itself as promises that reject, for its own tables: users, stored scripts. */
import { ServiceError, statusOfSqlState } from '../../base/errors.js';
import type { TaskFailure } from '../../messages/tasks.js';
import type { Description } from '../../native/pipeline.js';
import type { Engine } from '../../base/engine.js';
import type { Identity } from './identity.js';
import type { InternalOptions, InternalOutcome } from './internal-job.js';
import type { StatementResult } from './job.js';
import { lacksFeature, maskQuoted, type SqlFailure } from './sql-failure.js';
import { oneLine } from '../../base/text.js';

/** Queryable runs statements, as Database does. */
export interface Queryable {
  query(sql: string, values?: (string | null)[]): Promise<InternalOutcome>;
}

/** TimedQueryable runs statements that only read, with a timeout in ms. */
export interface TimedQueryable {
  queryWithin(limit: number, sql: string, values?: (string | null)[]): Promise<InternalOutcome>;
}

export interface DescribeOptions {
  /** The identity whose search path, and privileges on schemas, decide what the names in the statement mean. */
  readonly identity?: Identity | undefined;
  /** Whether it runs on a dedicated connection, so that no other statement waits for the same locks. */
  readonly alone?: boolean;
  /** After this time, ms, it is cancelled and fails with `timeout`. */
  readonly limit?: number | undefined;
  /** After waiting so long for one lock, ms, it fails with SQLSTATE 55P03. */
  readonly lockLimit?: number | undefined;
}

/** ServiceDatabase runs statements of the service itself, see Database. */
export interface ServiceDatabase extends Queryable, TimedQueryable {
  readonly dedicated: Queryable;
  readonly version: number;
  /** engine resolves to what the database is. Rejects with StatementFailure. */
  engine(): Promise<Engine>;
  query(
    sql: string,
    values?: (string | null)[],
    options?: InternalOptions,
  ): Promise<InternalOutcome>;
  queryWithin(
    limit: number,
    sql: string,
    values?: (string | null)[],
    options?: InternalOptions,
  ): Promise<InternalOutcome>;
  describe(
    sql: string,
    options?: DescribeOptions,
  ): Promise<Description | SqlFailure | ServiceError>;
}

/** Rows as PostgreSQL writes them. */
export type Rows = readonly (readonly (string | null)[])[];

/** StatementFailure is the failure of a statement; its message holds no value of the statement. */
export class StatementFailure extends Error implements TaskFailure {
  override readonly name = 'StatementFailure';
  readonly reason: string;
  /** Whether the same statement may succeed later: the status is 503 or above. */
  readonly passing: boolean;
  /** SQLSTATE, or a code of src/base/errors.ts. */
  readonly state: string;
  /** HTTP status, 400-599. */
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
  database: Queryable,
  sql: string,
  values: (string | null)[] = [],
): Promise<StatementResult> {
  const { result, failure } = await database.query(sql, values);
  if (failure !== undefined) throw new StatementFailure(failure);
  return result;
}

/** runKnown runs the first of several statements that the server knows; rejects with StatementFailure. */
export async function runKnown(database: Queryable, statements: readonly string[]): Promise<void> {
  for (const [i, sql] of statements.entries())
    try {
      await runStatement(database, sql);
      return;
    } catch (error) {
      const isLast = i === statements.length - 1;
      if (isLast || !(error instanceof StatementFailure) || !lacksFeature(error)) throw error;
    }
}

/** rowsOf runs a statement and resolves to its rows; rejects with StatementFailure. */
export async function rowsOf(
  database: Queryable,
  sql: string,
  values: (string | null)[] = [],
): Promise<Rows> {
  return (await runStatement(database, sql, values)).rows ?? [];
}

/** The message of a failure without the values it may quote. */
function reasonOf(failure: SqlFailure | ServiceError): string {
  if (failure instanceof ServiceError) return failure.message;
  const { state, message, column, constraint, raised } = failure;
  const names = [state];
  if (column !== undefined) names.push(`column ${column}`);
  if (constraint !== undefined) names.push(`constraint ${constraint}`);
  // libpq's messages about a connection quote hosts and files, not values; a function may write anything.
  const text = raised
    ? 'a function in the database raised an error'
    : state.startsWith('08')
      ? message
      : maskQuoted(message);
  return `${oneLine(text)} (${names.join(', ')})`;
}
