/**
 * What PostgreSQL said of a statement that failed, in its own fields, and the one way to write it into the log without
 * the values it may quote.
 */
import type { FailureFields } from '../native/pipeline.js';

/** SqlFailure is an error that the database (or the loss of it) caused. */
export interface SqlFailure {
  /** SQLSTATE, five characters. */
  readonly state: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  /** Where in the statement, in characters from 1. */
  readonly position?: number | undefined;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly constraint?: string | undefined;
  /** Whether the message was written by code in the database (RAISE) and not by PostgreSQL. */
  readonly raised?: boolean;
  /** Whether the server ended the connection with it. */
  readonly fatal: boolean;
}

/** connectionFailure is the failure of a statement whose connection could not be had or was lost. */
export function connectionFailure(message: string, state = '08006'): SqlFailure {
  return { state, message, fatal: true };
}

/** failureOf makes a failure of the error fields of a result. */
export function failureOf(fields: FailureFields): SqlFailure {
  if (fields.sqlState === undefined) return connectionFailure(firstLine(fields.message));
  const position = Number(fields.statementPosition ?? 0);
  return {
    state: fields.sqlState,
    message: fields.message,
    detail: fields.detail,
    hint: fields.hint,
    position: position > 0 ? position : undefined,
    schema: fields.schema,
    table: fields.table,
    column: fields.column,
    constraint: fields.constraint,
    raised: LANGUAGES.test(fields.sourceFile ?? ''),
    fatal: fields.severity === 'FATAL' || fields.severity === 'PANIC',
  };
}

/** Source files of the procedural languages that come with PostgreSQL. */
const LANGUAGES = /^pl(?:_|py|perl|tcl)/;

/** maskQuoted replaces what a message quotes, from the first quote to the last, for it may be a value of a request. */
export function maskQuoted(message: string): string {
  const first = message.search(QUOTE);
  if (first < 0) return message;
  let last = message.length - 1;
  while (last > first && !QUOTE.test(message.charAt(last))) last--;
  return `${message.slice(0, first)}…${last > first ? message.slice(last + 1) : ''}`;
}

const QUOTE = /["'«»„“”‘’`]/;

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
