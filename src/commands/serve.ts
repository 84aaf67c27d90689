/**
 * The commands `serve` and `dev`: loads the configuration, creates the scripts folder if needed, prepares stored scripts, and
 * runs the supervisor. It starts even if a database is unreachable.
 */
import { mkdirSync } from 'node:fs';
import { isatty } from 'node:tty';
import { databaseOf } from './config/databases.js';
import { ConfigError, loadConfig, type ConfigSources, type LoadedConfig } from './config/load.js';
import { notForDevelopment } from './config/development.js';
import type { Config } from './config/schema.js';
import {
  certificateOf,
  loginLimitsOf,
  logSettingsOf,
  metricsOf,
  scriptsTableOf,
  settingsOf,
  traceExportOf,
} from './config/settings.js';
import { createLogger, logWarnings } from '../observe/log.js';
import { qualifiedName } from '../base/quote.js';
import { CHANNEL } from '../stored/scripts/scripts-table.js';
import { serve, type Service } from '../serve/supervisor/supervisor.js';
import { endWithNpm } from './line/npm-parent.js';
import {
  reportAccess,
  reportConfiguration,
  reportFolder,
  reportPage,
} from './line/start-report.js';
import { ScriptPreparation } from './scripts/script-preparation.js';

/** runService serves until a signal, and resolves to the exit code. */
export async function runService(sources: ConfigSources): Promise<number> {
  const development = sources.development === true;
  // Not process.stdout.isTTY: Node makes a pipe non-blocking for all programs that share it.
  const pretty = isatty(1);
  let loaded: LoadedConfig;
  let made: boolean;
  try {
    loaded = loadFor(sources);
    made = createScriptsFolder(loaded.config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const warning of error.warnings) process.stderr.write(`warning: ${warning}\n`);
    for (const problem of error.problems) process.stderr.write(`error: ${problem}\n`);
    return 1;
  }
  const { config } = loaded;
  const log = createLogger(logSettingsOf(config, pretty), { part: 'supervisor' });
  logWarnings(log);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the supervisor ends');
    process.exit(1);
  });
  reportConfiguration(loaded, sources.cwd, log);
  for (const warning of loaded.warnings) log.warn(warning);
  if (made) reportFolder(config, log);
  const preparation = new ScriptPreparation(log);
  endWithNpm();
  const serviceFor = (config: Config): Service => ({
    ...serviceOf(config, pretty, development),
    logLevel: config['log.level'],
    listening: (url) => {
      reportAccess(config, log);
      if (development) log.info({ served: 'development' }, DEVELOPMENT);
      reportPage(config, url, log);
    },
  });
  return serve({
    ...serviceFor(config),
    log,
    prepare: () => preparation.prepare(config),
    reload: async () => {
      const { config, warnings } = loadFor(sources);
      if (createScriptsFolder(config)) reportFolder(config, log);
      for (const warning of warnings) log.warn(warning);
      await preparation.prepare(config);
      return serviceFor(config);
    },
  });
}

const DEVELOPMENT =
  'development mode: errors show the lines of scripts, which are proved as they are saved';

/** Loads the configuration, which in development mode must not serve other machines. Throws ConfigError. */
function loadFor(sources: ConfigSources): LoadedConfig {
  const loaded = loadConfig(sources);
  if (sources.development !== true) return loaded;
  const problem = notForDevelopment(loaded.config['http.host']);
  if (problem !== undefined) throw new ConfigError([problem], loaded.warnings);
  return loaded;
}

function serviceOf(config: Config, pretty: boolean, development: boolean): Service {
  const table = scriptsTableOf(config);
  return {
    httpProcesses: settingsOf(config, pretty, development),
    certificate: certificateOf(config),
    logins: loginLimitsOf(config),
    metrics: metricsOf(config),
    trace: traceExportOf(config),
    scripts: table && {
      database: databaseOf(config),
      channel: CHANNEL,
      payload: qualifiedName(table),
    },
  };
}

/** Whether the folder was missing, and is made now. */
function createScriptsFolder(config: Config): boolean {
  const folder = config['queries.location'];
  try {
    return mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new ConfigError([`queries.location: ${folder} cannot be made: ${code}`], []);
  }
}
