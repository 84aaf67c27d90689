/**
 * Writes the statement of a select, and the tool's result from the statement's value. Names come from the catalog and
 * are quoted; values are bound. PostgreSQL writes the rows as JSON, which is not parsed here; only numbers that clients would round are changed.
 */
import { identifier, qualifiedName } from '../quote.js';
import { exactNumbers } from './exact-numbers.js';
import type { Filter, Selection } from './select-arguments.js';
import type { Column, Table } from './table.js';

/** A statement, and the values of its placeholders. */
export interface SelectText {
  readonly sql: string;
  readonly values: readonly string[];
}

/** CountedRows is the value of a statement written by countedRows. */
export interface CountedRows {
  /** A JSON array. */
  readonly rows: string;
  readonly count: number;
  /** Whether there are more rows. */
  readonly truncated: boolean;
}

/**
 * countedRows wraps a query in a statement of form `value`. The query must return up to one row more than `wanted`,
 * which is SQL for an integer. The value is the number of rows, followed by a JSON array of the wanted ones; there is
 * no row if that array has more than `maxResult` bytes.
 */
export function countedRows(rows: string, wanted: string, maxResult: number): string {
  // Slicing an array is faster than building another JSON value; OFFSET keeps PostgreSQL from building it twice.
  const json = `'[' || coalesce(pg_catalog.array_to_string((pg_catalog.array_agg(pg_catalog.row_to_json(s.*)))[1:${wanted}], ','), '') || ']'`;
  return `SELECT r.n || r.j FROM (SELECT pg_catalog.count(*)::text AS n, ${json} AS j FROM (\n${rows}\n) s OFFSET 0) r WHERE pg_catalog.octet_length(r.j) <= ${maxResult}`;
}

/** readCounted parses the value of such a statement; `wanted` is the number of wanted rows. */
export function readCounted(value: string, wanted: number): CountedRows {
  const at = value.indexOf('[');
  const found = Number(value.slice(0, at));
  return {
    rows: exactNumbers(value.slice(at)),
    count: Math.min(found, wanted),
    truncated: found > wanted,
  };
}

/** selectText writes the statement of a selection. */
export function selectText(table: Table, selection: Selection, maxResult: number): SelectText {
  const { columns, filters, order, limit, offset } = selection;
  const values: string[] = [];
  const bind = (value: string): string => `$${values.push(value)}`;
  const wanted = `${bind(String(limit))}::int`;
  let sql = `SELECT ${columnsOf(table, columns).sql} FROM ${qualifiedName({ schema: table.schema, table: table.name })} t`;
  if (filters.length > 0)
    sql += ` WHERE ${filters.map((filter) => conditionOf(filter, bind)).join(' AND ')}`;
  if (order.length > 0)
    sql += ` ORDER BY ${order.map(({ column, descends }) => `${columnSql(column)}${descends ? ' DESC' : ''}`).join(', ')}`;
  sql += ` LIMIT ${wanted} + 1`;
  if (offset > 0) sql += ` OFFSET ${bind(String(offset))}::bigint`;
  return { sql: countedRows(sql, wanted, maxResult), values };
}

/** selectJson writes the result of a selection. */
export function selectJson(table: Table, selection: Selection, value: string): string {
  const { limit, offset } = selection;
  const { rows, count, truncated } = readCounted(value, limit);
  const more = truncated ? `,"truncated":true,"next_offset":${offset + count}` : '';
  return `{${tableJson(table)},"columns":${columnsOf(table, selection.columns).json},"rows":${rows},"count":${count}${more}}`;
}

/** tableJson names a table: three members of an object. */
export function tableJson({ alias, schema, name }: Table): string {
  return `"database":${JSON.stringify(alias)},"schema":${JSON.stringify(schema)},"table":${JSON.stringify(name)}`;
}

/** A list of columns, as SQL and as JSON. */
interface ColumnList {
  readonly sql: string;
  readonly json: string;
}

/** The lists of all columns, by table. */
const allColumns = new WeakMap<Table, ColumnList>();

function columnsOf(table: Table, columns: readonly Column[]): ColumnList {
  if (columns !== table.columns) return columnList(columns);
  let all = allColumns.get(table);
  if (all === undefined) allColumns.set(table, (all = columnList(columns)));
  return all;
}

function columnList(columns: readonly Column[]): ColumnList {
  return {
    sql: columns.map(columnSql).join(', '),
    json: JSON.stringify(columns.map(({ name }) => name)),
  };
}

function conditionOf({ column, operator, value }: Filter, bind: (value: string) => string): string {
  const sql = columnSql(column);
  if (value === undefined) return `${sql} IS NULL`;
  return operator === '= ANY' ? `${sql} = ANY (${bind(value)})` : `${sql} = ${bind(value)}`;
}

function columnSql({ name }: Column): string {
  return `t.${identifier(name)}`;
}
