/**
 * Statements and their results on one libpq connection in pipeline mode (native/pipeline.cc), a call for what would be
 * a dozen of libpq's own. It neither owns the connection nor keeps the thread alive, and never blocks.
 */
import { addon } from './addon.js';

/** A large text that PostgreSQL sent, which no string was made of yet. */
export interface LargeValue {
  /** Bytes; 0 never. */
  readonly length: number;
  /** text makes the string. Throws when the value was posted to another thread (see mailbox.ts). */
  text(): string;
}

/** The fields of PostgreSQL's error message that are there, `message` always. */
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
}

/** How a segment ended when it was not with a single value or a plain command tag. */
export interface Detail {
  /** The command tag; empty for an empty statement. */
  readonly tag?: string;
  readonly columns?: readonly { readonly name: string; readonly type: number }[];
  readonly rows?: readonly (readonly (string | null)[])[];
  readonly failure?: FailureFields;
  /** It failed before the statement itself: so many results before that of the statement did not come. */
  readonly before?: number;
  /** The result has more bytes than the pipeline's limit, or no row where there should be one. */
  readonly tooLarge?: true;
  /** The statement wants to copy, which ends the pipeline. */
  readonly copy?: true;
  /** A transaction is still open after the last segment. */
  readonly transaction?: true;
  /** The connection is lost; the last outcome of all, and that of no segment's end. */
  readonly lost?: true;
}

/** A value, an SQL NULL, a command tag, or more than that. */
export type Outcome = string | null | LargeValue | Detail;

/** Pipeline is one connection. Every method but close throws once it is closed. Texts end at a NUL. */
export interface Pipeline {
  /** prepare sends a Parse, in the segment of the statement sent next. False when the connection is lost. */
  prepare(name: string, sql: string): boolean;
  /** precede sends a statement, in the segment of the statement sent next. Its result is dropped. False as above. */
  precede(name: string, sql: string, values: readonly (string | null)[]): boolean;
  /**
   * readOnly puts a transaction that can only read around the statement sent next and what precedes it in its segment. It
   * is rolled back behind the statement, but left open when something fails. False as above.
   */
  readOnly(): boolean;
  /**
   * send writes a segment: a statement (prepared under that name, or `sql` when it is '') and its sync. `one` tells
   * that its result is a single value. False when the connection is lost, or what was to stand before it in its
   * segment could not be sent: from then on nothing more is sent.
   */
  send(name: string, sql: string, values: readonly (string | null)[], one: boolean): boolean;
  /** flush sends what was written: 0 all of it, 1 the socket is full, -1 the connection is lost. */
  flush(): number;
  /** receive reads what has come: the outcomes of the segments that are complete, in the order sent. */
  receive(): Outcome[];
  /** close forgets the connection. */
  close(): void;
}

/**
 * Pipeline takes the connection of a socket, made by libpq's addon on this thread and in pipeline mode. Results of more
 * than `limit` bytes are not read. Throws when there is no such connection, or it has a pipeline already.
 */
export const Pipeline: new (fd: number, limit: number) => Pipeline = addon.Pipeline;
