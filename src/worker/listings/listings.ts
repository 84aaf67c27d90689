/**
 * Listings of databases, schemas and tables for callers: the query for one caller, and the error for a query that
 * failed. Callers never see what they may not read.
 */
import { TableAccess } from '../../access/table-access.js';
import { ServiceError } from '../../base/errors.js';
import type { SqlFailure } from '../../postgres/statement/sql-failure.js';
import type { TableAccessSettings } from '../../messages/access-settings.js';
import { listingQuery, type ListingParameters, type ListingQuery } from './listing-query.js';
import { LISTINGS } from './listing.js';

/** SQLSTATEs of an invalid statement; here the cause is always a combination of column, operator and order. */
const WRONG_STATEMENT: ReadonlySet<string> = new Set([
  '42703', // a column that this version of PostgreSQL does not have
  '42725',
  '42803',
  '42804',
  '42846',
  '42883',
  '42P10',
  '42P18',
]);

export class Listings {
  readonly #access: TableAccess;

  constructor(settings: TableAccessSettings) {
    this.#access = new TableAccess(settings);
  }

  /**
   * query returns the query of a listing for a caller, whose name is empty without one. Throws ServiceError `not_found` for
   * an unknown listing, `invalid_listing` for invalid parameters.
   */
  query(name: string, parameters: ListingParameters, user: string): ListingQuery {
    const listing = LISTINGS.get(name);
    if (listing === undefined) throw new ServiceError('not_found');
    const readable = this.#access.restricted ? this.#access.readable(user) : undefined;
    return listingQuery(listing, parameters, readable);
  }
}

/**
 * listingFailure returns the error for a listing that failed because of its parameters; undefined for any other failure.
 * PostgreSQL's message can be passed on: it repeats the caller's own values and names of types and catalog columns. It
 * reveals nothing of hidden rows, on which no condition of a request is evaluated (listing-query.ts).
 */
export function listingFailure({ state, message }: SqlFailure): ServiceError | undefined {
  if (!state.startsWith('22') && !WRONG_STATEMENT.has(state)) return undefined;
  return new ServiceError('invalid_listing', message);
}
