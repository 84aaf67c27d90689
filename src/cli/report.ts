/**
 * What `check` found, and how it is written for people.
 */
import type { ListedProblem } from '../script/script-listing.js';

/** DatabaseFinding is the outcome of one attempt to connect. */
export type DatabaseFinding =
  | { readonly alias: string; readonly ok: true; readonly version: string }
  | { readonly alias: string; readonly ok: false; readonly message: string };

/** ScriptFindings are about the scripts folder. */
export interface ScriptFindings {
  readonly location: string;
  /** How many scripts can be served, each verb counted. */
  readonly count: number;
  readonly problems: readonly ListedProblem[];
}

/** Report is everything `check` found, in the form of `check --json`. */
export interface Report {
  readonly ok: boolean;
  /** The configuration file, when there is one that could be used. */
  readonly file: string | null;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** Empty when the configuration could not be used. */
  readonly databases: readonly DatabaseFinding[];
  readonly scripts: ScriptFindings | null;
}

/** writeReport writes a report for people. */
export function writeReport(report: Report): string {
  const { errors, warnings, databases, scripts } = report;
  const lines = [
    `configuration ${report.file === null ? '' : `${report.file} `}${errors.length === 0 ? 'ok' : 'not ok'}`,
    ...errors.map((error) => `  error: ${error}`),
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...databases.map((found) =>
      found.ok
        ? `database ${found.alias} ok: PostgreSQL ${found.version}`
        : `database ${found.alias} not ok\n  error: ${oneLine(found.message)}`,
    ),
  ];
  if (scripts !== null) {
    const { location, count, problems } = scripts;
    const state = problems.length === 0 ? 'ok' : 'not ok';
    lines.push(`scripts ${location} ${state}: ${count} script${count === 1 ? '' : 's'}`);
    for (const { file, line, column, message } of problems) {
      const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
      lines.push(`  error: ${place}: ${message}`);
    }
  }
  lines.push(report.ok ? 'ok' : 'not ok');
  return `${lines.join('\n')}\n`;
}

/** oneLine joins the lines of a message; libpq's have several. */
function oneLine(message: string): string {
  return message.trim().replaceAll(/\s*\n\s*/g, ' ');
}
