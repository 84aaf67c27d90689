/**
 * Converts the arguments of a select to a Selection: names become columns of the table, values become text. Throws
 * ArgumentError for anything else. A column that the caller may not read is reported as unknown.
 */
import { flagArgument, integerArgument } from '../arguments/checked-arguments.js';
import { ArgumentError } from '../arguments/argument-error.js';
import type { Order } from './conditions.js';
import { filtersOf, type Filter } from './filters.js';
import { columnsOf, includeOf, MAX_NAMES, type Include } from './include-argument.js';
import { orderOf } from './order-argument.js';
import type { Column, Table, TableKeys } from '../tables/table.js';
import type { Arguments } from '../arguments/tool.js';

/** Selection describes the rows to select from a table. */
export interface Selection {
  /** In this order; the array of the table itself for all columns. */
  readonly columns: readonly Column[];
  readonly filters: readonly Filter[];
  readonly order: readonly Order[];
  readonly limit: number;
  readonly offset: number;
  /** Whether all rows that the filters allow are counted. */
  readonly total: boolean;
  readonly include: readonly Include[];
}

/** Arguments that name the table, which the tool of a single table ignores; arguments that select rows. */
export const TABLE_ARGUMENTS = ['database', 'schema', 'table'] as const;
export const ROW_ARGUMENTS = [
  'columns',
  'filters',
  'order_by',
  'limit',
  'offset',
  'total',
  'include',
] as const;
export const SELECT_ARGUMENTS = [...TABLE_ARGUMENTS, ...ROW_ARGUMENTS];

export const MAX_ROWS = 100;

/** selectionOf reads the arguments; `keys` gives the foreign keys that the caller may follow. */
export function selectionOf(args: Arguments, table: Table, keys: () => TableKeys): Selection {
  const page = pageOf(args);
  const columns = columnsOf(args, table, 'columns');
  return {
    columns,
    filters: filtersOf(args, 'filters', table),
    order: orderOf(args, table, MAX_NAMES),
    ...page,
    total: flagArgument(args, 'total'),
    include: includeOf(args, keys, columns),
  };
}

/** pageOf reads `limit` and `offset`. */
export function pageOf(args: Arguments): Pick<Selection, 'limit' | 'offset'> {
  const offset = integerArgument(args, 'offset', 0, 0);
  if (offset > Number.MAX_SAFE_INTEGER)
    throw new ArgumentError(`offset must be ${Number.MAX_SAFE_INTEGER} at most.`);
  const note = ` (more than ${MAX_ROWS} is ${MAX_ROWS})`;
  const limit = integerArgument(args, 'limit', 1, MAX_ROWS, note);
  return { limit: Math.min(limit, MAX_ROWS), offset };
}
