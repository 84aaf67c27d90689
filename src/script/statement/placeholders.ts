/** Placeholders of a statement that is one of several: values are numbered through in a text, from $1 in a statement. */
import { END, NUMBER, SqlScanner } from '../../template/sql-scanner.js';

export interface Renumbered {
  readonly sql: string;
  /** For each placeholder of `sql`, the index of its value among the text's. */
  readonly uses: readonly number[];
}

/** renumber numbers the placeholders of a statement from $1, in the order in which they first occur. */
export function renumber(text: string): Renumbered {
  if (!text.includes('$')) return { sql: text, uses: [] };
  const uses: number[] = [];
  const places = new Map<number, number>();
  let sql = '';
  let copied = 0;
  const scanner = new SqlScanner(text);
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    const index = kind === NUMBER ? placeholder(scanner) : -1;
    if (index < 0) continue;
    let place = places.get(index);
    if (place === undefined) {
      uses.push(index);
      places.set(index, (place = uses.length));
    }
    sql += `${text.slice(copied, scanner.start)}$${place}`;
    copied = scanner.end;
  }
  return { sql: sql + text.slice(copied), uses };
}

/** originalOffset maps an offset in `sql` to the offset in the text before it was renumbered. */
export function originalOffset({ sql, uses }: Renumbered, offset: number): number {
  let moved = 0;
  const scanner = new SqlScanner(sql);
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    if (scanner.end > offset) break;
    const place = kind === NUMBER ? placeholder(scanner) : -1;
    const index = uses[place];
    if (index !== undefined) moved += String(index + 1).length - String(place + 1).length;
  }
  return offset + moved;
}

/** The index of the value of the placeholder that the scanner has read; -1 for another number. */
function placeholder(scanner: SqlScanner): number {
  if (!scanner.text.startsWith('$', scanner.start)) return -1;
  return Number(scanner.text.slice(scanner.start + 1, scanner.end)) - 1;
}
