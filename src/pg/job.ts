/**
 * What the query runner asks of a database and what it gets back: a job is one statement with its values, and ends in
 * exactly one call of `done` or `failed`. Types only, apart from the cost record of a script.
 */
import type { ServiceError } from '../errors.js';
import type { LargeValue } from '../native/pipeline.js';
import type { Identity } from './identity.js';
import type { ScriptCost } from './script-cost.js';
import type { SqlFailure } from './sql-failure.js';

/** Statement is one SQL text; the same object is reused for the same text, so that identity can key caches. */
export interface Statement {
  /** What PostgreSQL gets. */
  readonly sql: string;
  /** Whether the same text came before, so that it is worth to be prepared. */
  readonly recurs: boolean;
}

/** How a job's result is read. */
export type ResultForm =
  /** One row with one column: its text, or null. No row at all means that the database found it larger than allowed. */
  | 'value'
  /** Rows affected, and the rows when the statement returns any. */
  | 'rows';

/** A column of a returned row. */
export interface Column {
  readonly name: string;
  /** OID of its type. */
  readonly type: number;
}

/** What a statement gave. */
export interface StatementResult {
  /** For form `value`. */
  readonly value: string | LargeValue | null;
  /** The command tag of a statement that returns no single value. */
  readonly tag: string;
  /** For form `rows`: rows inserted, updated, deleted or returned. */
  readonly affected: number;
  /** Undefined when the statement returns no rows. */
  readonly columns: readonly Column[] | undefined;
  readonly rows: readonly (readonly (string | null)[])[] | undefined;
}

/** Job is one statement on its way through a database. */
export interface Job {
  readonly statement: Statement;
  readonly values: readonly (string | null)[];
  readonly form: ResultForm;
  /** What is set before it, in its transaction: wherever it runs and however often. Undefined: nothing. */
  readonly identity: Identity | undefined;
  /** Whether it runs in a transaction of its own that can only read, and is rolled back. */
  readonly readOnly?: boolean;
  /** What PostgreSQL only parses, before it and in its transaction: a failure of that is the job's. */
  readonly parsed?: string | undefined;
  /** Whether it only reads, so that it may be run again when a connection is lost before it began. */
  readonly repeatable: boolean;
  /** Measured cost of the script it came from; decides its lane. Undefined for what is known to be fast. */
  readonly cost: ScriptCost | undefined;
  /** Kept by the database: how often it was sent before. */
  attempts: number;
  /** Kept by the database: when it came, in milliseconds of the monotonic clock. */
  since: number;
  /** Set when nobody waits for it any more. */
  abandoned: boolean;
  done(result: StatementResult): void;
  failed(failure: SqlFailure | ServiceError): void;
}
