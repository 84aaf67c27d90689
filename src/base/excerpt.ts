/** The lines of a text around a place, as compilers show them: numbered, the line marked, a caret below the column. */

/** Lines before and after the place. */
const AROUND = 2;

/** Most characters of a line that are shown, and how many of them precede the place in a longer one. */
const WIDTH = 100;
const BEFORE = 60;

/** A line, and the column where it is known, both from 1 and in characters. */
export interface TextPosition {
  readonly line: number;
  readonly column?: number | undefined;
}

/** excerpt gives the lines around a place of a text: safe to print, without control characters. */
export function excerpt(text: string, { line, column }: TextPosition): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '' && lines.length > line) lines.pop(); // behind the end of the last line
  const first = Math.max(1, line - AROUND);
  const last = Math.min(lines.length, line + AROUND);
  const digits = String(last).length;
  const skipped = column !== undefined && column > WIDTH ? column - BEFORE : 0;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const mark = number === line ? '>' : ' ';
    const content = cut(lines[number - 1]!.replace(/\r$/, ''), skipped);
    shown.push(`${mark} ${String(number).padStart(digits)} | ${content}`.trimEnd());
    if (number === line && column !== undefined) {
      const at = column - skipped + (skipped > 0 ? 1 : 0);
      shown.push(`  ${' '.repeat(digits)} | ${' '.repeat(at - 1)}^`);
    }
  }
  return shown;
}

/** The part of a line behind its first `skipped` characters; a tab takes one column, as in the numbers of columns. */
function cut(line: string, skipped: number): string {
  const characters = Array.from(line);
  const part = characters.slice(skipped, skipped + WIDTH).join('');
  const safe = part.replaceAll('\t', ' ').replaceAll(/\p{Cc}/gu, '\uFFFD');
  const rest = characters.length > skipped + WIDTH ? '…' : '';
  return `${skipped > 0 ? '…' : ''}${safe}${rest}`;
}
