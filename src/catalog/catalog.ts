/**
 * What callers are told of databases, schemas and tables: the query of a listing for whoever asks, and what is said of
 * one that failed. Callers are never shown what they may not read.
 */
import { callerName } from '../access/caller-name.js';
import { TableAccess } from '../access/table-access.js';
import { ServiceError } from '../errors.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import type { TableAccessSettings } from '../protocol.js';
import { listingQuery, type ListingParameters, type ListingQuery } from './listing-query.js';
import { LISTINGS } from './listing.js';

/** SQLSTATEs of a statement that is wrong: here only by columns, operators and orders that do not go together. */
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

/** Catalog knows the listings and who may see what of them. */
export class Catalog {
  readonly #access: TableAccess;

  constructor(settings: TableAccessSettings) {
    this.#access = new TableAccess(settings);
  }

  /**
   * list gives the query of a listing for a caller, whose claims are a JSON object or empty. Throws ServiceError
   * `not_found` for a listing that there is not, `invalid_listing` for parameters that make no sense.
   */
  list(name: string, parameters: ListingParameters, claims: string): ListingQuery {
    const listing = LISTINGS.get(name);
    if (listing === undefined) throw new ServiceError('not_found');
    const readable = this.#access.restricted
      ? this.#access.readable(callerName(claims))
      : undefined;
    return listingQuery(listing, parameters, readable);
  }
}

/**
 * callersMistake gives the answer to a listing that failed by what its caller asked for, in PostgreSQL's words: such a
 * message repeats the caller's own values and the names of types and columns of the catalog, nothing else. That it comes
 * tells nothing either: conditions are tried on no row that the caller is not shown (listing-query.ts). Undefined for any
 * other failure.
 */
export function callersMistake({ state, message }: SqlFailure): ServiceError | undefined {
  if (!state.startsWith('22') && !WRONG_STATEMENT.has(state)) return undefined;
  return new ServiceError('invalid_listing', message);
}
