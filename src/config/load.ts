/**
 * Loading a configuration: flags over environment over file over defaults, every value of every source checked, all
 * problems reported together. Refuses values that do not go together.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { checkAuthentication, needsToken } from './authentication.js';
import { checkedValues, type SomeValues } from './checked-values.js';
import { environmentEntries, fileEntries, mergedEntries } from './database-entries.js';
import { configuredDatabases } from './databases.js';
import type { Issues } from './kind.js';
import { KEYS, NAMES, type Config } from './schema.js';
import { readEnvironment, readFile, readFlags, type Entries } from './sources.js';

/** ConfigSources is where to look. */
export interface ConfigSources {
  /** The file that must be used (`--config`); otherwise SERVICE_CONF, otherwise ./service.toml when it is there. */
  readonly file?: string | undefined;
  /** What that file will hold, for a check before it is written. */
  readonly text?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values given on the command line, by key. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Folder that relative paths of the environment and the command line start from. */
  readonly cwd: string;
}

/** LoadedConfig is a configuration that can be used. */
export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
  /** Those of the warnings that say a wanted protection or interface was switched off: `check` fails on them. */
  readonly switchedOff: readonly string[];
  /** The file that was read, absolute. */
  readonly file: string | undefined;
}

/** ConfigError says everything that is wrong with a configuration. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  readonly warnings: readonly string[];

  constructor(problems: readonly string[], warnings: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
    this.warnings = warnings;
  }
}

/** loadConfig reads and checks a configuration; throws ConfigError with every problem. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { env, flags = {}, cwd } = sources;
  const issues: Issues = { errors: [], warnings: [] };
  const foreign: string[] = [];
  const file = findFile(sources);
  const levels = [
    file === undefined ? (new Map() as Entries) : readFile(file, foreign, issues, sources.text),
    readEnvironment(env, cwd, foreign, issues),
    readFlags(flags, cwd, issues),
  ];
  const values: SomeValues = {};
  const listed = levels[0]!.get('databases');
  for (const level of levels) {
    level.delete('databases');
    Object.assign(values, checkedValues(level, issues));
  }
  values.databases = mergedEntries(
    fileEntries(listed, issues),
    environmentEntries(env, cwd, issues),
  );
  const badValues = issues.errors.length > 0;
  fillDefaults(values, file === undefined ? cwd : dirname(file));
  const switchedOff = switchOff(values);
  if (foreign.length > 0)
    issues.warnings.push(`without effect in this service: ${foreign.sort().join(', ')}`);
  // What a default or a sum says about values that were refused would only confuse.
  if (!badValues) checkTogether(values as Config, issues);
  const warnings = [...issues.warnings, ...switchedOff];
  if (issues.errors.length > 0) throw new ConfigError(issues.errors, warnings);
  return { config: Object.freeze(values) as Config, warnings, switchedOff, file };
}

function findFile({ file, env, cwd }: ConfigSources): string | undefined {
  const named = file ?? env['SERVICE_CONF'];
  if (named !== undefined && named !== '') return resolve(cwd, named);
  const usual = resolve(cwd, 'service.toml');
  return existsSync(usual) ? usual : undefined;
}

/** fillDefaults sets every key that has no value; fixed defaults first, since derived ones are worked out from them. */
function fillDefaults(values: SomeValues, base: string): void {
  for (const derived of [false, true]) {
    for (const name of NAMES) {
      const key = KEYS[name];
      if (values[name] !== undefined || key.derived !== derived) continue;
      const value = key.fallback(values);
      const isPath = value !== undefined && key.kind.isPath?.(value);
      values[name] = isPath ? resolve(base, value as string) : value;
    }
  }
}

/** switchOff applies the rules of queries.restrict and queries.register_enabled, and says so. */
function switchOff(values: SomeValues): string[] {
  const said: string[] = [];
  const authenticated = values['auth.enabled'] === true;
  if (values['queries.restrict'] === true && !authenticated) {
    values['queries.restrict'] = false;
    said.push('queries.restrict: switched off, because auth.enabled is off');
  }
  if (values['queries.register_enabled'] === true) {
    const missing = [
      authenticated ? [] : ['auth.enabled is off'],
      values['jwt.key'] ? [] : ['jwt.key is not set'],
      (values['queries.register_admins'] as readonly string[]).length > 0
        ? []
        : ['queries.register_admins is empty'],
    ].flat();
    if (missing.length === 0 && values['queries.storage'] !== 'database')
      missing.push('queries.storage is not "database"');
    if (missing.length > 0) {
      values['queries.register_enabled'] = false;
      said.push(`queries.register_enabled: switched off, because ${missing.join(' and ')}`);
    }
  }
  return said;
}

/** checkTogether checks what concerns several keys. */
function checkTogether(config: Config, issues: Issues): void {
  const processes = config['http.processes'];
  const threads = config['pool.threads'];
  const databases = configuredDatabases(config);
  const aliases = databases.map(({ alias }) => alias);
  const tooFew = databases
    .filter((database) => processes * threads > database.config['pg.maxopenconn'])
    .map(({ limitedBy, config: own }) => `${limitedBy}, ${own['pg.maxopenconn']}`);
  for (const limit of new Set(tooFew))
    issues.errors.push(
      `http.processes × pool.threads is ${processes} × ${threads} = ${processes * threads}, more than ${limit}: every thread needs a connection`,
    );
  const share = Math.floor(config['pg.result_budget'] / threads);
  // Of several databases each leaves as much to the others as it takes.
  const several = databases.length > 1;
  if (share < config['pg.max_result'] * (several ? 2 : 1))
    issues.errors.push(
      `pg.result_budget / pool.threads is ${share} bytes, less than ${several ? 'twice ' : ''}pg.max_result, ${config['pg.max_result']}: such a result would never fit${several ? ', for no database may take more than half' : ''}`,
    );
  if (!(config['health.ready'] ?? aliases).every((alias) => aliases.includes(alias)))
    issues.errors.push(
      `health.ready: it names an alias that no database has; there ${aliases.length === 1 ? 'is' : 'are'} ${aliases.join(', ')}`,
    );
  if (config['queries.register_enabled'] && aliases.includes('registry'))
    issues.errors.push(
      'databases: none can have the alias registry while queries.register_enabled is on, for its paths are those of the registry; give that database another alias (pg.database is one too)',
    );
  if (!config['pg.single'])
    issues.warnings.push(
      'pg.single = false: only the configured databases are served nevertheless',
    );
  checkAuthentication(config, issues);
  if (needsToken(config) && readsTables(config))
    issues.warnings.push(
      'mcp.enabled: whoever has a token can read every table through /_mcp, for access.restrict is off; say in [access] who may read what, or set mcp.enabled = false',
    );
  if (!needsToken(config) && !isLoopback(config['http.host']))
    issues.warnings.push(
      `http.host is ${config['http.host']} and authentication is off: whoever reaches that address can run every script in ${config['queries.location']}, call every plugin in ${config.pluginpath}${readsTables(config) ? ' and read every table through /_mcp' : ''}`,
    );
}

/** Whether the MCP endpoint shows every table to whoever may use it. */
function readsTables(config: Config): boolean {
  return config['mcp.enabled'] && !config['access.restrict'];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
