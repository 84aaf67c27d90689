/** The page of a listing that a request asks for (`_page`, `_page_size`). */
import { ServiceError } from '../../base/errors.js';

/** Page is a part of a listing, in rows: decimal numbers within PostgreSQL's bigint. */
export interface Page {
  readonly limit: string;
  readonly offset: string;
}

const DEFAULT_SIZE = 10;
const LARGEST = 2_147_483_647;
const INTEGER = /^[+-]?\d{1,10}$/;

/**
 * pageOf reads the page from the parameters, undefined for the whole listing: `_page_size` has no effect without `_page`,
 * and a page below 1 is page 1. Throws ServiceError `invalid_listing` for other texts than numbers and a negative size.
 */
export function pageOf(page: string | undefined, size: string | undefined): Page | undefined {
  if (page === undefined) return undefined;
  const number = Math.max(1, integer('_page', page, -LARGEST));
  const limit = size === undefined ? DEFAULT_SIZE : integer('_page_size', size, 0);
  return { limit: String(limit), offset: String(BigInt(number - 1) * BigInt(limit)) };
}

function integer(name: string, text: string, least: number): number {
  const number = INTEGER.test(text) ? Number(text) : NaN;
  if (number >= least && number <= LARGEST) return number;
  throw new ServiceError(
    'invalid_listing',
    `invalid ${name}: it must be a whole number, at most ${LARGEST}` +
      (least === 0 ? ' and not negative' : ''),
  );
}
