/**
 * The command `check`: what is wrong with the configuration, whether the databases answer, which scripts do not parse,
 * who may run which, and which plugins cannot be served. Changes nothing, neither on disk nor in a database; plugins are
 * loaded, in processes of their own. Exit code 0 when all is well, 1 otherwise.
 */
import { ConfigError, loadConfig, type ConfigSources, type LoadedConfig } from '../config/load.js';
import { needsToken } from '../config/authentication.js';
import type { Config } from '../config/schema.js';
import { databasesOf } from '../config/databases.js';
import { scriptAccessOf } from '../config/settings.js';
import { checkDatabase } from '../pg/check.js';
import { listScripts, type ListedScript, type ScriptListing } from '../script/script-listing.js';
import { examinePlugins } from './plugins-check.js';
import { writeReport, type AccessFindings, type Report } from './report.js';
import { scriptPermissions } from './script-permissions.js';
import { examineStored } from './stored-scripts-check.js';

/** check prints its findings, as JSON when asked to, and resolves to the exit code. */
export async function check(sources: ConfigSources, json: boolean): Promise<number> {
  const report = await examine(sources);
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : writeReport(report));
  return report.ok ? 0 : 1;
}

async function examine(sources: ConfigSources): Promise<Report> {
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
      access: null,
    };
  }
  const { config, file, switchedOff } = loaded;
  const warnings = loaded.warnings.filter((warning) => !switchedOff.includes(warning));
  const location = config['queries.location'];
  // All at once: one that does not answer takes its time.
  const [{ stored, listed }, { scripts, problems }, plugins, ...databases] = await Promise.all([
    examineStored(config),
    examineScripts(location),
    examinePlugins(config),
    ...databasesOf(config).map(async (settings) => ({
      alias: settings.alias,
      ...(await checkDatabase(settings)),
    })),
  ]);
  const { access, oddities } = examineAccess(
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
      (stored?.ok ?? true),
    file: file ?? null,
    errors: switchedOff,
    warnings: [...warnings, ...oddities],
    databases,
    scripts: { location, count: scripts.length, problems },
    stored,
    plugins,
    access,
  };
}

async function examineScripts(location: string): Promise<ScriptListing> {
  try {
    return await listScripts(location);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    // serve makes the folder.
    if (code === 'ENOENT') return { scripts: [], problems: [] };
    return { scripts: [], problems: [{ file: location, message: `cannot be read: ${code}` }] };
  }
}

function examineAccess(
  config: Config,
  scripts: readonly ListedScript[],
  aliases: readonly string[],
): { readonly access: AccessFindings; readonly oddities: readonly string[] } {
  const token = needsToken(config);
  const settings = scriptAccessOf(config);
  if (settings === undefined)
    return { access: { token, restricted: false, permissions: [] }, oddities: [] };
  const { rows: permissions, warnings } = scriptPermissions(settings, scripts, aliases);
  return { access: { token, restricted: true, permissions }, oddities: warnings };
}
