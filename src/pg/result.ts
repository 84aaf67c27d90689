/** Reads the current result of a connection into values of our own: what libpq holds is gone with the next result. */
import type { Column, ResultForm, StatementResult } from './job.js';
import type { Libpq } from './libpq-addon.js';

/**
 * readResult reads the current result; `tuples` tells whether the statement returned rows (perhaps none). Undefined when
 * its values are larger than `limit` bytes.
 */
export function readResult(
  pq: Libpq,
  form: ResultForm,
  tuples: boolean,
  limit: number,
): StatementResult | undefined {
  if (form === 'value') {
    if (!tuples || pq.ntuples() === 0) return undefined;
    const value = pq.getisnull(0, 0) ? null : pq.getvalue(0, 0);
    if (value !== null && exceeds(value, limit)) return undefined;
    return { value, affected: 0, columns: undefined, rows: undefined };
  }
  const affected = Number(pq.cmdTuples()) || 0;
  if (!tuples || pq.nfields() === 0)
    return { value: null, affected, columns: undefined, rows: undefined };
  const columns: Column[] = [];
  for (let c = 0; c < pq.nfields(); c++) columns.push({ name: pq.fname(c), type: pq.ftype(c) });
  const rows: (string | null)[][] = [];
  let size = 0;
  for (let r = 0; r < pq.ntuples(); r++) {
    const row = columns.map((_, c) => (pq.getisnull(r, c) ? null : pq.getvalue(r, c)));
    for (const cell of row) size += cell?.length ?? 0;
    if (size > limit) return undefined;
    rows.push(row);
  }
  return { value: null, affected, columns, rows };
}

/** Whether text is larger than a number of bytes in UTF-8, counted only where its length leaves it open. */
function exceeds(text: string, limit: number): boolean {
  return text.length > limit || (text.length * 3 > limit && Buffer.byteLength(text) > limit);
}
