/**
 * Writes the statement of an aggregation, and its result from the statement's value. Names come from the catalog, or are
 * members of the result, and are quoted; values are bound.
 */
import { identifier } from '../../base/quote.js';
import type { Aggregate, Aggregation, Group } from './aggregate-arguments.js';
import { columnSql, equalSql, orderSql, whereSql, type Bind } from './conditions.js';
import type { CountedRows } from './counted-rows.js';
import { patternHint } from './filters.js';
import type { Join } from './path-columns.js';
import { oneMore, rowsJson, tableSql, type SelectText } from './select-statement.js';
import type { Table } from '../tables/table.js';

export function aggregateText(table: Table, aggregation: Aggregation): SelectText {
  const { joins, groups, aggregates, filters, having, order, limit, offset } = aggregation;
  const values: string[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const wanted = `${bind(String(limit))}::int`;
  const results = [
    ...groups.map((group) => `${groupSql(group, bind)} AS ${identifier(group.name)}`),
    ...aggregates.map((one) => `${aggregateSql(one)} AS ${identifier(one.name)}`),
  ];
  // By position, because the expressions have placeholders.
  const by = groups.length === 0 ? '' : ` GROUP BY ${groups.map((_, i) => i + 1).join(', ')}`;
  const grouped = `SELECT ${results.join(', ')} FROM ${tableSql(table)} t${joins.map(joinSql).join('')}${whereSql('t', filters, bind)}${by}`;
  let sql = `SELECT g.* FROM (${grouped}) g${whereSql('g', having, bind)}${orderSql('g', order)} LIMIT ${oneMore(wanted)}`;
  if (offset > 0) sql += ` OFFSET ${bind(String(offset))}::bigint`;
  return { rows: sql, wanted, values };
}

/** A foreign key references rows of the table itself, not of tables that inherit from it, unless it is partitioned. */
function joinSql({ alias, from, relation: { key } }: Join): string {
  const { columns, referenced, references } = key;
  const only = referenced.type === 'partitioned_table' ? '' : 'ONLY ';
  const equal = columns.map((column, i) => equalSql(alias, references[i]!, from, column));
  return ` LEFT JOIN ${only}${tableSql(referenced)} ${alias} ON ${equal.join(' AND ')}`;
}

/** The value of a group: the day on which a span begins, the moment for an hour. */
function groupSql({ column, by, zone }: Group, bind: Bind): string {
  const sql = columnSql('t', column);
  if (by === undefined) return sql;
  const trunc = (...values: string[]): string =>
    `pg_catalog.date_trunc('${by}', ${values.join(', ')})`;
  const moment = column.kind === 'date' ? `${sql}::timestamp` : sql;
  if (zone === undefined)
    return by === 'hour' ? trunc(moment) : `${trunc(moment)}::pg_catalog.date`;
  const text = `${bind(zone)}::pg_catalog.text`;
  // Hours of the day on which clocks go back differ only as moments.
  if (by === 'hour') return trunc(sql, text);
  return `${trunc(`(${sql} AT TIME ZONE ${text})`)}::pg_catalog.date`;
}

/** An average is a double, because its digits end nowhere. */
function aggregateSql({ function: name, column }: Aggregate): string {
  if (column === undefined) return 'pg_catalog.count(*)';
  const sql = columnSql('t', column);
  if (name === 'count_distinct') return `pg_catalog.count(DISTINCT ${sql})`;
  const isNumber = column.kind === 'integer' || column.kind === 'number';
  return `pg_catalog.${name}(${sql})${name === 'avg' && isNumber ? '::pg_catalog.float8' : ''}`;
}

/** aggregateJson writes the result of an aggregation. */
export function aggregateJson(
  table: Table,
  aggregation: Aggregation,
  counted: CountedRows,
  maxResult: number,
): string {
  const { groups, aggregates, filters } = aggregation;
  const columns = JSON.stringify([...groups, ...aggregates].map(({ name }) => name));
  // Without groups there is a row in any case.
  const hint = groups.length === 0 ? patternHint(filters) : undefined;
  return rowsJson(table, columns, aggregation, counted, maxResult, hint);
}
