/**
 * Formats results as plain-text tables. Pure functions.
 */
import type { FigureName, Spread, Summary } from './measure/figures.js';
import type { Idle } from './idle.js';

/** A line of a table. */
export interface Line {
  readonly name: string;
  readonly summary: Summary;
}

type Column = readonly [title: string, cell: (summary: Summary, reference?: Summary) => string];

const MiB = 1024 ** 2;
const ABSENT = '-';

const COLUMNS: readonly Column[] = [
  ['req/s', ({ rate }) => number(rate, 0)],
  ['min-max', ({ rate }) => (rate ? `${round(rate.min)}-${round(rate.max)}` : ABSENT)],
  ratioColumn('rate'),
  ['p50 ms', ({ p50 }) => number(p50, 2)],
  ratioColumn('p50'),
  ['p99 ms', ({ p99 }) => number(p99, 2)],
  ratioColumn('p99'),
  ['CPU µs', ({ serverCpu }) => number(serverCpu, 1)],
  ratioColumn('serverCpu'),
  ['PG µs', ({ databaseCpu }) => number(databaseCpu, 1)],
  ['MiB', ({ resident }) => (resident ? round(resident.median / MiB) : ABSENT)],
  ratioColumn('resident'),
  ['PG MiB', ({ sessionMemory }) => (sessionMemory ? round(sessionMemory.median / MiB) : ABSENT)],
  ['errors', ({ errors }) => (errors ? round(errors.max) : ABSENT)],
  ['other', ({ otherLoad }) => number(otherLoad, 2)],
];

/** The column with the ratios of a figure. */
function ratioColumn(name: FigureName): Column {
  return ['ratio', (summary, reference) => ratio(summary[name], reference?.[name])];
}

/** table formats lines; ratios are to the line named `reference`. */
export function table(
  title: string,
  lines: readonly Line[],
  reference: string | undefined,
): string {
  const standard = lines.find(({ name }) => name === reference)?.summary;
  return `${title}\n${aligned([
    ['', ...COLUMNS.map(([heading]) => heading)],
    ...lines.map(({ name, summary }) => [
      name,
      ...COLUMNS.map(([, cell]) => cell(summary, standard)),
    ]),
  ])}`;
}

/** comparison is a line with the changes of rate, CPU and p99. */
export function comparison(before: Summary, after: Summary): string {
  const change = (label: string, name: FigureName, digits: number): string => {
    const [was, is] = [before[name], after[name]];
    return `${label} ${number(was, digits)} → ${number(is, digits)} (${ratio(is, was)})`;
  };
  return [
    change('req/s', 'rate', 0),
    change('CPU µs', 'serverCpu', 1),
    change('p99 ms', 'p99', 2),
  ].join(', ');
}

/** idleTable is the table of start times and idle memory. */
export function idleTable(entries: readonly Idle[]): string {
  return `start to first answer, and memory when idle\n${aligned([
    ['', 'start ms', 'min-max', 'MiB resident', 'MiB shared out', 'processes'],
    ...entries.map(({ name, startup, memory, processes }) => [
      name,
      round(startup.median),
      `${round(startup.min)}-${round(startup.max)}`,
      round(memory.resident / MiB),
      round(memory.proportional / MiB),
      String(processes),
    ]),
  ])}`;
}

/** aligned pads the cells of rows; the first column is left-aligned. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((text, column) =>
          column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function number(value: Spread | undefined, digits: number): string {
  return value ? value.median.toFixed(digits) : ABSENT;
}

function ratio(value: Spread | undefined, reference: Spread | undefined): string {
  return value && reference && reference.median > 0
    ? `${(value.median / reference.median).toFixed(2)}×`
    : ABSENT;
}

function round(value: number): string {
  return String(Math.round(value));
}
