/**
 * Statements of form `value` whose value is the rows of a query as JSON, as many as fit into an answer. PostgreSQL writes
 * the rows, which are not parsed here; only numbers that clients would round are changed.
 */
import { ServiceError } from '../../base/errors.js';
import { operatorSql } from '../../postgres/statement/type-operators.js';
import { exactNumbers } from '../arguments/exact-numbers.js';
import type { ReadOutcome } from '../tables/read-only.js';

/** CountedRows is the value of such a statement. */
export interface CountedRows {
  /** A JSON array. */
  readonly rows: string;
  readonly count: number;
  readonly truncated: boolean;
  /** Whether long values are cut, because not all wanted rows fitted. */
  readonly cut: boolean;
  /** The value of `total`. */
  readonly total: string | undefined;
}

export interface WantedRows {
  /** SQL that returns up to one row more than `wanted`. */
  readonly rows: string;
  /** SQL for an integer. */
  readonly wanted: string;
  /** SQL for another number; undefined for none. */
  readonly total?: string | undefined;
}

const CAT = operatorSql('||');

/**
 * countedRows wraps a query in a statement. The value is the number of rows, the value of `total`, and a JSON array of the
 * wanted rows; there is no row, and the outcome is `result_too_large`, if that array has more than `maxResult` bytes.
 */
export function countedRows({ rows, wanted, total }: WantedRows, maxResult: number): string {
  // Slicing an array is faster than building another JSON value; OFFSET keeps PostgreSQL from building it twice.
  const json = `'[' ${CAT} coalesce(pg_catalog.array_to_string(${arrayOf(wanted)}, ','), '') ${CAT} ']'`;
  return `SELECT r.n${allOf(total)} ${CAT} r.j FROM (SELECT pg_catalog.count(*)::pg_catalog.text AS n, ${json} AS j FROM (\n${rows}\n) s OFFSET 0) r WHERE pg_catalog.octet_length(r.j) ${operatorSql('<=')} ${maxResult}`;
}

/**
 * fittingRows wraps a query whose rows are too large for countedRows: long values are cut, and the value has as many rows as
 * fit then, and their number; it is null if no row fits. It takes PostgreSQL longer to plan.
 */
export function fittingRows({ rows, wanted, total }: WantedRows, maxResult: number): string {
  const row =
    `SELECT u.i, (SELECT '{' ${CAT} coalesce(pg_catalog.string_agg(${member(maxResult)}, ',' ORDER BY e.i), '') ${CAT} '}' ` +
    'FROM pg_catalog.json_each(u.v) WITH ORDINALITY e(key, value, i)) AS j ' +
    'FROM pg_catalog.unnest(r.a) WITH ORDINALITY u(v, i) OFFSET 0';
  const sized = `SELECT k.i, k.j, pg_catalog.sum(pg_catalog.octet_length(k.j) ${operatorSql('+')} 1) OVER (ORDER BY k.i) AS size FROM (${row}) k`;
  const fitting =
    `SELECT ' rows ' ${CAT} pg_catalog.count(*) ${CAT} '[' ${CAT} pg_catalog.string_agg(f.j, ',' ORDER BY f.i) ${CAT} ']' ` +
    `FROM (${sized}) f WHERE f.size ${operatorSql('<')} ${maxResult}`;
  return `SELECT r.n${allOf(total)} ${CAT} (${fitting}) FROM (SELECT pg_catalog.count(*)::pg_catalog.text AS n, ${arrayOf(wanted)} AS a FROM (\n${rows}\n) s) r`;
}

function arrayOf(wanted: string): string {
  return `(pg_catalog.array_agg(pg_catalog.row_to_json(s.*)))[1:${wanted}]`;
}

function allOf(total: string | undefined): string {
  return total === undefined ? '' : ` ${CAT} ' total ' ${CAT} (${total})`;
}

/** A member of a row, `e`, with its value cut if it is long. */
function member(maxResult: number): string {
  const value = `(e.value ${operatorSql('#>>')} '{}')`;
  const most = longestValue(maxResult);
  const cut = `pg_catalog.left(${value}, ${most}) ${CAT} '… (cut, ' ${CAT} pg_catalog.length(${value}) ${CAT} ' characters)'`;
  return (
    `pg_catalog.to_json(e.key)::pg_catalog.text ${CAT} ':' ${CAT} ` +
    `CASE WHEN pg_catalog.length(e.value::pg_catalog.text) ${operatorSql('>')} ${most + CUT_NOTE} THEN pg_catalog.to_json(${cut})::pg_catalog.text ELSE e.value::pg_catalog.text END`
  );
}

/** Characters that a cut value has besides its beginning. */
const CUT_NOTE = 40;

/** longestValue is the number of characters of a value that are kept in an answer that is too large. */
export function longestValue(maxResult: number): number {
  return Math.max(64, Math.floor(maxResult / 100));
}

export function isTooLarge({ failure }: ReadOutcome): boolean {
  return failure instanceof ServiceError && failure.code === 'result_too_large';
}

/** readCounted parses the value of either statement; `wanted` is the number of wanted rows. Undefined if no row fits. */
export function readCounted(
  value: string | { text(): string } | null,
  wanted: number,
): CountedRows | undefined {
  const text = typeof value === 'string' ? value : value?.text();
  if (text === undefined) return undefined;
  const at = text.indexOf('[');
  const [, found = '', total, fitted] = HEAD.exec(text.slice(0, at))!;
  const all = Math.min(Number(found), wanted);
  const count = fitted === undefined ? all : Number(fitted);
  return {
    rows: exactNumbers(text.slice(at)),
    count,
    truncated: Number(found) > count,
    cut: fitted !== undefined,
    total,
  };
}

const HEAD = /^(\d+)(?: total (\d+))?(?: rows (\d+))?$/;
