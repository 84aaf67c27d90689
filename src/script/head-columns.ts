/** The columns that the head of a script needs of its statement, and the errors when the statement does not have them. */
import { ServiceError } from '../base/errors.js';
import type { Head } from './head/head.js';
import { isInFrame, type ScriptStatement } from './statement/statement.js';

/** A statement that PostgreSQL refused. */
interface Failure {
  /** SQLSTATE. */
  readonly state: string;
  readonly message: string;
  /** In characters from 1. */
  readonly position?: number | undefined;
}

/** columnsOf lists the columns that the headers of a head have, each once. */
export function columnsOf({ headers }: Head): readonly string[] {
  if (headers.length === 0) return NONE;
  return [...new Set(headers.flatMap(({ columns }) => columns))];
}

const NONE: readonly string[] = [];

/** columnsFault is the error of a change whose columns are not those that its head needs; undefined columns for none. */
export function columnsFault(
  head: Head,
  columns: readonly { readonly name: string }[] | undefined,
): ServiceError | undefined {
  const needed = columnsOf(head);
  if (columns === undefined)
    return head.shape !== 'list' || needed.length > 0
      ? new ServiceError('no_rows_returned')
      : undefined;
  const missing = needed.find((column) => !columns.some(({ name }) => name === column));
  if (missing !== undefined) return missingColumn(missing);
  return head.shape === 'scalar' && columns.length !== 1
    ? new ServiceError('more_than_one_column')
    : undefined;
}

/** SQLSTATEs of the frame around a read: a column is missing or there twice; the row has several columns. */
const MISSING = '42703';
const AMBIGUOUS = '42702';
const SEVERAL_COLUMNS = '42601';

/** frameFault is the error where the frame of a read failed and not its text: the columns are not those that a head needs. */
export function frameFault(
  head: Head,
  statement: ScriptStatement,
  { state, position, message }: Failure,
): ServiceError | undefined {
  if (position === undefined || !isInFrame(statement, position)) return undefined;
  if (state === SEVERAL_COLUMNS && head.shape === 'scalar' && position <= statement.start)
    return new ServiceError('more_than_one_column');
  if (state !== MISSING && state !== AMBIGUOUS) return undefined;
  const named = columnsOf(head).filter((column) => message.includes(column));
  const column = named.reduce((a, b) => (b.length > a.length ? b : a), '');
  return missingColumn(column, state === AMBIGUOUS);
}

function missingColumn(column: string, twice = false): ServiceError {
  const what = twice ? 'returns the column twice' : 'returns no such column';
  return new ServiceError(
    'missing_column',
    `@header of the script needs the column ${column}, but its statement ${what}`,
  );
}
