/** The rows of a response: an array, the `rows` of a write, or a single object. */
import { kindOf, shownText, spans, type Span } from './json-text.js';

/** A cell: raw JSON, undefined when the row has no such column. */
export type Cell = string | undefined;

export interface RowSet {
  readonly count: number;
  /** What a write says besides: `rows_affected`. */
  readonly affected: string | undefined;
  page(from: number, count: number): { columns: readonly string[]; rows: readonly Cell[][] };
}

/** readRows gives undefined for JSON that is no rows, such as a number. */
export function readRows(json: string): RowSet | undefined {
  const text = json.trimStart();
  const kind = kindOf(text);
  if (kind === 'array') return rowSet(text, spans(text), undefined);
  if (kind !== 'object') return undefined;
  const found = spans(text);
  const affected = found.find(({ key }) => key === 'rows_affected');
  if (affected === undefined || found.length > 2)
    return rowSet(text, [{ key: undefined, start: 0, end: text.length }], undefined);
  const rows = found.find(({ key }) => key === 'rows');
  const count = text.slice(affected.start, affected.end);
  return rowSet(text, rows === undefined ? [] : spans(text, rows.start), count);
}

function rowSet(text: string, rows: readonly Span[], affected: string | undefined): RowSet {
  return {
    count: rows.length,
    affected,
    page: (from, count) =>
      pageOf(rows.slice(from, from + count).map(({ start, end }) => text.slice(start, end))),
  };
}

/** Columns in the order in which rows have them first; one that a row has twice is there twice. */
function pageOf(rows: readonly string[]): { columns: string[]; rows: Cell[][] } {
  const places = new Map<string, number>();
  const columns: string[] = [];
  const cells = rows.map((row) => {
    const made: Cell[] = [];
    const seen = new Map<string, number>();
    const put = (name: string, raw: string): void => {
      const nth = seen.get(name) ?? 0;
      seen.set(name, nth + 1);
      const id = `${nth} ${name}`;
      let place = places.get(id);
      if (place === undefined) {
        places.set(id, (place = columns.length));
        columns.push(name);
      }
      made[place] = raw;
    };
    if (kindOf(row) === 'object')
      for (const { key = '', start, end } of spans(row)) put(key, row.slice(start, end));
    else put('value', row);
    return made;
  });
  return { columns, rows: cells };
}

/** cellText is a cell as the table shows it. */
export function cellText(cell: Cell): string {
  return cell === undefined ? '' : shownText(cell);
}
