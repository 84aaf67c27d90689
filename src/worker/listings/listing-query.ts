/**
 * Builds the query of a listing from the parameters of a request. Every value is bound; all SQL is written here or in
 * listing.ts. Invalid conditions, orders and pages are rejected, never ignored; unknown parameters that begin with `_`
 * are ignored.
 */
import type { TableName } from '../../access/table-access.js';
import { ServiceError } from '../../base/errors.js';
import { isSqlName } from '../../base/identifier.js';
import { arrayLiteral } from '../../base/quote.js';
import { conditionSql, type Bind } from './condition.js';
import { columnSql, type Listing } from './listing.js';
import { pageOf } from '../../postgres/statement/page.js';

/** Decoded parameters of a request; an array if one was repeated. */
export type ListingParameters = ReadonlyMap<string, string | readonly string[]>;

export interface ListingQuery {
  readonly text: string;
  readonly values: readonly string[];
}

export const MAX_CONDITIONS = 1_000;

/** Separates the alternatives of `_or`. */
const OR = /\|\||(?:^|\s)OR\s+/i;

/**
 * listingQuery builds the query. `readable` lists the tables that the caller may read, undefined for all. Throws
 * ServiceError `invalid_listing`.
 */
export function listingQuery(
  listing: Listing,
  parameters: ListingParameters,
  readable: readonly TableName[] | undefined,
): ListingQuery {
  const values: string[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const rows = rowsSql(listing, readable, bind);
  const conditions = conditionsSql(listing, parameters, bind);
  const order = orderSql(listing, first(parameters, '_order'));
  const page = pageOf(first(parameters, '_page'), first(parameters, '_page_size'));
  const counts = listing.count !== undefined && Boolean(first(parameters, '_count'));

  const distinct = first(parameters, '_distinct') === 'true' ? 'DISTINCT ' : '';
  let text = `SELECT ${distinct}${counts ? listing.count : listing.select} FROM (${rows}) ${listing.name}`;
  if (conditions.length > 0) text += ` WHERE ${conditions.join(' AND ')}`;
  if (!counts) text += ` ORDER BY ${order}`; // a count is one row, whatever its order
  if (page !== undefined) text += ` LIMIT ${bind(page.limit)} OFFSET ${bind(page.offset)}`;
  return { text, values };
}

/** The value of a parameter; the first one if it was repeated. */
function first(parameters: ListingParameters, name: string): string | undefined {
  const value = parameters.get(name);
  return typeof value === 'string' ? value : value?.[0];
}

/**
 * The rows that the caller may see. If some are hidden, `OFFSET 0` keeps PostgreSQL from pushing conditions of the
 * request down into this query: evaluated on hidden rows, they would reveal those by errors and timing.
 */
function rowsSql(listing: Listing, readable: readonly TableName[] | undefined, bind: Bind): string {
  const hides = readable !== undefined && listing.visible !== undefined;
  const array = (of: 'schemas' | 'tables'): string =>
    bind(arrayLiteral(readable!.map(([schema, table]) => (of === 'schemas' ? schema : table))));
  const where = hides ? [...listing.where, listing.visible(array)] : listing.where;
  const all = where.length > 0 ? `${listing.rows} WHERE ${where.join(' AND ')}` : listing.rows;
  return hides ? `${all} OFFSET 0` : all;
}

/** The conditions of all parameters; the alternatives of all `_or` parameters form a single condition. */
function conditionsSql(listing: Listing, parameters: ListingParameters, bind: Bind): string[] {
  const { columns, filterError } = listing;
  const all: string[] = [];
  const alternatives: string[] = [];
  const add = (to: string[], name: string, text: string): void => {
    if (all.length + alternatives.length === MAX_CONDITIONS)
      throw new ServiceError('invalid_listing', `more than ${MAX_CONDITIONS} conditions`);
    to.push(conditionSql(columns, name, text, filterError, bind));
  };
  for (const [name, value] of parameters) {
    if (name.startsWith('_') && name !== '_or') continue;
    for (const one of typeof value === 'string' ? [value] : value) {
      if (name !== '_or') add(all, name, one);
      else
        for (const part of one.split(OR)) {
          const [, column, text] = PART.exec(part.trim()) ?? [];
          if (column === undefined) throw new ServiceError('invalid_listing', BAD_PART);
          add(alternatives, column, text!);
        }
    }
  }
  if (alternatives.length > 0) all.push(`(${alternatives.join(' OR ')})`);
  return all;
}

const PART = /^([^=]+)=(.*)$/s;
const BAD_PART = 'invalid _or: each alternative must have the form column=value';

/** The SQL after ORDER BY. A repeated column would have no effect and is left out. */
function orderSql(listing: Listing, wanted: string | undefined): string {
  if (wanted === undefined || wanted === '') return listing.order;
  const order = new Map<string, string>();
  for (const field of wanted.split(',')) {
    const descends = field.startsWith('-');
    const name = descends ? field.slice(1) : field;
    if (!isSqlName(name))
      throw new ServiceError('invalid_listing', `${listing.orderError}invalid identifier`);
    const column = columnSql(listing.columns, name);
    if (!order.has(column)) order.set(column, descends ? `${column} DESC` : column);
  }
  return [...order.values()].join(', ');
}
