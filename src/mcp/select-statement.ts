/**
 * From a selection to the statement that reads it, and from what that gives to the answer. Names are those of the catalog,
 * quoted, and values are bound. PostgreSQL writes the rows as JSON, and nobody here reads them.
 */
import { identifier, qualifiedName } from '../pg/quote.js';
import type { Filter, Selection } from './select-arguments.js';
import type { Column, Table } from './table.js';

/** A statement, and the values of its placeholders. */
export interface SelectText {
  readonly sql: string;
  readonly values: readonly string[];
}

/** CountedRows are rows as a statement of countedRows gives them. */
export interface CountedRows {
  /** A JSON array. */
  readonly rows: string;
  readonly count: number;
  /** Whether there are more of them. */
  readonly truncated: boolean;
}

/**
 * countedRows makes a statement (form `value`) of one that gives rows, one more than wanted where there are so many. Its
 * value is the number of those, and behind it a JSON array of those wanted. It is no row at all when that array has
 * more than `maxResult` bytes. `wanted` is SQL, an integer.
 */
export function countedRows(rows: string, wanted: string, maxResult: number): string {
  // An array is cut faster than it is made into another JSON; the OFFSET keeps it from being made twice.
  const json = `'[' || coalesce(pg_catalog.array_to_string((pg_catalog.array_agg(pg_catalog.row_to_json(s.*)))[1:${wanted}], ','), '') || ']'`;
  return `SELECT r.n || r.j FROM (SELECT pg_catalog.count(*)::text AS n, ${json} AS j FROM (\n${rows}\n) s OFFSET 0) r WHERE pg_catalog.octet_length(r.j) <= ${maxResult}`;
}

/** readCounted takes the value of such a statement apart; `wanted` is how many rows were. */
export function readCounted(value: string, wanted: number): CountedRows {
  const at = value.indexOf('[');
  const found = Number(value.slice(0, at));
  return { rows: value.slice(at), count: Math.min(found, wanted), truncated: found > wanted };
}

/** selectText makes the statement of a selection. */
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

/** selectJson writes the answer. */
export function selectJson(table: Table, selection: Selection, value: string): string {
  const { limit, offset } = selection;
  const { rows, count, truncated } = readCounted(value, limit);
  const more = truncated ? `,"truncated":true,"next_offset":${offset + count}` : '';
  return `{${placeJson(table)},"columns":${columnsOf(table, selection.columns).json},"rows":${rows},"count":${count}${more}}`;
}

/** placeJson says which table it is: three members of an object. */
export function placeJson({ alias, schema, name }: Table): string {
  return `"database":${JSON.stringify(alias)},"schema":${JSON.stringify(schema)},"table":${JSON.stringify(name)}`;
}

/** A list of columns, as SQL and as JSON. */
interface ColumnList {
  readonly sql: string;
  readonly json: string;
}

/** All columns of a table. */
const wholes = new WeakMap<Table, ColumnList>();

function columnsOf(table: Table, columns: readonly Column[]): ColumnList {
  if (columns !== table.columns) return columnList(columns);
  let whole = wholes.get(table);
  if (whole === undefined) wholes.set(table, (whole = columnList(columns)));
  return whole;
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
