/**
 * Converts the arguments of a select to a Selection: names become columns of the table, values become text. Throws
 * ArgumentError for anything else. A column that the caller may not read is reported as unknown.
 */
import { arrayLiteral } from '../quote.js';
import {
  argument,
  checkLength,
  checkNames,
  integerArgument,
  nameListArgument,
  textArgument,
} from './checked-arguments.js';
import { shorten, listNames, ArgumentError, describeValue } from './argument-error.js';
import type { Column, Table } from './table.js';
import type { Arguments } from './tool.js';

/** A condition on one column. */
export interface Filter {
  readonly column: Column;
  readonly operator: '=' | '= ANY' | 'IS NULL';
  /** The bound value; undefined for IS NULL. */
  readonly value: string | undefined;
  /** The values that were sent, as text. */
  readonly sent: readonly string[];
}

/** Selection describes the rows to select from a table. */
export interface Selection {
  /** In this order; the array of the table itself for all columns. */
  readonly columns: readonly Column[];
  readonly filters: readonly Filter[];
  readonly order: readonly { readonly column: Column; readonly descends: boolean }[];
  readonly limit: number;
  readonly offset: number;
}

/** Arguments that name the table, which the tool of a single table ignores; arguments that select rows. */
export const TABLE_ARGUMENTS = ['database', 'schema', 'table'] as const;
const ROW_ARGUMENTS = ['columns', 'filters', 'order_by', 'limit', 'offset'] as const;
const SELECT_ARGUMENTS = [...TABLE_ARGUMENTS, ...ROW_ARGUMENTS];

/** Maximum of rows in a result. */
export const MAX_ROWS = 100;

/** Maximum of values in a list, and of named columns. */
const MAX_VALUES = 1_000;
const MAX_NAMES = 2_000;

export function selectionOf(args: Arguments, table: Table): Selection {
  const offset = integerArgument(args, 'offset', 0, 0);
  if (offset > Number.MAX_SAFE_INTEGER)
    throw new ArgumentError(`offset must be ${Number.MAX_SAFE_INTEGER} at most.`);
  const limit = integerArgument(
    args,
    'limit',
    1,
    MAX_ROWS,
    ` (more than ${MAX_ROWS} is ${MAX_ROWS})`,
  );
  return {
    columns: columnsOf(args, table),
    filters: filtersOf(args, table),
    order: orderOf(args, table),
    limit: Math.min(limit, MAX_ROWS),
    offset,
  };
}

/** checkSelect rejects arguments that select_table does not have. */
export function checkSelect(args: Arguments): void {
  checkNames(args, SELECT_ARGUMENTS);
}

/**
 * checkTableSelect rejects arguments that the tool of a single table does not have; it ignores those that name a table.
 */
export function checkTableSelect(args: Arguments): void {
  checkNames(args, SELECT_ARGUMENTS, ROW_ARGUMENTS);
}

function columnsOf(args: Arguments, table: Table): readonly Column[] {
  const names = nameListArgument(args, 'columns', MAX_NAMES);
  if (names.length === 0) return table.columns;
  return names.map((name) => columnOf(table, name, 'columns'));
}

/** The order; a repeated column has no effect and is left out. */
function orderOf(args: Arguments, table: Table): Selection['order'] {
  const order = new Map<Column, boolean>();
  const single = typeof argument(args, 'order_by') === 'string';
  const names = single
    ? [textArgument(args, 'order_by')!]
    : nameListArgument(args, 'order_by', MAX_NAMES);
  for (const name of names) {
    // The name of a column may itself begin with a minus sign.
    const descending = name.startsWith('-') ? table.byName.get(name.slice(1)) : undefined;
    const column = descending ?? columnOf(table, name, 'order_by');
    if (!order.has(column)) order.set(column, descending !== undefined);
  }
  return Array.from(order, ([column, descends]) => ({ column, descends }));
}

function filtersOf(args: Arguments, table: Table): readonly Filter[] {
  const filters = argument(args, 'filters');
  if (filters === undefined) return [];
  if (typeof filters !== 'object' || Array.isArray(filters))
    throw new ArgumentError(
      `filters must be an object of column names and values, as {"${shorten(table.columns[0]!.name)}": …}, not ${describeValue(filters)}.`,
    );
  return Object.entries(filters as Arguments).map(([name, value]) =>
    filterOf(columnOf(table, name, 'filters'), value),
  );
}

function filterOf(column: Column, value: unknown): Filter {
  if (value === null) return { column, operator: 'IS NULL', value: undefined, sent: [] };
  if (!Array.isArray(value)) {
    const text = valueOf(column, value);
    return { column, operator: '=', value: text, sent: [text] };
  }
  checkLength(`filters.${shorten(column.name)}`, value, MAX_VALUES);
  const isArray = column.kind === 'array';
  if (value.length === 0 && !isArray)
    throw new ArgumentError(
      `filter array cannot be empty: ${shorten(column.name)}. Give at least one value, or leave the filter out.`,
    );
  const sent = value.map((one: unknown) => valueOf(column, one));
  // The value of an array column is itself a list.
  if (isArray) return { column, operator: '=', value: arrayLiteral(sent), sent };
  if (sent.length === 1) return { column, operator: '=', value: sent[0], sent };
  return { column, operator: '= ANY', value: arrayLiteral(sent), sent };
}

/** A value as text, which PostgreSQL parses as the column's type. */
function valueOf(column: Column, value: unknown): string {
  const where = `filters.${shorten(column.name)}`;
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      if (!isExact(column, value))
        throw new ArgumentError(
          `${where}: this number is not exact any more. Send it as a string.`,
        );
      return String(value);
    case 'string':
      if (value.includes('\0') || !value.isWellFormed())
        throw new ArgumentError(
          `${where} holds a character that no text in the database can have.`,
        );
      return value;
    default:
      throw new ArgumentError(
        `${where} must be a string, a number, true or false, a list of these, or null alone, not ${Array.isArray(value) ? 'a list in a list' : describeValue(value)}.`,
      );
  }
}

/** Whether JSON.parse has kept the exact value of a number, as far as the column's type can hold it. */
function isExact({ type }: Column, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (type === 'double precision' || type === 'real') return true;
  return Number.isSafeInteger(value) || !Number.isInteger(value);
}

function columnOf(table: Table, name: string, where: string): Column {
  const column = table.byName.get(name);
  if (column !== undefined) return column;
  const names = listNames(table.columns.map((one) => one.name));
  throw new ArgumentError(
    `unknown column: ${shorten(name)} (in ${where}). The columns are: ${names}.`,
    {
      uncertain: true,
    },
  );
}
