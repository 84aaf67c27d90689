/** Prints what the campaign found, as lines while it runs and as the table of docs/reliability.md at its end. */
import { putBetween, tableOf } from '../support/markdown.js';
import type { Result } from './campaign.js';

const COLUMNS = [
  'fault',
  'times',
  'requests',
  'wrong',
  'lost',
  'doubled',
  'hung',
  'errors',
  'recovery, s',
] as const;

const BEGIN = '<!-- table of npm run test:faults -->';
const END = '<!-- end of the table -->';

/** line is one fault in a line, with the errors by kind and what was found. */
export function line(result: Result, seconds: number): string {
  const { name, tally, lost, doubled, findings } = result;
  const errors = [...tally.errors].sort(([, a], [, b]) => b - a);
  const listed = errors.slice(0, 6).map(([code, count]) => `${code} × ${count}`);
  const bad = { wrong: tally.wrong, lost, doubled, hung: tally.hung };
  const counts = Object.entries(bad).filter(([, count]) => count > 0);
  return [
    `${findings.length === 0 ? 'ok    ' : 'FAILED'} ${name}: ${tally.requests} requests`,
    ...counts.map(([what, count]) => `${count} ${what}`),
    ...(listed.length > 0 ? [`errors: ${listed.join(', ')}`] : []),
    `recovery ${recoveryOf(result)} s`,
    ...findings,
    `(${seconds.toFixed(1)} s)`,
  ].join('; ');
}

/** table is the results as a Markdown table. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const { name, times, tally, lost, doubled } = result;
    const counts = [times, tally.requests, tally.wrong, lost, doubled, tally.hung];
    return [name, ...counts.map(String), String(tally.errorCount), recoveryOf(result)];
  });
  return tableOf(COLUMNS, rows);
}

/** The median of the times to recover and the longest of them, in seconds. */
function recoveryOf({ recovery }: Result): string {
  if (recovery.includes(undefined)) return 'none';
  const sorted = (recovery as number[]).toSorted((a, b) => a - b);
  if (sorted.length === 0) return '-';
  const seconds = [sorted[sorted.length >> 1]!, sorted.at(-1)!].map((ms) => (ms / 1000).toFixed(2));
  return sorted.length === 1 ? seconds[0]! : seconds.join(' / ');
}

/** write puts the table and what it was measured on into the documentation. */
export function write(file: string, machine: string, results: readonly Result[]): void {
  putBetween(file, BEGIN, END, `${machine}\n\n${table(results)}`);
}
