/**
 * Filters, orders and lists of columns as SQL. Names come from the catalog and are quoted; values are bound. Operators are
 * named with their schema: the scripts' search path applies, because views may call functions that rely on it.
 */
import { identifier } from '../../base/quote.js';
import { ofType, operatorSql } from '../../postgres/statement/type-operators.js';
import type { Filter } from './filters.js';
import type { Column } from '../tables/table.js';

/** Bind adds a value to the statement's and returns its placeholder. */
export type Bind = (value: string) => string;

export interface Order {
  readonly column: Column;
  readonly descends: boolean;
}

/** columnSql names a column of the relation `alias`, or of a joined one. */
export function columnSql(
  alias: string,
  { name, relation = alias }: Pick<Column, 'name' | 'relation'>,
): string {
  return `${relation}.${identifier(name)}`;
}

export function columnsSql(alias: string, columns: readonly Pick<Column, 'name'>[]): string {
  return columns.map((column) => columnSql(alias, column)).join(', ');
}

/** whereSql writes the clause for filters that all hold, empty without filters. */
export function whereSql(alias: string, filters: readonly Filter[], bind: Bind): string {
  if (filters.length === 0) return '';
  return ` WHERE ${filters.map((filter) => conditionSql(alias, filter, bind)).join(' AND ')}`;
}

/** equalSql compares a column with one that references it, or the reverse; the first column's operator counts. */
export function equalSql(alias: string, column: Column, other: string, its: Column): string {
  const { operators } = column;
  const [left, right] = [columnSql(alias, column), columnSql(other, its)].map((sql) =>
    ofType(sql, operators),
  );
  return `${left} ${operatorSql('=', operators)} ${right}`;
}

/** orderSql writes the clause; descending order puts nulls last too, and a column without nulls can use its index. */
export function orderSql(alias: string, order: readonly Order[]): string {
  if (order.length === 0) return '';
  const terms = order.map(({ column, descends }) => {
    const direction = descends ? (column.nullable ? ' DESC NULLS LAST' : ' DESC') : '';
    return `${columnSql(alias, column)}${direction}`;
  });
  return ` ORDER BY ${terms.join(', ')}`;
}

function conditionSql(alias: string, filter: Filter, bind: Bind): string {
  const { column, operator, negated, value } = filter;
  const sql = columnSql(alias, column);
  if (value === undefined) return `${sql} IS ${negated ? 'NOT ' : ''}NULL`;
  const operand = operandSql(sql, filter);
  const of = operand === sql ? column.operators : undefined;
  const left = ofType(operand, of);
  const condition =
    operator === '= ANY'
      ? `${left} ${operatorSql('=', of)} ANY (${bind(value)})`
      : `${left} ${operatorSql(SYMBOLS.get(operator) ?? operator, of)} ${bind(value)}`;
  return negated ? `NOT (${condition})` : condition;
}

/** The operators that these words stand for. */
const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ['LIKE', '~~'],
  ['ILIKE', '~~*'],
]);

/** Types with LIKE of their own, so that indexes are used. */
const TEXT = /^(?:text|citext|character|name)\b/;

function operandSql(sql: string, { column: { type, kind }, operator }: Filter): string {
  switch (operator) {
    case 'LIKE':
    case 'ILIKE':
      return TEXT.test(type) ? sql : `${sql}::pg_catalog.text`;
    case '@>':
      return kind === 'json' && type !== 'jsonb' ? `pg_catalog.to_jsonb(${sql})` : sql;
    default:
      return sql;
  }
}
