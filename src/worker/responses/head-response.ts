/**
 * What the head of a script makes of its result: the JSON of one row or value instead of a list, and header lines. Throws
 * ServiceError where the result does not have what the head declares.
 */
import { ServiceError } from '../../base/errors.js';
import type { Head } from '../../script/head/head.js';
import { headerLine } from '../../base/headers.js';
import { LONGEST_LINES } from '../../native/response-ring.js';
import type { StatementResult } from '../../postgres/statement/job.js';
import { columnsFault, columnsOf } from '../../script/head-columns.js';
import { writeRows, writeScalar, type JsonOf } from './row-json.js';

type Row = readonly (string | null)[];

/** The text of a column of the first row; null for NULL, or without a row. */
type ColumnText = (column: string) => string | null;

const NO_ROW: ColumnText = () => null;

/** deprecationLine is the header line that all responses of a script have. */
export function deprecationLine({ deprecation }: Head): string {
  return deprecation === undefined ? '' : headerLine('Deprecation', deprecation);
}

/** sendsLines tells whether a response without an error has header lines. */
export function sendsLines({ deprecation, headers }: Head): boolean {
  return deprecation !== undefined || headers.length > 0;
}

export function hasColumns(head: Head): boolean {
  return columnsOf(head).length > 0;
}

/** checkJson throws unless the JSON of a read, in the form of ShapedStatements, has the rows that a head wants. */
export function checkJson({ shape }: Head, json: StatementResult['value']): void {
  if (shape === 'list') return;
  if (json === null) throw new ServiceError('row_not_found');
  if (json === '') throw new ServiceError('more_than_one_row');
}

/** columnTexts gives the columns of the row of a read, which follow its JSON. */
export function columnTexts(head: Head, [, ...texts]: Row): ColumnText {
  const columns = columnsOf(head);
  return (column) => texts[columns.indexOf(column)] ?? null;
}

/**
 * rowCount gives the number of rows of a read, which follows those columns: 0 without a row, and if there are several where
 * one is wanted.
 */
export function rowCount(row: Row | undefined): number {
  return row === undefined || row[0] === '' ? 0 : Number(row.at(-1));
}

/** headerLines are the lines of a response without an error. A header with a column that is NULL is left out. */
export function headerLines(head: Head, textOf: ColumnText = NO_ROW): string {
  let lines = deprecationLine(head);
  for (const { name, texts, columns } of head.headers) {
    const values = columns.map(textOf);
    if (values.includes(null)) continue;
    const value = texts.map((text, i) => text + encodeURIComponent(values[i] ?? '')).join('');
    lines += headerLine(name, value);
    if (lines.length > LONGEST_LINES)
      throw new ServiceError(
        'result_too_large',
        `the header lines of the response are longer than ${LONGEST_LINES} bytes (@header ${name})`,
      );
  }
  return lines;
}

/** The response to a statement that changes something, of which PostgreSQL returned the rows themselves. */
export function changeResponse(
  head: Head,
  result: StatementResult,
  jsonOf: JsonOf,
): { readonly json: string; readonly lines: string } {
  const { columns, rows = [], affected } = result;
  const fault = columnsFault(head, columns);
  if (fault !== undefined) throw fault;
  if (columns === undefined)
    return { json: `{"rows_affected":${affected}}`, lines: headerLines(head) };
  const [row] = rows;
  const textOf: ColumnText = (column) =>
    row?.[columns.findIndex(({ name }) => name === column)] ?? null;
  if (head.shape === 'list') {
    const json = `{"rows_affected":${affected},"rows":${writeRows(columns, rows, jsonOf)}}`;
    return { json, lines: headerLines(head, textOf) };
  }
  const scalar = head.shape === 'scalar';
  if (row === undefined) throw new ServiceError('row_not_found');
  if (rows.length > 1) throw new ServiceError('more_than_one_row');
  const json = scalar
    ? writeScalar(columns[0]!, row[0] ?? null, jsonOf)
    : writeRows(columns, rows, jsonOf).slice(1, -1);
  return { json, lines: headerLines(head, textOf) };
}
