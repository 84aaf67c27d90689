/**
 * Statements and their results on one libpq connection in pipeline mode (native/pipeline.cc), with one call where libpq's
 * API needs a dozen. It neither owns the connection nor keeps the thread alive, and never blocks.
 */
import { addon } from './addon.js';

/** A large text from PostgreSQL, still in libpq's buffer. */
export interface LargeValue {
  /** Bytes, never 0. */
  readonly length: number;
  /** text decodes the value. Throws when it was posted to another thread (mailbox.ts). */
  text(): string;
}

/** The fields of PostgreSQL's error message; only `message` is always present. */
export interface FailureFields {
  /** ERROR, FATAL or PANIC; never translated. */
  readonly severity?: string;
  readonly sqlState?: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly statementPosition?: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly sourceFile?: string;
  /** The function of PostgreSQL's source that reported it; absent in errors of a connection pooler. */
  readonly routine?: string;
  /** The error has a CONTEXT: it was raised inside a function, or in a statement run by one. */
  readonly context?: true;
  /** The bound value, counted from 1, that the CONTEXT names: PostgreSQL could not read it as its type. */
  readonly parameter?: number;
}

/** DescribedColumn is a column of a statement's result. */
export interface DescribedColumn {
  readonly name: string;
  /** OID of its type; of a domain, the OID of the type below it. */
  readonly type: number;
  /** The type's modifier; -1 for none. */
  readonly modifier: number;
  /** OID of the table of which it is a column, 0 for other expressions. */
  readonly table: number;
  /** Its number in that table, from 1, negative for a system column; 0 without a table. */
  readonly attribute: number;
}

/** Description is what PostgreSQL knows of a statement without running it. */
export interface Description {
  /** OIDs of the types of its parameters. libpq before version 17 gives up the connection when there are more than 7,498. */
  readonly parameters: readonly number[];
  /** Empty when it returns no rows. */
  readonly columns: readonly DescribedColumn[];
}

/** The outcome of a segment that is more than a single value or a command tag. */
export interface Detail {
  /** The command tag; empty for an empty statement. */
  readonly tag?: string;
  /** For ROWS: the command tags of preceding statements that were to be reported, apart from those that count rows. */
  readonly tags?: readonly string[];
  readonly columns?: readonly { readonly name: string; readonly type: number }[];
  readonly rows?: readonly (readonly (string | null)[])[];
  /** Bytes of all cells of the rows. */
  readonly bytes?: number;
  /** For a statement that was described. */
  readonly description?: Description;
  readonly failure?: FailureFields;
  /** The failure was before the statement itself: the number of missing results before the statement's. */
  readonly before?: number;
  /** The result has more bytes than the pipeline's limit, or a single value was expected and it is not one row. */
  readonly tooLarge?: true;
  /** The statement was a COPY, which ends the pipeline. */
  readonly copy?: true;
  /** A transaction is open after the last segment. */
  readonly transaction?: true;
  /** The connection is lost. The last outcome; its segment did not end. */
  readonly lost?: true;
  /**
   * With `failure`: the statement had run, and the segment failed at its end, when it was committed. With `lost`: the first
   * statement without an outcome had run, although its segment did not end.
   */
  readonly ran?: true;
}

/**
 * A single value, an SQL NULL (null), a command tag, or details. A single value that was sent as BODY may be a number: its
 * place in the thread's response ring (response-ring.ts).
 */
export type PipelineResult = string | number | null | LargeValue | Detail;

/** What becomes of a result: its rows, its single value, or its single value as the body of a response. */
export const ROWS = 0;
export const VALUE = 1;
export const BODY = 2;

/** A value of a statement: text, or the bytes of a bytea, which are sent as they are. */
export type BoundValue = string | Uint8Array | null;

/** The pipeline of one connection. Every method but close throws once it is closed. Texts are cut at a NUL. */
export interface Pipeline {
  /** prepare sends a Parse in the segment of the next statement. False when the connection is lost. */
  prepare(name: string, sql: string): boolean;
  /**
   * precede sends a statement in the segment of the next one. Its result is dropped; `reports` adds its command tag to
   * the outcome. False as above.
   */
  precede(name: string, sql: string, values: readonly BoundValue[], reports?: boolean): boolean;
  /**
   * readOnly puts the next statement, and those that precede it in its segment, into a read-only transaction, which is
   * rolled back after the statement, but stays open after an error. False as above.
   */
  readOnly(): boolean;
  /**
   * send completes a segment: the statement (prepared under that name, or `sql` when it is '') and its sync. `form` is
   * ROWS, VALUE or BODY. False when the connection is lost, or a part of the segment could not be sent: nothing more
   * is sent then.
   */
  send(name: string, sql: string, values: readonly BoundValue[], form: number): boolean;
  /**
   * describe completes a segment as send does, with a statement that is prepared under that name and does not run: the
   * outcome is its description. False as above.
   */
  describe(name: string): boolean;
  /** flush writes to the socket: 0 everything is sent, 1 the socket is full, -1 the connection is lost. */
  flush(): number;
  /**
   * receive returns the outcomes of the segments that are complete, in the order sent. `rows` gets for each of them the
   * number of rows in the JSON of its single value: the elements of an array, 1 of other texts, 0 without one.
   */
  receive(rows?: number[]): PipelineResult[];
  /** close detaches the connection, which stays open. */
  close(): void;
}

/**
 * Pipeline takes the descriptor of a connection that libpq's addon opened on this thread, in pipeline mode. Results of more
 * than `limit` bytes are `tooLarge`. Throws when there is no such connection, or it has a pipeline already.
 */
export const Pipeline: new (fd: number, limit: number) => Pipeline = addon.Pipeline;
