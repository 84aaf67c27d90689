/** Tables of a terminal: a column of names on the left, numbers on the right of it, no line longer than the terminal. */
import { printable } from '../../base/text.js';

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
}

/** Least width of the names, when there is no room for more, and of a column of numbers, so that it seldom moves. */
const NAMES = 12;
const NUMBERS = 6;

const GAP = '  ';

/**
 * tableLines gives a line of titles and one for each row, without spaces at the ends. Where there is no room, names are cut
 * first, then columns on the right.
 */
export function tableLines<Row>(
  [names, ...numbers]: readonly [Column<Row>, ...Column<Row>[]],
  rows: readonly Row[],
  width: number,
): string[] {
  const cells = numbers.map(({ title, text }) => [title, ...rows.map((row) => text(row))]);
  const widths = cells.map((column) => Math.max(NUMBERS, ...column.map(length)));
  const first = [names.title, ...rows.map((row) => printable(names.text(row)))];
  const others = widths.reduce((sum, one) => sum + GAP.length + one, 0);
  const room = Math.max(NAMES, width - others);
  const widest = Math.min(room, Math.max(...first.map(length)));
  return first.map((name, row) => {
    const shown = cut(name, widest);
    const padded = shown + ' '.repeat(widest - length(shown));
    const line = cells.map((column, i) => column[row]!.padStart(widths[i]!));
    return cut([padded, ...line].join(GAP), width).trimEnd();
  });
}

/** cut shortens a text to a width, with an ellipsis at its end. */
export function cut(text: string, width: number): string {
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  return width < 1 ? '' : `${characters.slice(0, width - 1).join('')}…`;
}

function length(text: string): number {
  return Array.from(text).length;
}
