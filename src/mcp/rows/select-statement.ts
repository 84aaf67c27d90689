/**
 * Writes the statement of a select, and the tool's result from the statement's value. Names come from the catalog and
 * are quoted; values are bound. Related rows are read in the same statement, for the rows of the result only.
 */
import { identifier, qualifiedName } from '../../base/quote.js';
import { operatorSql } from '../../postgres/statement/type-operators.js';
import { columnsSql, equalSql, orderSql, whereSql, type Bind } from './conditions.js';
import { longestValue, type CountedRows, type WantedRows } from './counted-rows.js';
import { patternHint } from './filters.js';
import type { Include } from './include-argument.js';
import type { Selection } from './select-arguments.js';
import type { Column, Table } from '../tables/table.js';

/** A query, and the values of its placeholders. */
export interface SelectText extends WantedRows {
  readonly values: readonly string[];
}

export function selectText(table: Table, selection: Selection): SelectText {
  const { columns, filters, order, limit, offset, total, include } = selection;
  const values: string[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const wanted = `${bind(String(limit))}::int`;
  const from = `${tableSql(table)} t${whereSql('t', filters, bind)}`;
  const read =
    include.length === 0
      ? columnsOf(table, columns).sql
      : columnsSql('t', withKeys(columns, include));
  let sql = `SELECT ${read} FROM ${from}${orderSql('t', order)} LIMIT ${oneMore(wanted)}`;
  if (offset > 0) sql += ` OFFSET ${bind(String(offset))}::bigint`;
  if (include.length > 0) sql = withIncluded(sql, columns, include, bind);
  const all = total ? `SELECT pg_catalog.count(*) FROM ${from}` : undefined;
  return { rows: sql, wanted, total: all, values };
}

export function oneMore(integer: string): string {
  return `${integer} ${operatorSql('+')} 1`;
}

export function tableSql(table: Table): string {
  return textsOf(table).name;
}

/** The columns of the result, and those that related rows are found by. */
function withKeys(columns: readonly Column[], include: readonly Include[]): readonly Column[] {
  const all = [...columns, ...include.flatMap(({ ours }) => ours)];
  return [...new Map(all.map((column) => [column.name, column])).values()];
}

/** Adds the related rows to the rows of a query, which keep their order. */
function withIncluded(
  rows: string,
  columns: readonly Column[],
  include: readonly Include[],
  bind: Bind,
): string {
  const members = [columnsSql('t', columns)];
  const lists: string[] = [];
  for (const one of include) {
    const { name, list } = one;
    if (list === undefined) {
      members.push(
        `(SELECT pg_catalog.row_to_json(x.*) FROM (${relatedSql(one, bind, '1')}) x) AS ${identifier(name)}`,
      );
      continue;
    }
    const alias = `i${lists.length}`;
    const limit = `${bind(String(list.limit))}::int`;
    const json = `pg_catalog.array_to_json((pg_catalog.array_agg(pg_catalog.row_to_json(x.*)))[1:${limit}])`;
    lists.push(
      ` LEFT JOIN LATERAL (SELECT coalesce(${json}, '[]'::pg_catalog.json) AS j, pg_catalog.count(*) ${operatorSql('>')} ${limit} AS m ` +
        `FROM (${relatedSql(one, bind, oneMore(limit))}) x) ${alias} ON true`,
    );
    members.push(`${alias}.j AS ${identifier(name)}`, `${alias}.m AS ${identifier(list.more)}`);
  }
  return `SELECT ${members.join(', ')} FROM (${rows}) t${lists.join('')}`;
}

/** The related rows of a row of `t`. */
function relatedSql(
  { table, theirs, ours, columns, list }: Include,
  bind: Bind,
  limit: string,
): string {
  const filters = whereSql('r', list?.filters ?? [], bind);
  const keys = theirs.map((column, i) => equalSql('r', column, 't', ours[i]!));
  return (
    `SELECT ${columnsSql('r', columns)} FROM ${tableSql(table)} r` +
    `${filters === '' ? ' WHERE' : `${filters} AND`} ${keys.join(' AND ')}` +
    `${orderSql('r', list?.order ?? [])} LIMIT ${limit}`
  );
}

/** selectJson writes the result of a selection. */
export function selectJson(
  table: Table,
  selection: Selection,
  counted: CountedRows,
  maxResult: number,
): string {
  const { json } = columnsOf(table, selection.columns);
  return rowsJson(table, json, selection, counted, maxResult);
}

/** rowsJson writes a result of rows; `columns` is the JSON of the list of their columns. */
export function rowsJson(
  table: Table,
  columns: string,
  { filters, offset }: Pick<Selection, 'filters' | 'offset'>,
  { rows, count, truncated, cut, total }: CountedRows,
  maxResult: number,
  hint = count === 0 && offset === 0 ? patternHint(filters) : undefined,
): string {
  const all = total === undefined ? '' : `,"total":${total}`;
  const more = truncated ? `,"truncated":true,"next_offset":${offset + count}` : '';
  const notice = cut ? `,"notice":${JSON.stringify(cutNotice(maxResult))}` : '';
  const advice = hint === undefined ? '' : `,"hint":${JSON.stringify(hint)}`;
  return `{${tableJson(table)},"columns":${columns},"rows":${rows},"count":${count}${all}${more}${notice}${advice}}`;
}

function cutNotice(maxResult: number): string {
  return `Not everything fitted into one answer of ${maxResult} bytes: values longer than ${longestValue(maxResult)} characters are cut. Name the columns you need in "columns"; next_offset, if it is there, gives the next rows.`;
}

/** tableJson names a table: three members of an object. */
export function tableJson(table: Table): string {
  return textsOf(table).json;
}

/** What statements and results of a table have in common. */
interface TableTexts {
  /** SQL. */
  readonly name: string;
  /** As tableJson gives it. */
  readonly json: string;
  readonly columns: ColumnList;
}

const texts = new WeakMap<Table, TableTexts>();

function textsOf(table: Table): TableTexts {
  let known = texts.get(table);
  if (known === undefined) {
    const { alias, schema, name, columns } = table;
    known = {
      name: qualifiedName({ schema, table: name }),
      json: `"database":${JSON.stringify(alias)},"schema":${JSON.stringify(schema)},"table":${JSON.stringify(name)}`,
      columns: columnList(columns),
    };
    texts.set(table, known);
  }
  return known;
}

/** A list of columns, as SQL and as JSON. */
interface ColumnList {
  readonly sql: string;
  readonly json: string;
}

function columnsOf(table: Table, columns: readonly Column[]): ColumnList {
  return columns === table.columns ? textsOf(table).columns : columnList(columns);
}

function columnList(columns: readonly Column[]): ColumnList {
  return {
    sql: columnsSql('t', columns),
    json: JSON.stringify(columns.map(({ name }) => name)),
  };
}
