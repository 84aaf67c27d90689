/** Tables and figures that programs put into the documentation. */
import { readFileSync, writeFileSync } from 'node:fs';

/** tableOf is a Markdown table, aligned as Prettier does it: the first column to the left, numbers to the right. */
export function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, i) =>
    Math.max(title.length, 3, ...rows.map((row) => row[i]!.length)),
  );
  const aligned = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`;
  const rule = widths.map((width, i) =>
    i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [aligned(titles), aligned(rule), ...rows.map(aligned)].join('\n');
}

/** putBetween replaces what is between two marks in a file. Throws when it does not have them. */
export function putBetween(file: string, begin: string, end: string, content: string): void {
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for ${begin}`);
  writeFileSync(file, `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`);
}
