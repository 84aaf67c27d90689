/**
 * The command `check`: verifies the configuration, connects to the databases, parses every script, loads every plugin (in
 * processes of their own), and prints who may run which script. It changes nothing on disk or in a database. Exit code 0
 * when there are no errors, 1 otherwise.
 */
import { ConfigError, loadConfig, type ConfigSources, type LoadedConfig } from '../config/load.js';
import { needsToken } from '../config/authentication.js';
import type { Config } from '../config/schema.js';
import { databasesOf } from '../config/databases.js';
import { scriptAccessOf } from '../config/settings.js';
import { checkDatabase } from '../pg/connect.js';
import { routesOf } from '../script/route-list.js';
import { problemPlace } from '../script/script-files.js';
import type { RoutedScript } from '../script/scripts.js';
import { listScripts, type ListedScript, type ScriptListing } from '../script/script-listing.js';
import { checkPlugins } from './plugin-check.js';
import { reportText, type AccessFindings, type PathFindings, type Report } from './report.js';
import { secretTableWarnings } from './secret-tables-check.js';
import { scriptPermissions } from './script-permissions.js';
import { checkStoredScripts } from './stored-scripts-check.js';

/** check prints a report, as text or JSON, and resolves to the exit code. */
export async function check(sources: ConfigSources, json: boolean): Promise<number> {
  const report = await makeReport(sources);
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
  return report.ok ? 0 : 1;
}

async function makeReport(sources: ConfigSources): Promise<Report> {
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
      plugins: null,
      paths: null,
      access: null,
    };
  }
  const { config, file, switchedOff } = loaded;
  const warnings = loaded.warnings.filter((warning) => !switchedOff.includes(warning));
  const location = config['queries.location'];
  // Concurrently: a database that does not answer takes its whole timeout.
  const [
    { stored, listed, warnings: storedWarnings, routed: storedRouted },
    { scripts, problems, warnings: fileWarnings, routed: fileRouted },
    plugins,
    ...checked
  ] = await Promise.all([
    checkStoredScripts(config),
    checkScripts(location),
    checkPlugins(config),
    ...databasesOf(config).map(async (settings) => {
      const finding = { alias: settings.alias, ...(await checkDatabase(settings)) };
      return { finding, secrets: finding.ok ? await secretTableWarnings(config, settings) : [] };
    }),
  ]);
  const routed = stored === null ? fileRouted : storedRouted;
  const paths = checkPaths(routed, config['pg.database']);
  const databases = checked.map(({ finding }) => finding);
  const { access, accessWarnings } = checkAccess(
    config,
    listed ?? scripts,
    databases.map(({ alias }) => alias),
  );
  return {
    ok:
      switchedOff.length === 0 &&
      databases.every(({ ok }) => ok) &&
      problems.length === 0 &&
      plugins.problems.length === 0 &&
      paths.problems.length === 0 &&
      (stored?.ok ?? true),
    file: file ?? null,
    errors: switchedOff,
    warnings: [
      ...warnings,
      ...checked.flatMap(({ secrets }) => secrets),
      ...[...fileWarnings, ...storedWarnings].map(
        (warning) => `${problemPlace(warning)}: ${warning.message}`,
      ),
      ...accessWarnings,
    ],
    databases,
    scripts: { location, count: scripts.length, problems },
    stored,
    plugins,
    paths,
    access,
  };
}

async function checkScripts(location: string): Promise<ScriptListing> {
  try {
    return await listScripts(location);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    // serve creates the folder.
    if (code === 'ENOENT') return { scripts: [], problems: [], warnings: [], routed: [] };
    const problems = [{ file: location, message: `cannot be read: ${code}` }];
    return { scripts: [], problems, warnings: [], routed: [] };
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
