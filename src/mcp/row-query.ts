/**
 * What tools read of a table, from arguments to a statement: rows, or groups of rows. Throws ArgumentError for arguments that
 * do not fit the table.
 */
import { aggregateJson, aggregateText } from './aggregate-statement.js';
import { aggregationOf } from './aggregate-arguments.js';
import type { CountedRows } from './counted-rows.js';
import type { Filter } from './filters.js';
import { selectionOf } from './select-arguments.js';
import { selectJson, selectText, type SelectText } from './select-statement.js';
import type { Column, Table, VisibleTables } from './table.js';
import type { Arguments } from './tool.js';

export interface RowQuery {
  readonly text: SelectText;
  /** The columns whose types the parameters of the statement have. */
  readonly typed: readonly Column[];
  readonly filters: readonly Filter[];
  /** The columns that PostgreSQL compares, and the arguments that name them. */
  readonly compared: readonly Column[];
  readonly places: string;
  /** Most rows of the result. */
  readonly limit: number;
  json(counted: CountedRows): string;
}

/** QueryKind makes the query of a tool; results have at most `maxResult` bytes. */
export type QueryKind = (
  args: Arguments,
  table: Table,
  tables: VisibleTables,
  maxResult: number,
) => RowQuery;

export const selectQuery: QueryKind = (args, table, tables, maxResult) => {
  const selection = selectionOf(args, table, () => tables.keysOf(table));
  const lists = selection.include.flatMap(({ list }) => list ?? []);
  const filters = [selection, ...lists].flatMap((one) => one.filters);
  const order = [selection, ...lists].flatMap((one) => one.order);
  return {
    text: selectText(table, selection),
    typed: filters.map(({ column }) => column),
    filters,
    compared: [...filters, ...order].map(({ column }) => column),
    places: 'filters and order_by',
    limit: selection.limit,
    json: (counted) => selectJson(table, selection, counted, maxResult),
  };
};

export const aggregateQuery: QueryKind = (args, table, _tables, maxResult) => {
  const aggregation = aggregationOf(args, table);
  const { groups, aggregates, having } = aggregation;
  const filters = [...aggregation.filters, ...having];
  const used = [...groups, ...aggregates, ...filters].flatMap(({ column }) => column ?? []);
  return {
    text: aggregateText(table, aggregation),
    typed: filters.map(({ column }) => column),
    filters,
    compared: used,
    places: 'group_by, aggregates, filters and order_by',
    limit: aggregation.limit,
    json: (counted) => aggregateJson(table, aggregation, counted, maxResult),
  };
};
