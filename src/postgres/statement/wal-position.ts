/**
 * Positions in the write-ahead log, as callers send and receive them in `Service-LSN`: `1:0/3000148`, a timeline and an LSN
 * of PostgreSQL. An LSN without a timeline is one of any timeline. Reading never fails otherwise than with undefined.
 */
export interface WalPosition {
  /** 0 when it is not known. */
  readonly timeline: number;
  /** Bytes since the beginning of the log. */
  readonly lsn: bigint;
}

/** A timeline has at most 8 hexadecimal digits, which are 10 decimal ones. */
const POSITION = /^(?:([0-9]{1,10}):)?([0-9A-Fa-f]{1,8})\/([0-9A-Fa-f]{1,8})$/;

/** parsePosition reads a position; undefined when the text is not one. */
export function parsePosition(text: string): WalPosition | undefined {
  const [found, timeline = '0', high, low] = POSITION.exec(text) ?? [];
  if (found === undefined) return undefined;
  return { timeline: Number(timeline), lsn: (BigInt(`0x${high!}`) << 32n) | BigInt(`0x${low!}`) };
}

export function formatPosition({ timeline, lsn }: WalPosition): string {
  return `${timeline}:${formatLsn(lsn)}`;
}

/** formatLsn gives an LSN in PostgreSQL's own form. */
export function formatLsn(lsn: bigint): string {
  const digits = (part: bigint): string => part.toString(16).toUpperCase();
  return `${digits(lsn >> 32n)}/${digits(lsn & 0xffffffffn)}`;
}

/**
 * HAS_REPLAYED fails with division_by_zero unless its server has replayed an LSN. Sent before a statement, in its transaction,
 * it holds for that, whatever became of the server since it was asked, and whichever one the connection leads to.
 */
export const HAS_REPLAYED = `SELECT 1 OPERATOR(pg_catalog./) coalesce((CASE WHEN pg_catalog.pg_is_in_recovery()
    THEN pg_catalog.pg_last_wal_replay_lsn() ELSE pg_catalog.pg_current_wal_flush_lsn() END
  OPERATOR(pg_catalog.>=) $1::pg_catalog.pg_lsn)::pg_catalog.int4, 0)`;

/** laterPosition gives the position that a server has replayed if it has replayed both, and only then. */
export function laterPosition(one: WalPosition, other: WalPosition): WalPosition {
  return {
    timeline: Math.max(one.timeline, other.timeline),
    lsn: one.lsn > other.lsn ? one.lsn : other.lsn,
  };
}

/**
 * COMMITTED_POSITION gives, sent after a commit, a position at or behind it: where the next record begins, the name of its
 * file, which begins with the timeline, and the size of a page. Not the position that was flushed: with synchronous_commit
 * off, a commit is flushed later.
 */
export const COMMITTED_POSITION =
  "SELECT pg_catalog.concat_ws(' ', at, pg_catalog.pg_walfile_name(at), pg_catalog.current_setting('wal_block_size')) FROM (SELECT pg_catalog.pg_current_wal_insert_lsn() AS at) AS w";

/** The longest header of a page, bytes. */
const PAGE_HEADER = 40n;

/**
 * committedPosition reads the result of COMMITTED_POSITION. Where the record before ended with its page, the next one begins
 * behind a page header, which a replica reads only with that record: the position is then the end of the page.
 */
export function committedPosition(result: string): WalPosition | undefined {
  const [at = '', file = '', page = ''] = result.split(' ');
  const position = parsePosition(at);
  if (position === undefined || !/^[0-9A-F]{24}$/.test(file)) return undefined;
  const inPage = position.lsn % BigInt(page);
  const lsn = inPage <= PAGE_HEADER ? position.lsn - inPage : position.lsn;
  return { timeline: Number.parseInt(file.slice(0, 8), 16), lsn };
}
