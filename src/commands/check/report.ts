/**
 * The report of `check`, and its text.
 */
import type { EngineName } from '../../base/engine.js';
import { problemPlace, type ListedProblem } from '../../script/files/script-files.js';
import { proofLines, type ProofFindings } from './proof-report.js';
import type { PermissionRow } from './script-permissions.js';
import { oneLine } from '../../base/text.js';

/** The outcome of an attempt to connect. */
export type DatabaseFinding = {
  readonly alias: string;
  /** As `host:port/name`, for one that took the place of the configuration's. */
  readonly against?: string;
} & (
  | { readonly ok: true; readonly engine: EngineName; readonly version: string }
  | { readonly ok: false; readonly message: string }
);

/** Findings about the scripts folder. */
export interface ScriptFindings {
  readonly location: string;
  /** Why there are no scripts yet; null when the folder is there. */
  readonly message: string | null;
  /** Number of texts that can be served: one for each verb of a script. */
  readonly count: number;
  readonly problems: readonly ListedProblem[];
}

/** Findings about the scripts table. */
export interface StoredFindings {
  /** `schema.table`. */
  readonly table: string;
  readonly ok: boolean;
  /** Why it cannot be used; with `ok`, why it cannot be used yet; null when it can. */
  readonly message: string | null;
  /** Number of texts that can be served: one for each verb of a script. */
  readonly count: number;
  /** Texts that do not parse; `file` is `[alias/]folder/name (verb)`. */
  readonly problems: readonly ListedProblem[];
}

/** Findings about the plugins folder. */
export interface PluginFindings {
  readonly location: string;
  /** Number of plugins that can be served. */
  readonly count: number;
  readonly problems: readonly ListedProblem[];
}

/** Findings about permissions on scripts. */
export interface AccessFindings {
  /** Whether callers need a token. */
  readonly token: boolean;
  /** Whether callers need a permission too (`queries.restrict`). */
  readonly restricted: boolean;
  /** For each script and subject, when restricted. */
  readonly permissions: readonly PermissionRow[];
}

/** Findings about the paths that scripts declare. */
export interface PathFindings {
  readonly served: readonly PathFinding[];
  /** Paths that two scripts declare, which therefore none serves. */
  readonly problems: readonly string[];
}

export interface PathFinding {
  /** As declared. */
  readonly path: string;
  readonly methods: readonly string[];
  readonly database: string;
  readonly folder: string;
  readonly name: string;
}

/** The report in the form of `check --json`. */
export interface Report {
  readonly ok: boolean;
  /** The configuration file; null without one, or when it has errors. */
  readonly file: string | null;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** Empty when the configuration has errors. */
  readonly databases: readonly DatabaseFinding[];
  readonly scripts: ScriptFindings | null;
  /** Null when scripts are files. */
  readonly stored: StoredFindings | null;
  /** Null without a proof. */
  readonly proof: ProofFindings | null;
  /** Null when one script is checked, like all that follow. */
  readonly plugins: PluginFindings | null;
  readonly paths: PathFindings | null;
  readonly access: AccessFindings | null;
}

/** reportText prints a report; `whole` prints all that the proof has found. */
export function reportText(report: Report, whole = false): string {
  const { errors, warnings, databases, scripts, stored, proof, plugins, paths, access } = report;
  const lines = [
    `configuration ${report.file === null ? '' : `${report.file} `}${errors.length === 0 ? 'ok' : 'not ok'}`,
    ...errors.map((error) => `  error: ${error}`),
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...databases.map((found) =>
      found.ok
        ? `database ${nameOf(found)} ok: ${found.engine} ${found.version}`
        : `database ${nameOf(found)} not ok\n  error: ${oneLine(found.message)}`,
    ),
  ];
  if (scripts !== null) {
    const { location, message, count, problems } = scripts;
    const state = problems.length === 0 ? 'ok' : 'not ok';
    lines.push(`scripts ${location} ${state}: ${countOf(count)}`, ...problemLines(problems));
    if (message !== null) lines.push(`  warning: ${message}`);
  }
  if (stored !== null) {
    const { table, ok, message, count, problems } = stored;
    const text = message === null ? countOf(count) : oneLine(message);
    if (ok) lines.push(`table ${table} ok: ${text}`);
    else if (message === null) lines.push(`table ${table} not ok: ${text}`);
    else lines.push(`table ${table} not ok`, `  error: ${text}`);
    lines.push(...problemLines(problems));
  }
  if (proof !== null) lines.push(...proofLines(proof, whole));
  if (plugins !== null && plugins.count + plugins.problems.length > 0) {
    const { location, count, problems } = plugins;
    const state = problems.length === 0 ? 'ok' : 'not ok';
    lines.push(
      `plugins ${location} ${state}: ${countOf(count, 'plugin')}`,
      ...problemLines(problems),
    );
  }
  if (paths !== null) lines.push(...pathLines(paths));
  if (access !== null) lines.push(...accessLines(access));
  lines.push(report.ok ? 'ok' : 'not ok');
  return `${lines.join('\n')}\n`;
}

function nameOf({ alias, against }: DatabaseFinding): string {
  return against === undefined ? alias : `${alias} (${against})`;
}

function countOf(count: number, noun = 'script'): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function problemLines(problems: readonly ListedProblem[]): string[] {
  return problems.map((problem) => `  error: ${problemPlace(problem)}: ${problem.message}`);
}

function pathLines({ served, problems }: PathFindings): string[] {
  if (served.length + problems.length === 0) return [];
  const several = new Set(served.map(({ database }) => database)).size > 1;
  const rows = served.map(({ methods, path, database, folder, name }) => [
    methods.join(' '),
    path,
    `${several ? `${database}/` : ''}${folder}/${name}`,
  ]);
  return [
    `paths ${problems.length === 0 ? 'ok' : 'not ok'}: ${countOf(served.length, 'path')}`,
    ...problems.map((problem) => `  error: ${problem}`),
    ...columns(rows),
  ];
}

function accessLines({ token, restricted, permissions }: AccessFindings): string[] {
  if (!token) return ['permissions: everybody may run every script, for authentication is off'];
  if (!restricted)
    return ['permissions: whoever has a token may run every script, for queries.restrict is off'];
  const several = new Set(permissions.map(({ database }) => database)).size > 1;
  const rows = permissions.map(({ database, folder, name, user, scope, permissions: words }) => [
    `${several ? `${database}/` : ''}${folder}/${name}`,
    `${user === null ? 'everybody' : JSON.stringify(user)}${scope === undefined ? '' : ` with ${scope}`}`,
    words.join(' ') || '-',
  ]);
  return [
    'permissions, of everybody with a token and of users with entries of their own:',
    ...columns(rows),
  ];
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map(
    ([first, second, third]) =>
      `  ${first!.padEnd(widths[0]!)}  ${second!.padEnd(widths[1]!)}  ${third!}`,
  );
}
