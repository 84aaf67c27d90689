/**
 * The command `check`: verifies the configuration, connects to the databases, parses every script and proves its branches,
 * loads every plugin (in processes of their own), and prints who may run which script. It changes nothing on disk or in a
 * database. Exit code 0 when there are no errors, 1 otherwise.
 */
import { ConfigError, loadConfig, type ConfigSources, type LoadedConfig } from '../config/load.js';
import { needsToken } from '../config/authentication.js';
import type { Config } from '../config/schema.js';
import { configuredDatabases, databasesOf } from '../config/databases.js';
import { scriptAccessOf } from '../config/settings.js';
import { checkDatabase } from '../pg/connect.js';
import { routesOf } from '../script/route-list.js';
import { problemPlace, type ListedProblem } from '../script/script-files.js';
import type { RoutedScript } from '../script/scripts.js';
import { listScripts, type ListedScript, type ScriptListing } from '../script/script-listing.js';
import { nearest } from '../nearest.js';
import type { CommandLine } from './command-line.js';
import { checkPlugins } from './plugin-check.js';
import { quoted } from './printable.js';
import { Progress } from './progress.js';
import { databaseAgainst } from './database-against.js';
import { placeOf, proveScripts } from './proof-check.js';
import { reportText, type AccessFindings, type PathFindings, type Report } from './report.js';
import { secretTableWarnings } from './secret-tables-check.js';
import { scriptPermissions } from './script-permissions.js';
import { ScriptSelection } from './script-selection.js';
import { CommandError } from './session.js';
import { checkStoredScripts } from './stored-scripts-check.js';

/** check prints a report, as text or JSON, and resolves to the exit code. */
export async function check(
  sources: ConfigSources,
  line: Pick<CommandLine, 'against' | 'json' | 'prove' | 'script'>,
): Promise<number> {
  let report: Report;
  try {
    report = await makeReport(sources, line);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return 1;
  }
  process.stdout.write(
    line.json
      ? `${JSON.stringify(report, undefined, 2)}\n`
      : reportText(report, line.script !== undefined),
  );
  return report.ok ? 0 : 1;
}

async function makeReport(
  sources: ConfigSources,
  { against: url, prove, script }: Pick<CommandLine, 'against' | 'prove' | 'script'>,
): Promise<Report> {
  let loaded: LoadedConfig;
  try {
    loaded = loadConfig(sources);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems: errors, warnings } = error;
    return {
      ok: false,
      file: null,
      errors,
      warnings,
      databases: [],
      scripts: null,
      stored: null,
      proof: null,
      plugins: null,
      paths: null,
      access: null,
    };
  }
  const { config, file, switchedOff } = loaded;
  const location = config['queries.location'];
  const aliases = configuredDatabases(config).map(({ alias }) => alias);
  const selection =
    script === undefined ? undefined : new ScriptSelection(script, location, sources.cwd);
  const against = url === undefined ? undefined : databaseAgainst(url, config, sources);
  // Concurrently: a database that does not answer takes its whole timeout.
  const [table, files, plugins, ...checked] = await Promise.all([
    checkStoredScripts(config),
    checkScripts(location),
    selection === undefined ? checkPlugins(config) : null,
    ...(against === undefined ? databasesOf(config) : [against]).map(async (settings) => {
      const place = settings === against ? { against: placeOf(settings) } : {};
      const finding = { alias: settings.alias, ...place, ...(await checkDatabase(settings)) };
      return { finding, secrets: finding.ok ? await secretTableWarnings(config, settings) : [] };
    }),
  ]);
  const databases = checked.map(({ finding }) => finding);
  const place = placeFindings(sources, loaded, table.stored === null && files.missing);
  const errors = [...switchedOff, ...place.errors];
  const warnings = [
    ...loaded.warnings.filter((warning) => !switchedOff.includes(warning)),
    ...place.warnings,
    ...checked.flatMap(({ secrets }) => secrets),
  ];
  const isUsed = ({ file }: ListedProblem): boolean => selection?.hasFile(file) ?? true;
  const noted = [...files.warnings, ...table.warnings].filter(isUsed);
  const problems = files.problems.filter(isUsed);
  const stored = table.stored && {
    ...table.stored,
    ok: table.stored.message === null ? table.stored.problems.every((one) => !isUsed(one)) : table.stored.ok, // prettier-ignore
    problems: table.stored.problems.filter(isUsed),
  };
  const listed = [...files.scripts, ...(table.listed ?? [])];
  if (selection !== undefined) requireScript(selection, listed, [...files.problems, ...(table.stored?.problems ?? [])], aliases); // prettier-ignore
  const proof =
    prove === 'off'
      ? null
      : await proveScripts(config, {
          full: prove === 'full',
          selection,
          available: new Set(databases.filter(({ ok }) => ok).map(({ alias }) => alias)),
          readsTable: table.listed !== undefined,
          total: selection === undefined ? files.scripts.length + (stored?.count ?? 0) : 1,
          progress: new Progress(process.stderr),
          against,
        });
  const paths =
    selection === undefined
      ? checkPaths(table.stored === null ? files.routed : table.routed, config['pg.database'])
      : null;
  const access =
    selection === undefined ? checkAccess(config, table.listed ?? files.scripts, aliases) : null;
  return {
    ok:
      errors.length === 0 &&
      databases.every(({ ok }) => ok) &&
      problems.length === 0 &&
      (plugins?.problems.length ?? 0) === 0 &&
      (paths?.problems.length ?? 0) === 0 &&
      (stored?.ok ?? true) &&
      (proof?.ok ?? true),
    file: file ?? null,
    errors,
    warnings: [
      ...warnings,
      ...noted.map((warning) => `${problemPlace(warning)}: ${warning.message}`),
      ...(access?.accessWarnings ?? []),
    ],
    databases,
    scripts: { location, count: files.scripts.length, problems },
    stored,
    proof,
    plugins,
    paths,
    access: access?.access ?? null,
  };
}

/** What is said about a folder without configuration or scripts: most likely it is the wrong one. */
function placeFindings(
  { cwd }: ConfigSources,
  { config, file, isSet }: LoadedConfig,
  isMissing: boolean,
): { readonly errors: readonly string[]; readonly warnings: readonly string[] } {
  const location = config['queries.location'];
  const noScripts = `queries.location: there is no folder ${location}; serve makes it`;
  const noFile = `there is no configuration file: neither ${cwd}/service.toml nor one named by --config or SERVICE_CONF`;
  if (file === undefined && !isSet)
    return isMissing
      ? {
          errors: [`${noFile}; and no folder ${location}: is this the wrong folder?`],
          warnings: [],
        }
      : { errors: [], warnings: [`${noFile}; the defaults apply`] };
  return { errors: [], warnings: isMissing ? [noScripts] : [] };
}

/** Throws CommandError when there is no such script. */
function requireScript(
  selection: ScriptSelection,
  scripts: readonly ListedScript[],
  problems: readonly ListedProblem[],
  aliases: readonly string[],
): void {
  const { alias, text } = selection;
  if (alias !== undefined && !aliases.includes(alias))
    throw new CommandError(
      `no database has the alias ${quoted(alias)}; the nearest is ${quoted(nearest(alias, aliases))}`,
    );
  if (scripts.some((one) => selection.has(one))) return;
  if (problems.some(({ file }) => selection.hasFile(file))) return;
  const close = selection.nearest(scripts);
  throw new CommandError(
    `there is no script ${quoted(text)}${close === undefined ? '' : `; the nearest is ${close}`}`,
  );
}

async function checkScripts(
  location: string,
): Promise<ScriptListing & { readonly missing: boolean }> {
  const none = { scripts: [], problems: [], warnings: [], routed: [] };
  try {
    return { ...(await listScripts(location)), missing: false };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    // serve creates the folder.
    if (code === 'ENOENT') return { ...none, missing: true };
    const problems = [{ file: location, message: `cannot be read: ${code}` }];
    return { ...none, problems, missing: false };
  }
}

function checkPaths(routed: readonly RoutedScript[], defaultAlias: string): PathFindings {
  const { routes, conflicts } = routesOf(routed, defaultAlias);
  const served = routes.flatMap(({ methods, path, script }) =>
    script === undefined
      ? []
      : [{ path, methods, database: script.alias, folder: script.folder, name: script.name }],
  );
  served.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  return { served, problems: conflicts.map(({ message }) => message) };
}

function checkAccess(
  config: Config,
  scripts: readonly ListedScript[],
  aliases: readonly string[],
): { readonly access: AccessFindings; readonly accessWarnings: readonly string[] } {
  const token = needsToken(config);
  const settings = scriptAccessOf(config);
  if (settings === undefined)
    return { access: { token, restricted: false, permissions: [] }, accessWarnings: [] };
  const { rows: permissions, warnings } = scriptPermissions(settings, scripts, aliases);
  return { access: { token, restricted: true, permissions }, accessWarnings: warnings };
}
