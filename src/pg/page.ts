/** The page of a listing that a request asks for (`_page`, `_page_size`). Refuses what is no number, or a negative size. */
import { ServiceError } from '../errors.js';

/** Page is a part of a listing, in rows: decimal numbers that a bigint of PostgreSQL can hold. */
export interface Page {
  readonly limit: string;
  readonly offset: string;
}

const DEFAULT_SIZE = 10;
const LARGEST = 2_147_483_647;
const INTEGER = /^[+-]?\d{1,10}$/;

/**
 * pageOf gives the page of these parameters, undefined for the whole listing: only `_page` makes pages, and one below 1
 * counts as 1. Throws ServiceError `invalid_listing`.
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
