/**
 * From the arguments of a select to what is to be selected: names become columns of the table, values become texts.
 * Throws Refusal for anything else. A column that the caller may not read is one that there is not.
 */
import { arrayLiteral } from '../pg/array-literal.js';
import {
  argument,
  checkLength,
  checkNames,
  integerOf,
  namesOf,
  textOf,
} from './checked-arguments.js';
import { cut, listed, Refusal, shown } from './refusal.js';
import type { Column, Table } from './table.js';
import type { Arguments } from './tool.js';

/** A condition on one column. */
export interface Filter {
  readonly column: Column;
  readonly operator: '=' | '= ANY' | 'IS NULL';
  /** What is bound; undefined with IS NULL. */
  readonly value: string | undefined;
  /** The values in it, as they were sent. */
  readonly sent: readonly string[];
}

/** Selection is what is to be selected from a table. */
export interface Selection {
  /** In this order; those of the table itself when it is all of them. */
  readonly columns: readonly Column[];
  readonly filters: readonly Filter[];
  readonly order: readonly { readonly column: Column; readonly descends: boolean }[];
  readonly limit: number;
  readonly offset: number;
}

/** Which table is meant, and what of it; a tool of a single table has no use for the first three. */
export const TABLE_ARGUMENTS = ['database', 'schema', 'table'] as const;
const ROW_ARGUMENTS = ['columns', 'filters', 'order_by', 'limit', 'offset'] as const;
const SELECT_ARGUMENTS = [...TABLE_ARGUMENTS, ...ROW_ARGUMENTS];

/** Most rows of one call. */
export const MAX_ROWS = 100;

/** Most values of one list, and most columns that are named. */
const MAX_VALUES = 1_000;
const MAX_NAMES = 2_000;

/** selectionOf reads the arguments of a select from a table. */
export function selectionOf(args: Arguments, table: Table): Selection {
  const offset = integerOf(args, 'offset', 0, 0);
  if (offset > Number.MAX_SAFE_INTEGER)
    throw new Refusal(`offset must be ${Number.MAX_SAFE_INTEGER} at most.`);
  const limit = integerOf(args, 'limit', 1, MAX_ROWS, ` (more than ${MAX_ROWS} is ${MAX_ROWS})`);
  return {
    columns: columnsOf(args, table),
    filters: filtersOf(args, table),
    order: orderOf(args, table),
    limit: Math.min(limit, MAX_ROWS),
    offset,
  };
}

/** checkSelect refuses arguments that no select has. */
export function checkSelect(args: Arguments): void {
  checkNames(args, SELECT_ARGUMENTS);
}

/** checkTableSelect does so for the tool of a single table, which passes over what its name says already. */
export function checkTableSelect(args: Arguments): void {
  checkNames(args, SELECT_ARGUMENTS, ROW_ARGUMENTS);
}

function columnsOf(args: Arguments, table: Table): readonly Column[] {
  const names = namesOf(args, 'columns', MAX_NAMES);
  if (names.length === 0) return table.columns;
  return names.map((name) => columnOf(table, name, 'columns'));
}

/** A column that comes a second time decides nothing any more. */
function orderOf(args: Arguments, table: Table): Selection['order'] {
  const order = new Map<Column, boolean>();
  const single = typeof argument(args, 'order_by') === 'string';
  const names = single ? [textOf(args, 'order_by')!] : namesOf(args, 'order_by', MAX_NAMES);
  for (const name of names) {
    // A name may begin with a minus sign itself.
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
    throw new Refusal(
      `filters must be an object of column names and values, as {"${cut(table.columns[0]!.name)}": …}, not ${shown(filters)}.`,
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
  checkLength(`filters.${cut(column.name)}`, value, MAX_VALUES);
  const isArray = column.kind === 'array';
  if (value.length === 0 && !isArray)
    throw new Refusal(
      `filter array cannot be empty: ${cut(column.name)}. Give at least one value, or leave the filter out.`,
    );
  const sent = value.map((one: unknown) => valueOf(column, one));
  // The value of a column of arrays is a list itself.
  if (isArray) return { column, operator: '=', value: arrayLiteral(sent), sent };
  if (sent.length === 1) return { column, operator: '=', value: sent[0], sent };
  return { column, operator: '= ANY', value: arrayLiteral(sent), sent };
}

/** A value as PostgreSQL reads it for whatever type the column has. */
function valueOf(column: Column, value: unknown): string {
  const where = `filters.${cut(column.name)}`;
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      if (!isExact(column, value))
        throw new Refusal(`${where}: this number is not exact any more. Send it as a string.`);
      return String(value);
    case 'string':
      if (value.includes('\0') || !value.isWellFormed())
        throw new Refusal(`${where} holds a character that no text in the database can have.`);
      return value;
    default:
      throw new Refusal(
        `${where} must be a string, a number, true or false, a list of these, or null alone, not ${Array.isArray(value) ? 'a list in a list' : shown(value)}.`,
      );
  }
}

/** Whether a number is still the one that was sent, after it was read as a floating-point one. */
function isExact({ type }: Column, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (type === 'double precision' || type === 'real') return true;
  return Number.isSafeInteger(value) || !Number.isInteger(value);
}

function columnOf(table: Table, name: string, where: string): Column {
  const column = table.byName.get(name);
  if (column !== undefined) return column;
  const names = listed(table.columns.map((one) => one.name));
  throw new Refusal(`unknown column: ${cut(name)} (in ${where}). The columns are: ${names}.`, {
    uncertain: true,
  });
}
