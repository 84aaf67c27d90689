/**
 * Statements of form `value` whose value is the rows of a query as JSON, as many as fit into an answer. PostgreSQL writes
 * the rows, which are not parsed here; only numbers that clients would round are changed.
 */
import { exactNumbers } from './exact-numbers.js';

/** CountedRows is the value of a statement written by countedRows. */
export interface CountedRows {
  /** A JSON array. */
  readonly rows: string;
  readonly count: number;
  /** Whether there are more rows. */
  readonly truncated: boolean;
  /** Set if not all wanted rows fitted: long values are cut, and rows may be missing. */
  readonly cut: boolean;
  /** The value of `total`. */
  readonly total: string | undefined;
}

/**
 * countedRows wraps a query in a statement. The query must return up to one row more than `wanted`, which is SQL for an
 * integer. The value is the number of rows, that of the rows in the answer if they did not all fit, and the value of
 * `total`, which is SQL for another number; behind them is a JSON array of the wanted rows. If the array has more than
 * `maxResult` bytes, long values are cut, and as many rows are in the answer as fit then; the value is null if that is none.
 */
export function countedRows(
  rows: string,
  wanted: string,
  maxResult: number,
  total?: string,
): string {
  // Slicing an array is faster than building another JSON value; OFFSET keeps PostgreSQL from building it twice.
  const array = `(pg_catalog.array_agg(pg_catalog.row_to_json(s.*)))[1:${wanted}]`;
  const all = total === undefined ? '' : ` || ' total ' || (${total})`;
  return (
    `SELECT r.n${all} || CASE WHEN pg_catalog.octet_length(r.j) <= ${maxResult} THEN r.j ELSE (${fitting(maxResult)}) END ` +
    `FROM (SELECT q.n, q.a, '[' || coalesce(pg_catalog.array_to_string(q.a, ','), '') || ']' AS j ` +
    `FROM (SELECT pg_catalog.count(*)::text AS n, ${array} AS a FROM (\n${rows}\n) s) q OFFSET 0) r`
  );
}

/** The number of rows of `r.a` that fit, and a JSON array of them. */
function fitting(maxResult: number): string {
  const value = "(e.value #>> '{}')";
  const most = longestValue(maxResult);
  const cut = `pg_catalog.left(${value}, ${most}) || '… (cut, ' || pg_catalog.length(${value}) || ' characters)'`;
  const member =
    "pg_catalog.to_json(e.key)::text || ':' || " +
    `CASE WHEN pg_catalog.length(e.value::text) > ${most + CUT_NOTE} THEN pg_catalog.to_json(${cut})::text ELSE e.value::text END`;
  const row =
    `SELECT u.i, (SELECT '{' || coalesce(pg_catalog.string_agg(${member}, ',' ORDER BY e.i), '') || '}' ` +
    'FROM pg_catalog.json_each(u.v) WITH ORDINALITY e(key, value, i)) AS j ' +
    'FROM pg_catalog.unnest(r.a) WITH ORDINALITY u(v, i) OFFSET 0';
  const sized = `SELECT k.i, k.j, pg_catalog.sum(pg_catalog.octet_length(k.j) + 1) OVER (ORDER BY k.i) AS size FROM (${row}) k`;
  return (
    `SELECT ' rows ' || pg_catalog.count(*) || '[' || pg_catalog.string_agg(f.j, ',' ORDER BY f.i) || ']' ` +
    `FROM (${sized}) f WHERE f.size < ${maxResult}`
  );
}

/** Characters that a cut value has besides its beginning. */
const CUT_NOTE = 40;

/** longestValue is the number of characters of a value that are kept in an answer that is too large. */
export function longestValue(maxResult: number): number {
  return Math.max(64, Math.floor(maxResult / 100));
}

/** readCounted parses the value of such a statement; `wanted` is the number of wanted rows. Undefined if no row fits. */
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
