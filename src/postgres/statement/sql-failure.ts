/** The failure of a statement in the fields of PostgreSQL's error message, its meaning, and its text for the log. */
import { isRaised } from '../../base/errors.js';
import type { FailureFields } from '../../native/pipeline.js';

/** SqlFailure is an error of PostgreSQL or of the connection to it. */
export interface SqlFailure {
  /** SQLSTATE, five characters. */
  readonly state: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  /** Position in the statement, in characters from 1. */
  readonly position?: number | undefined;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly constraint?: string | undefined;
  /** Whether code in the database wrote the message (RAISE), not PostgreSQL. */
  readonly raised?: boolean;
  /** The function of PostgreSQL's source that reported it. */
  readonly routine?: string | undefined;
  /** Whether it occurred inside a function, or in a statement that one ran. */
  readonly inside?: boolean;
  /** The bound value, counted from 1, that is invalid for its type, where PostgreSQL names it. */
  readonly parameter?: number | undefined;
  /** Whether the server ended the connection with it. */
  readonly fatal: boolean;
  /** Of a job with several statements, the index of the one that failed; their number when the commit failed. */
  readonly part?: number;
}

/** SQLSTATE transaction_resolution_unknown: the connection was lost, and the statement may have taken effect. */
export const RESOLUTION_UNKNOWN = '08007';

/** SQLSTATEs for an administrator: connections, a read-only database, resources, shutdowns, files, internal errors. */
const SERVER_FAULT = /^(?:08|25006|53|57P|58|F0|XX)/;

/**
 * failureLevel is the log level of a failed statement, over HTTP, MCP and the registry alike. `info`: a script raised the
 * error on purpose. `error`: the service or the database needs an administrator. `warn`: the cause is a value of the
 * caller, the script or a function it calls, or a write in a READ ONLY transaction (`readOnly`).
 */
export function failureLevel(
  { state, raised }: Pick<SqlFailure, 'state' | 'raised'>,
  readOnly = false,
): 'info' | 'warn' | 'error' {
  if (isRaised(state)) return 'info';
  const scripts = raised === true || state === '08P01' || (readOnly && state === '25006');
  return SERVER_FAULT.test(state) && !scripts ? 'error' : 'warn';
}

/** connectionFailure is the failure of a statement whose connection could not be made or was lost. */
export function connectionFailure(message: string, state = '08006'): SqlFailure {
  return { state, message, fatal: true };
}

/** failureOf reads the error fields of a result. */
export function failureOf(fields: FailureFields): SqlFailure {
  if (fields.sqlState === undefined) return connectionFailure(firstLine(fields.message));
  // PgBouncer reports 08P01 for temporary failures; PostgreSQL, when the bound values do not match the statement.
  if (fields.sqlState === '08P01' && fields.routine === undefined)
    return { ...connectionFailure(firstLine(fields.message)), fatal: isFatal(fields) };
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
    routine: fields.routine,
    inside: fields.context === true,
    parameter: fields.parameter,
    fatal: isFatal(fields),
  };
}

function isFatal({ severity }: FailureFields): boolean {
  return severity === 'FATAL' || severity === 'PANIC';
}

/**
 * isStale tells whether a failure means that a statement prepared under `name` is gone or must be prepared again, so that
 * nothing ran. Functions can raise the same SQLSTATEs, or run statements that do: those have a context or another routine.
 */
export function isStale({ state, routine, inside, message }: SqlFailure, name: string): boolean {
  if (inside === true) return false;
  if (state === '26000') return routine === 'FetchPreparedStatement' && message.includes(name);
  return state === '0A000' && routine === 'RevalidateCachedQuery';
}

/**
 * isUnnamedGone tells whether the statement that a segment has just parsed was unknown to its Describe. A pooler that gives a
 * server to another client between the two does that (PgBouncer before 1.21, where a segment is split between two reads).
 */
export function isUnnamedGone({ state, routine }: SqlFailure): boolean {
  return state === '26000' && routine === 'exec_describe_statement_message';
}

/** mayBeStale tells whether a failure has an SQLSTATE as for isStale, and was not raised inside a function. */
export function mayBeStale({ state, inside }: SqlFailure): boolean {
  return (state === '26000' || state === '0A000') && inside !== true;
}

/** isInAborted tells whether a failure means that the transaction was already aborted, so that nothing ran. */
export function isInAborted({ state, routine, inside }: SqlFailure): boolean {
  return state === '25P02' && inside !== true && EXECUTES.test(routine ?? '');
}

/** PostgreSQL's functions for messages of the extended protocol. */
const EXECUTES = /^exec_(?:parse|bind|execute|describe)_/;

/**
 * endsBackend tells whether PostgreSQL reported the end of the session: the transaction was rolled back, and no later
 * statement has begun. A pooler's own messages, which name no routine, prove neither.
 */
export function endsBackend({ fatal, routine }: SqlFailure): boolean {
  return fatal && routine === 'ProcessInterrupts';
}

/** isReadOnlyServer tells whether a statement failed because it writes, and its server or transaction is read-only. */
export function isReadOnlyServer({ state }: SqlFailure): boolean {
  return state === '25006';
}

/**
 * needsPrimary tells whether a failure on a replica may be none on the primary: the statement writes, or it reads what only
 * a primary has, such as an unlogged table.
 */
export function needsPrimary(failure: SqlFailure): boolean {
  return isReadOnlyServer(failure) || failure.state === '0A000' || failure.state === '55000';
}

/** isUnsent tells whether no connection could be made, so that nothing was sent. */
export function isUnsent({ state, fatal, routine }: SqlFailure): boolean {
  return state === '08001' && fatal && routine === undefined;
}

/**
 * lacksFeature tells whether a statement was refused because the server does not know what it uses: another engine than
 * PostgreSQL, or a view in the place of a table.
 */
export function lacksFeature({ state }: { readonly state: string }): boolean {
  return LACKING.has(state);
}

/** SQLSTATEs feature_not_supported, syntax_error, undefined_column, undefined_function, undefined_object. */
const LACKING: ReadonlySet<string> = new Set(['0A000', '42601', '42703', '42883', '42704']);

/** isConflict tells whether a replica cancelled a statement because it has to replay a change. */
export function isConflict({ state }: SqlFailure): boolean {
  return state === '40001' || state === '40P01';
}

/** Source files of the procedural languages that come with PostgreSQL. */
const LANGUAGES = /^pl(?:_|py|perl|tcl)/;

/** maskQuoted masks a message from the first quote to the last: quoted text may be a value of a request. */
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
