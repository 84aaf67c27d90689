/**
 * Jobs: one statement each, or several that are one transaction, which a database runs, and which end in exactly one call of
 * `done` or `failed`.
 */
import type { ServiceError } from '../../base/errors.js';
import type { BoundValue, Description, LargeValue } from '../../native/pipeline.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';
import type { Identity } from './identity.js';
import type { ScriptCost } from './script-cost.js';
import type { SqlFailure } from './sql-failure.js';
import type { WalPosition } from './wal-position.js';

/** Statement is one SQL text. A text that recurs is the same object each time, which is the key of caches. */
export interface Statement {
  readonly sql: string;
  /** Whether the same text was sent before, so that it is worth preparing. */
  readonly recurs: boolean;
  /** Whether it may commit before it ends. Then it is never prepared by name, nor run again. */
  readonly commits?: boolean;
  /** Cached by StatementCache, see weightOf. */
  weight?: number;
}

export type ResultForm =
  /** One row with one column: its text, or null. No row means that PostgreSQL found it larger than allowed. */
  | 'value'
  /** The same, and its text goes into a response: where it is short, into the thread's response ring. */
  | 'body'
  /** Rows affected, and the rows when the statement returns any. */
  | 'rows'
  /** Its parameters and columns: it is only parsed, and never runs. */
  | 'description';

export interface ResultColumn {
  readonly name: string;
  /** OID of its type. */
  readonly type: number;
}

export interface StatementResult {
  /** For forms `value` and `body`. */
  readonly value: string | LargeValue | null;
  /** For form `body`: the place of the value in the thread's response ring; undefined when it is not there. */
  readonly place: number | undefined;
  /** The command tag of a statement that returns no single value. */
  readonly tag: string;
  /** Rows inserted, updated, deleted or returned; for forms `value` and `body`, those in the value as JSON. */
  readonly affected: number;
  /** Undefined when the statement returns no rows. */
  readonly columns: readonly ResultColumn[] | undefined;
  readonly rows: readonly (readonly (string | null)[])[] | undefined;
  /** For form `description`. */
  readonly description?: Description;
}

/** A statement before a job's own, whose result is dropped. */
export interface EarlierStatement {
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
}

/** The server that runs jobs, and the database on it. */
export type RunServer = Pick<DatabaseSettings, 'host' | 'port' | 'database'>;

/** How a job ran. Times are milliseconds of the monotonic clock. */
export interface Run {
  readonly server: RunServer;
  /** When a connection took it. */
  readonly sent: number;
  /** When PostgreSQL could begin with it: the statements before it on that connection had ended. */
  readonly began: number;
  readonly ended: number;
  readonly lane: 'fast' | 'slow';
  /** Rows inserted, updated, deleted or returned, where the result tells. */
  readonly rows: number | undefined;
  /** SQLSTATE, or a code of src/base/errors.ts, when it failed. */
  readonly state: string | undefined;
}

export interface Job {
  /** The last one, whose result is the job's. */
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
  readonly form: ResultForm;
  /** The statements before it in its transaction, if any. None of them commits. */
  readonly before?: readonly EarlierStatement[] | undefined;
  /** Whether its values are large: libpq keeps the memory for as many bytes until the connection is closed. */
  readonly bulky?: boolean | undefined;
  /** Set before it, in its transaction, on whatever connection and however often it runs. */
  readonly identity: Identity | undefined;
  /** Set when it runs in a transaction of its own, which is rolled back: the mode of that. */
  readonly rolledBack?: 'READ ONLY' | 'READ WRITE' | undefined;
  /**
   * Whether it cannot write, because it is `rolledBack` or only reads catalogs: then it may be run again even if it has run
   * already. A script's GET is not such a job: functions that it calls may write.
   */
  readonly cannotWrite: boolean;
  /** Measured cost of its script, which decides its lane. Undefined for a statement known to be fast. */
  readonly cost: ScriptCost | undefined;
  /** Set by the connection: how often it was sent. */
  attempts: number;
  /** Set by the database: when it was queued, in milliseconds of the monotonic clock. */
  since: number;
  /**
   * Set when its outcome is no longer needed: it is dropped unless it was sent, and cancelled if it runs for long and no other
   * job can be hit. To let a short one end costs less than a new connection.
   */
  abandoned: boolean;
  /** What its server must have replayed, of a database with replicas: any, when it is undefined. */
  readonly after?: WalPosition | undefined;
  /** Set before `done`, of a database with replicas: a position at or behind its commit, when it may have written. */
  committedAt?: WalPosition | undefined;
  /** Makes the job that is sent behind it, in a segment of its own, each time that it is sent. */
  readonly followedBy?: (() => Job) | undefined;
  /** Time since it was queued, ms, from which `ran` is called before its outcome, as when it fails. Undefined: never. */
  readonly slowAfter?: number | undefined;
  /** rowsOf returns the number of rows to report for a result; by default `affected` for form `rows`, none for others. */
  rowsOf?(result: StatementResult): number | undefined;
  /** ran is told how it ran, each time that it did. */
  ran?(run: Run): void;
  done(result: StatementResult): void;
  failed(failure: SqlFailure | ServiceError): void;
}
