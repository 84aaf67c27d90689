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
import type { Column, Table, VisibleTables } from '../tables/table.js';
import type { Arguments } from '../arguments/tool.js';

export interface RowQuery {
  readonly text: SelectText;
  /** Those whose values are parameters of the statement, which have the types of the columns. */
  readonly filters: readonly Filter[];
  /** The columns that PostgreSQL compares, and the arguments that name them. */
  compared(): readonly Column[];
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
  const filters = [...selection.filters, ...lists.flatMap((one) => one.filters)];
  return {
    text: selectText(table, selection),
    filters,
    compared: () =>
      [...filters, ...[selection, ...lists].flatMap((one) => one.order)].map(
        ({ column }) => column,
      ),
    places: 'filters and order_by',
    limit: selection.limit,
    json: (counted) => selectJson(table, selection, counted, maxResult),
  };
};

export const aggregateQuery: QueryKind = (args, table, tables, maxResult) => {
  const aggregation = aggregationOf(args, table, (one) => tables.keysOf(one));
  const { groups, aggregates, having } = aggregation;
  const filters = [...aggregation.filters, ...having];
  return {
    text: aggregateText(table, aggregation),
    filters,
    compared: () => [...groups, ...aggregates, ...filters].flatMap(({ column }) => column ?? []),
    places: 'group_by, aggregates, filters and order_by',
    limit: aggregation.limit,
    json: (counted) => aggregateJson(table, aggregation, counted, maxResult),
  };
};
