/**
 * Loads a configuration. Flags take precedence over the environment, that over the file, and that over the defaults. All
 * values of all sources are checked, also against each other, and all errors are reported together.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { checkAuthentication, needsToken } from './authentication.js';
import { checkedValues, type CheckedValues } from './checked-values.js';
import { environmentEntries, fileEntries, mergedEntries } from './database-entries.js';
import { configuredDatabases, sameServer, unprovable } from './databases.js';
import { DEVELOPMENT_DEFAULTS } from './development.js';
import { isCleartext, isThisMachine } from '../../base/this-machine.js';
import type { Issues } from './kind.js';
import { KEYS, NAMES, type Config, type KeyName } from './schema.js';
import { readEnvironment, readFile, readFlags, type Entries } from './sources.js';

export interface ConfigSources {
  /** The file (`--config`); otherwise SERVICE_CONF, otherwise ./service.toml if it exists. */
  readonly file?: string | undefined;
  /** The content of that file, for a check before it is written. */
  readonly text?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values given on the command line, by key. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Base of relative paths in the environment and on the command line. */
  readonly cwd: string;
  /** Whether the defaults of development mode apply. */
  readonly development?: boolean;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
  /** The warnings about a requested protection or interface that was switched off: `check` fails on them. */
  readonly switchedOff: readonly string[];
  /** Absolute path of the file that was read. */
  readonly file: string | undefined;
  /** Whether the file, the environment or a flag sets anything. */
  readonly isSet: boolean;
}

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

/** loadConfig reads and checks a configuration. Throws ConfigError. */
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
  const values: CheckedValues = {};
  const listed = levels[0]!.get('databases');
  for (const level of levels) {
    level.delete('databases');
    Object.assign(values, checkedValues(level, issues));
  }
  values.databases = mergedEntries(
    fileEntries(listed, issues),
    environmentEntries(env, cwd, issues),
  );
  const isSet = file !== undefined || Object.values(values).some((value) => !isEmpty(value));
  const badValues = issues.errors.length > 0;
  const changed = sources.development === true ? DEVELOPMENT_DEFAULTS : {};
  fillDefaults(values, changed, file === undefined ? cwd : dirname(file));
  const switchedOff = switchOff(values);
  if (foreign.length > 0)
    issues.warnings.push(`without effect in this service: ${foreign.sort().join(', ')}`);
  // Errors about defaults or sums would only confuse where a value is invalid.
  if (!badValues) checkCombinations(values as Config, issues);
  const warnings = [...issues.warnings, ...switchedOff];
  if (issues.errors.length > 0) throw new ConfigError(issues.errors, warnings);
  return { config: Object.freeze(values) as Config, warnings, switchedOff, file, isSet };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function findFile({ file, env, cwd }: ConfigSources): string | undefined {
  const named = file ?? env['SERVICE_CONF'];
  if (named !== undefined && named !== '') return resolve(cwd, named);
  const usual = resolve(cwd, 'service.toml');
  return existsSync(usual) ? usual : undefined;
}

/**
 * fillDefaults sets the keys without a value: `changed` ones first, then fixed defaults, because others are derived from
 * them.
 */
function fillDefaults(
  values: CheckedValues,
  changed: typeof DEVELOPMENT_DEFAULTS,
  base: string,
): void {
  for (const [name, value] of Object.entries(changed)) values[name as KeyName] ??= value;
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

/** switchOff switches off queries.restrict and queries.register_enabled where they cannot work, and returns warnings. */
function switchOff(values: CheckedValues): string[] {
  const warnings: string[] = [];
  const authenticated = values['auth.enabled'] === true;
  if (values['queries.restrict'] === true && !authenticated) {
    values['queries.restrict'] = false;
    warnings.push('queries.restrict: switched off, because auth.enabled is off');
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
      warnings.push(`queries.register_enabled: switched off, because ${missing.join(' and ')}`);
    }
  }
  return warnings;
}

/** checkCombinations checks keys against each other. */
function checkCombinations(config: Config, issues: Issues): void {
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
  for (const database of databases) {
    const place = sameServer(database);
    if (place !== undefined)
      issues.errors.push(
        `pg.replicas: the database ${database.alias} has the server ${place} twice`,
      );
  }
  const perThread = Math.floor(config['pg.result_budget'] / threads);
  // With several databases, each may use half of the budget.
  const several = databases.length > 1;
  if (perThread < config['pg.max_result'] * (several ? 2 : 1))
    issues.errors.push(
      `pg.result_budget / pool.threads is ${perThread} bytes, less than ${several ? 'twice ' : ''}pg.max_result, ${config['pg.max_result']}: such a result would never fit${several ? ', for no database may take more than half' : ''}`,
    );
  if (!(config['health.ready'] ?? aliases).every((alias) => aliases.includes(alias)))
    issues.errors.push(
      `health.ready: it names an alias that no database has; there ${aliases.length === 1 ? 'is' : 'are'} ${aliases.join(', ')}`,
    );
  if (config['queries.register_enabled'] && aliases.includes('registry'))
    issues.errors.push(
      'databases: none can have the alias registry while queries.register_enabled is on, for its paths are the paths of the registry; give that database another alias (pg.database is one too)',
    );
  checkProof(config, issues);
  checkAuthentication(config, issues);
  if (needsToken(config) && exposesTables(config))
    issues.warnings.push(
      'mcp.enabled: whoever has a token can read every table through /_mcp, for access.restrict is off; say in [access] who may read what, or set mcp.enabled = false',
    );
  const metrics = config['metrics.listen'];
  if (
    metrics !== undefined &&
    config['metrics.token'] === undefined &&
    !isThisMachine(metrics.host)
  )
    issues.warnings.push(
      `metrics.listen: whoever reaches ${metrics.host} can read the metrics, which have the names of scripts and databases; set metrics.token, or use 127.0.0.1`,
    );
  const collector = config['trace.endpoint'];
  if (
    collector !== undefined &&
    config['trace.headers'] !== undefined &&
    isCleartext(new URL(collector))
  )
    issues.warnings.push(
      'trace.endpoint: trace.headers are sent over plain HTTP, and others may read them on the way; use https',
    );
  if (!needsToken(config) && !isThisMachine(config['http.host']))
    issues.warnings.push(
      `http.host is ${config['http.host']} and authentication is off: whoever reaches that address can run every script in ${config['queries.location']}, call every plugin in ${config.pluginpath}${exposesTables(config) ? ' and read every table through /_mcp' : ''}`,
    );
}

/** checkProof rejects a configuration without a connection for the prover, and `health.ready_proof` without `queries.proof`. */
function checkProof(config: Config, issues: Issues): void {
  const mode = config['queries.proof'];
  if (mode === 'off') {
    if (config['health.ready_proof'])
      issues.errors.push(
        'health.ready_proof: /_ready would never be 200, for queries.proof is "off"',
      );
    return;
  }
  const limit = unprovable(config);
  if (limit === undefined) return;
  const { 'http.processes': processes, 'pool.threads': threads } = config;
  const reason = `the proof needs a connection besides the connections of ${processes} × ${threads} threads, and ${limit} leaves none`;
  if (mode === 'require') issues.errors.push(`queries.proof: ${reason}`);
  else if (config['health.ready_proof'])
    issues.errors.push(`health.ready_proof: /_ready would never be 200: ${reason}`);
  else issues.warnings.push(`queries.proof: scripts are not proved: ${reason}`);
}

/** Whether the MCP endpoint shows all tables to all of its callers. */
function exposesTables(config: Config): boolean {
  return config['mcp.enabled'] && !config['access.restrict'];
}
