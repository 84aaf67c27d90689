/**
 * The command `check`: verifies the configuration, connects to the databases, parses every script and proves its branches,
 * loads every plugin (in processes of their own), and prints who may run which script. It changes nothing on disk or in a
 * database. Exit code 0 when there are no errors, 1 otherwise.
 */
import { sortedBy } from '../../base/text.js';
import { ConfigError, loadConfig, type ConfigSources, type LoadedConfig } from '../config/load.js';
import { needsToken } from '../config/authentication.js';
import type { Config } from '../config/schema.js';
import { configuredDatabases, databasesOf } from '../config/databases.js';
import { scriptAccessOf } from '../config/settings.js';
import { checkDatabase } from '../../postgres/lanes/database-check.js';
import { routesOf } from '../../script/route-list.js';
import { problemPlace, type ListedProblem } from '../../script/files/script-files.js';
import type { RoutedScript } from '../../script/scripts.js';
import {
  listScripts,
  type ListedScript,
  type ListedText,
  type ScriptListing,
} from '../../script/files/script-listing.js';
import type { CommandLine } from '../line/command-line.js';
import { databaseAgainst, placeOf } from './database-against.js';
import { checkPlugins } from './plugin-check.js';
import { Progress } from '../line/progress.js';
import { proveScripts } from './proof-check.js';
import { provableTexts } from './provable-texts.js';
import {
  reportText,
  type AccessFindings,
  type PathFindings,
  type Report,
  type ScriptFindings,
  type StoredFindings,
} from './report.js';
import { noConfigurationFile } from '../line/start-report.js';
import { replicaWarnings } from './replicas-check.js';
import { searchPathWarnings } from './search-path-check.js';
import { secretTableWarnings } from './secret-tables-check.js';
import { scriptPermissions } from './script-permissions.js';
import { requireScript, ScriptSelection } from './script-selection.js';
import { CommandError } from '../line/session.js';
import { checkStoredScripts } from './stored-scripts-check.js';

/** check prints a report, as text or JSON, and resolves to the exit code. */
export async function check(
  sources: ConfigSources,
  line: Pick<CommandLine, 'against' | 'json' | 'privileges' | 'prove' | 'script'>,
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
  {
    against: url,
    privileges,
    prove,
    script,
  }: Pick<CommandLine, 'against' | 'privileges' | 'prove' | 'script'>,
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
  const [table, files, plugins, replicas, ...checked] = await Promise.all([
    checkStoredScripts(config),
    checkScripts(location),
    selection === undefined ? checkPlugins(config) : null,
    against === undefined ? replicaWarnings(config) : [],
    ...(against === undefined ? databasesOf(config) : [against]).map(async (settings) => {
      const place = settings === against ? { against: placeOf(settings) } : {};
      const found = await checkDatabase(settings);
      const alias = { alias: settings.alias, ...place };
      if (!found.ok) return { finding: { ...alias, ...found }, about: [] };
      const { name, version, lacks, isPostgres } = found.engine;
      const about = [
        ...lacks.map((what) => `database ${settings.alias}: ${name}: ${what}`),
        ...(isPostgres ? await secretTableWarnings(config, settings) : []),
        ...(isPostgres ? await searchPathWarnings(settings) : []),
      ];
      return { finding: { ...alias, ok: true as const, engine: name, version }, about };
    }),
  ]);
  const databases = checked.map(({ finding }) => finding);
  const missing = unconfigured(sources, loaded, files.findings);
  const errors = [...switchedOff, ...missing.errors];
  const warnings = [
    ...loaded.warnings.filter((warning) => !switchedOff.includes(warning)),
    ...missing.warnings,
    ...replicas,
    ...checked.flatMap(({ about }) => about),
  ];
  const chosen = (problem: ListedProblem): boolean => selection?.hasFile(problem.file) ?? true;
  const scripts = { ...files.findings, problems: files.problems.filter(chosen) };
  const stored = table.stored && chosenFrom(table.stored, chosen);
  if (selection !== undefined)
    requireScript(
      selection,
      [...files.scripts, ...(table.listed ?? [])],
      [...scripts.problems, ...(stored?.problems ?? [])],
      aliases,
    );
  const proof =
    prove === 'off'
      ? null
      : await proveScripts(config, {
          full: prove === 'full',
          analysed: privileges,
          texts: provableTexts(
            config,
            { stored: table.texts, keys: table.keys, files: files.texts },
            selection,
            against !== undefined,
          ),
          available: new Set(databases.filter(({ ok }) => ok).map(({ alias }) => alias)),
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
      scripts.problems.length === 0 &&
      (plugins?.problems.length ?? 0) === 0 &&
      (paths?.problems.length ?? 0) === 0 &&
      (stored?.ok ?? true) &&
      (proof?.ok ?? true),
    file: file ?? null,
    errors,
    warnings: [
      ...warnings,
      ...[...files.warnings, ...table.warnings]
        .filter(chosen)
        .map((warning) => `${problemPlace(warning)}: ${warning.message}`),
      ...(access?.accessWarnings ?? []),
    ],
    databases,
    scripts,
    stored,
    proof,
    plugins,
    paths,
    access: access?.access ?? null,
  };
}

/** The error of a folder where nothing is configured: without scripts it is most likely the wrong one. */
function unconfigured(
  { cwd }: ConfigSources,
  { config, isSet }: LoadedConfig,
  { message }: ScriptFindings,
): { readonly errors: readonly string[]; readonly warnings: readonly string[] } {
  if (isSet) return { errors: [], warnings: [] };
  const noFile = noConfigurationFile(cwd);
  if (message === null) return { errors: [], warnings: [`${noFile}; the defaults apply`] };
  const noFolder = `no folder ${config['queries.location']}`;
  return { errors: [`${noFile}; and ${noFolder}: run check where they are`], warnings: [] };
}

interface CheckedFolder extends ScriptListing {
  readonly findings: ScriptFindings;
  readonly texts: readonly ListedText[];
}

async function checkScripts(location: string): Promise<CheckedFolder> {
  const none = { scripts: [], problems: [], warnings: [], routed: [] };
  const texts: ListedText[] = [];
  const found = (listing: ScriptListing, message: string | null): CheckedFolder => {
    const { scripts, problems } = listing;
    return { ...listing, texts, findings: { location, message, count: scripts.length, problems } };
  };
  try {
    return found(await listScripts(location, (text) => texts.push(text)), null);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return found(none, NO_FOLDER);
    const problems = [{ file: location, message: `cannot be read: ${code}` }];
    return found({ ...none, problems }, null);
  }
}

/** The message about a folder that `serve` will create. */
const NO_FOLDER = 'there is no such folder; serve makes it, unless queries.location names another';

/** The findings about the table, with the problems of chosen texts only. */
function chosenFrom(
  found: StoredFindings,
  chosen: (problem: ListedProblem) => boolean,
): StoredFindings {
  const problems = found.problems.filter(chosen);
  const ok = found.message === null ? problems.length === 0 : found.ok;
  return { ...found, ok, problems };
}

function checkPaths(routed: readonly RoutedScript[], defaultAlias: string): PathFindings {
  const { routes, conflicts } = routesOf(routed, defaultAlias);
  const served = routes.flatMap(({ methods, path, script }) =>
    script === undefined
      ? []
      : [{ path, methods, database: script.alias, folder: script.folder, name: script.name }],
  );
  return {
    served: sortedBy(served, ({ path }) => path),
    problems: conflicts.map(({ message }) => message),
  };
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
