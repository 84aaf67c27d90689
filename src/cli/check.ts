/**
 * The command `check`: what is wrong with the configuration, whether the database answers, and which scripts do not
 * parse. Changes nothing, neither on disk nor in the database. Exit code 0 when all is well, 1 otherwise.
 */
import { ConfigError, loadConfig, type ConfigSources, type LoadedConfig } from '../config/load.js';
import { databaseOf } from '../config/settings.js';
import { checkDatabase } from '../pg/check.js';
import { listScripts } from '../script/script-listing.js';
import { writeReport, type Report, type ScriptFindings } from './report.js';

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
    return { ok: false, file: null, errors, warnings, databases: [], scripts: null };
  }
  const { config, file, switchedOff } = loaded;
  const warnings = loaded.warnings.filter((warning) => !switchedOff.includes(warning));
  const settings = databaseOf(config);
  const database = { alias: settings.alias, ...(await checkDatabase(settings)) };
  const scripts = await examineScripts(config['queries.location']);
  return {
    ok: switchedOff.length === 0 && database.ok && scripts.problems.length === 0,
    file: file ?? null,
    errors: switchedOff,
    warnings,
    databases: [database],
    scripts,
  };
}

async function examineScripts(location: string): Promise<ScriptFindings> {
  try {
    const { scripts, problems } = await listScripts(location);
    return { location, count: scripts.length, problems };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    // serve makes the folder.
    if (code === 'ENOENT') return { location, count: 0, problems: [] };
    return {
      location,
      count: 0,
      problems: [{ file: location, message: `cannot be read: ${code}` }],
    };
  }
}
