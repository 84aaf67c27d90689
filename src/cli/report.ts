/**
 * What `check` found, and how it is written for people.
 */
import type { ListedProblem } from '../script/script-listing.js';
import type { PermissionRow } from './script-permissions.js';

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

/** StoredFindings are about the table of scripts. */
export interface StoredFindings {
  /** `schema.table`. */
  readonly table: string;
  readonly ok: boolean;
  /** Why it cannot be used, or, where that is ok, not yet; null when it can. */
  readonly message: string | null;
  /** How many scripts can be served, each verb counted. */
  readonly count: number;
  /** Texts that do not parse; `file` is `[alias/]folder/name` and the verb. */
  readonly problems: readonly ListedProblem[];
}

/** PluginFindings are about the folder of the plugins. */
export interface PluginFindings {
  readonly location: string;
  /** How many can be served. */
  readonly count: number;
  /** Why others cannot. */
  readonly problems: readonly ListedProblem[];
}

/** AccessFindings are about who may run scripts. */
export interface AccessFindings {
  /** Whether callers need a token. */
  readonly token: boolean;
  /** Whether they need a permission besides (`queries.restrict`). */
  readonly restricted: boolean;
  /** For each script and subject, when they do. */
  readonly permissions: readonly PermissionRow[];
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
  /** Null when scripts are files. */
  readonly stored: StoredFindings | null;
  readonly plugins: PluginFindings | null;
  readonly access: AccessFindings | null;
}

/** writeReport writes a report for people. */
export function writeReport(report: Report): string {
  const { errors, warnings, databases, scripts, stored, plugins, access } = report;
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
    lines.push(`scripts ${location} ${state}: ${countOf(count)}`, ...problemLines(problems));
  }
  if (stored !== null) {
    const { table, ok, message, count, problems } = stored;
    const said = message === null ? countOf(count) : oneLine(message);
    if (ok) lines.push(`table ${table} ok: ${said}`);
    else if (message === null) lines.push(`table ${table} not ok: ${said}`);
    else lines.push(`table ${table} not ok`, `  error: ${said}`);
    lines.push(...problemLines(problems));
  }
  if (plugins !== null && plugins.count + plugins.problems.length > 0) {
    const { location, count, problems } = plugins;
    const state = problems.length === 0 ? 'ok' : 'not ok';
    lines.push(
      `plugins ${location} ${state}: ${countOf(count, 'plugin')}`,
      ...problemLines(problems),
    );
  }
  if (access !== null) lines.push(...accessLines(access));
  lines.push(report.ok ? 'ok' : 'not ok');
  return `${lines.join('\n')}\n`;
}

function countOf(count: number, noun = 'script'): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function problemLines(problems: readonly ListedProblem[]): string[] {
  return problems.map(({ file, line, column, message }) => {
    const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
    return `  error: ${place}: ${message}`;
  });
}

function accessLines({ token, restricted, permissions }: AccessFindings): string[] {
  if (!token) return ['permissions: everybody may run every script, for authentication is off'];
  if (!restricted)
    return ['permissions: whoever has a token may run every script, for queries.restrict is off'];
  const several = new Set(permissions.map(({ database }) => database)).size > 1;
  const rows = permissions.map(({ database, folder, name, user, permissions: words }) => [
    `${several ? `${database}/` : ''}${folder}/${name}`,
    user === null ? 'everybody' : JSON.stringify(user),
    words.join(' ') || '-',
  ]);
  return [
    'permissions, of everybody with a token and of users with entries of their own:',
    ...columns(rows),
  ];
}

/** columns sets rows of three cells below each other. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map(
    ([first, second, third]) =>
      `  ${first!.padEnd(widths[0]!)}  ${second!.padEnd(widths[1]!)}  ${third!}`,
  );
}

/** oneLine joins the lines of a message; libpq's have several. */
function oneLine(message: string): string {
  return message.trim().replaceAll(/\s*\n\s*/g, ' ');
}
