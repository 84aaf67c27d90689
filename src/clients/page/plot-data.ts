/** Whether rows can be drawn: labels with one number each, or numbers over time. */
import { kindOf, shownText } from './json-text.js';
import type { Cell } from './rows.js';

export interface Bars {
  readonly kind: 'bars';
  readonly name: string;
  readonly points: readonly {
    readonly label: string;
    readonly value: number;
    readonly text: string;
  }[];
}

export interface Line {
  readonly name: string;
  /** Undefined where the row has no number. */
  readonly values: readonly (number | undefined)[];
}

export interface TimeSeries {
  readonly kind: 'series';
  readonly labels: readonly string[];
  /** Milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

/** Most rows that are drawn. */
export const MOST_BARS = 60;
export const MOST_POINTS = 2_000;
const MOST_LINES = 6;

const TIME =
  /^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?)?$/;

/** plotOf gives undefined for rows that are neither. */
export function plotOf(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Bars | TimeSeries | undefined {
  if (columns.length < 2 || rows.length < 2) return undefined;
  const labels = rows.map((row) => row[0]);
  if (labels.some((label) => label === undefined || !isLabel(label))) return undefined;
  const texts = labels.map((label) => shownText(label!));
  const numeric = columns.map((_, i) => i).filter((i) => i > 0 && isNumeric(rows, i));
  const times = texts.map(timeOf);
  if (numeric.length > 0 && times.every((time) => time !== undefined) && new Set(times).size > 1)
    return series(columns, rows, texts, times, numeric);
  if (columns.length !== 2 || numeric.length !== 1) return undefined;
  const points = texts.slice(0, MOST_BARS).map((label, i) => {
    const text = rows[i]![1]!;
    return { label, value: kindOf(text) === 'null' ? 0 : Number(text), text };
  });
  return { kind: 'bars', name: columns[1]!, points };
}

function series(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  texts: readonly string[],
  times: readonly (number | undefined)[],
  numeric: readonly number[],
): TimeSeries {
  const order = times.map((time, i) => ({ time: time!, i })).sort((a, b) => a.time - b.time);
  const lines = numeric.slice(0, MOST_LINES).map((column) => ({
    name: columns[column]!,
    values: order.map(({ i }) => {
      const cell = rows[i]![column];
      return cell === undefined || kindOf(cell) === 'null' ? undefined : Number(cell);
    }),
  }));
  return {
    kind: 'series',
    labels: order.map(({ i }) => texts[i]!),
    times: order.map(({ time }) => time),
    lines,
  };
}

/** Identifiers are numbers too, but their size means nothing. */
function isLabel(raw: string): boolean {
  return kindOf(raw) === 'string' || kindOf(raw) === 'boolean';
}

function isNumeric(rows: readonly (readonly Cell[])[], column: number): boolean {
  let numbers = 0;
  for (const row of rows) {
    const cell = row[column];
    if (cell === undefined) return false;
    const kind = kindOf(cell);
    if (kind === 'number') numbers++;
    else if (kind !== 'null') return false;
  }
  return numbers > 0;
}

function timeOf(text: string): number | undefined {
  if (!TIME.test(text)) return undefined;
  const time = Date.parse(text.replace(' ', 'T').replace(/(T.*[+-]\d\d)$/, '$1:00'));
  return Number.isNaN(time) ? undefined : time;
}
