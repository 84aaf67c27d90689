/**
 * All configured databases, the default one first, and their settings for each query worker. An entry inherits the keys of
 * `pg` that it does not set, with one exception: the password of `pg` is never sent to another server. Replicas of a server
 * have its databases, roles and passwords.
 */
import type { DatabaseSettings, ReplicaSettings } from '../../messages/database-settings.js';
import { checkedValues, type CheckedValues } from './checked-values.js';
import { conninfo, type ConnectionTarget } from './conninfo.js';
import type { DatabaseEntry } from './database-entries.js';
import type { Issues } from './kind.js';
import { KEYS, type Config, type KeyName } from './schema.js';

/** A database, and the configuration with the keys that it overrides. */
export interface ConfiguredDatabase {
  readonly alias: string;
  readonly config: Config;
  /** The setting that limits its connections, for messages. */
  readonly limitedBy: string;
}

/** The keys that an entry with its own server does not inherit. */
const SERVER_KEYS = [
  'pg.host',
  'pg.port',
  'pg.user',
  'pg.pass',
  'pg.replicas',
] as const satisfies KeyName[];

/** The keys of a database on its server, which another database of it does not take from a replica's URL. */
const DATABASE_KEYS = ['pg.user', 'pg.pass', 'pg.database'] as const satisfies KeyName[];

/** configuredDatabases lists all databases: `pg`, or the entry with its name, and the other entries. */
export function configuredDatabases(config: Config): readonly ConfiguredDatabase[] {
  const main = config['pg.database'];
  // loadConfig has replaced the items of the list by entries.
  const entries = config.databases as readonly DatabaseEntry[];
  const first = entries.find(({ alias }) => alias === main) ?? { alias: main };
  return [first, ...entries.filter((entry) => entry.alias !== main)].map((entry) => ({
    alias: entry.alias,
    config: configFor(config, entry),
    limitedBy:
      entry['pg.maxopenconn'] === undefined
        ? 'pg.maxopenconn'
        : `maxopenconn of the database ${entry.alias}`,
  }));
}

/**
 * databasesOf returns the settings of all databases for the query workers of an HTTP process, by its index; without an
 * index, each database has a single connection.
 */
export function databasesOf(config: Config, httpProcess?: number): DatabaseSettings[] {
  return configuredDatabases(config).map((database) => settingsFor(database, httpProcess));
}

/**
 * replicasOf returns the settings of the replicas of all databases for the query workers of an HTTP process, by its index;
 * when `readOnly`, the settings for read-only jobs. Each replica may have as many connections as the database itself.
 */
export function replicasOf(
  config: Config,
  httpProcess: number,
  readOnly = false,
): ReplicaSettings[] {
  return configuredDatabases(config).flatMap((database) =>
    replicaConfigs(database).map((one, i) => ({
      ...settingsFor({ ...database, config: one }, httpProcess, readOnly),
      // No configured alias has a NUL.
      alias: `${database.alias}\0${i + 1}`,
      of: database.alias,
    })),
  );
}

/** The configuration of each replica of a database: what its URL does not contain is as for the database. */
function replicaConfigs({ config }: ConfiguredDatabase): Config[] {
  // checkedValues has replaced the URLs by the keys that they set.
  const replicas = (config['pg.replicas'] ?? []) as readonly CheckedValues[];
  return replicas.map((keys) => ({ ...config, ...keys }) as Config);
}

/** sameServer returns the place (host:port) that two servers of one database have in common, or undefined. */
export function sameServer(database: ConfiguredDatabase): string | undefined {
  const places = [database.config, ...replicaConfigs(database)].map(
    (config) => `${config['pg.host']}:${config['pg.port']}`,
  );
  return places.find((place, i) => places.indexOf(place) !== i);
}

/**
 * databaseAt returns the settings of the default database at another URL, which comes from `at`, with a single connection.
 * Problems of the URL go to `issues`.
 */
export function databaseAt(
  config: Config,
  url: string,
  { at, base, issues }: { readonly at: string; readonly base: string; readonly issues: Issues },
): DatabaseSettings {
  const alias = config['pg.database'];
  const values = checkedValues(new Map([['pg.url', { value: url, at, base }]]), issues);
  // Without a password libpq reads ~/.pgpass.
  const entry = { alias, 'pg.url': url, 'pg.pass': '', ...values } as DatabaseEntry;
  return settingsFor({ alias, config: configFor(config, entry), limitedBy: '' }, undefined);
}

/** readOnlyDatabasesOf returns the settings of the same databases, in the same order, for read-only jobs. */
export function readOnlyDatabasesOf(config: Config, httpProcess: number): DatabaseSettings[] {
  return configuredDatabases(config).map((database) => settingsFor(database, httpProcess, true));
}

/** How long the connection of the proof stays open while idle, ms: a query worker then uses it again. */
const PROOF_IDLE = 10_000;

/** proverDatabasesOf returns the settings of the same databases, in the same order, for the proof of the scripts. */
export function proverDatabasesOf(config: Config): DatabaseSettings[] {
  return configuredDatabases(config).map((database) => ({
    ...settingsFor(database, undefined),
    idleConnections: 0,
    idleTime: PROOF_IDLE,
  }));
}

/**
 * unprovable returns the setting that leaves no connection for the proof of the scripts, undefined if there is one to each
 * database: the query worker that lends it keeps one.
 */
export function unprovable(config: Config): string | undefined {
  const { 'http.processes': processes, 'pool.threads': threads } = config;
  const short = configuredDatabases(config).find(
    (database) => quotaOf(database.config['pg.maxopenconn'], processes, threads, 0) < 2,
  );
  return short && `${short.limitedBy}, ${short.config['pg.maxopenconn']}`;
}

/** databaseOf returns the settings of the default database, with a single connection. */
export function databaseOf(config: Config): DatabaseSettings {
  return databasesOf(config)[0]!;
}

/**
 * quotaOf is the number of connections of each thread of one HTTP process. The threads of an HTTP process have the same
 * quota, so quotas differ by at most one, and up to `threads - 1` connections are not used.
 */
export function quotaOf(total: number, processes: number, threads: number, index: number): number {
  const workers = processes * threads;
  const least = Math.floor(total / workers);
  const withOneMore = Math.floor((total - least * workers) / threads);
  return index < withOneMore ? least + 1 : least;
}

/** Minimum number of slow statements that may wait in each thread. */
const LEAST_WAITING = 100;

function configFor(config: Config, entry: DatabaseEntry): Config {
  const ownServer = entry['pg.url'] !== undefined || entry['pg.host'] !== undefined;
  const defaults = ownServer
    ? Object.fromEntries(SERVER_KEYS.map((name) => [name, KEYS[name].fallback({})]))
    : {};
  const { 'pg.maxopenconn': open, 'pg.maxidleconn': idle } = config;
  const inherited = entry['pg.replicas'] === undefined && entry.alias !== config['pg.database'];
  const replicas = (config['pg.replicas'] ?? []) as readonly CheckedValues[];
  const same = inherited && !ownServer ? { 'pg.replicas': replicas.map(withoutDatabase) } : {};
  // Where `pg` keeps all its connections open when idle, which is the default, so does every other database.
  const all = idle >= open ? { 'pg.maxidleconn': entry['pg.maxopenconn'] ?? open } : {};
  const own = { ...defaults, ...all, ...same, 'pg.database': entry.alias, ...entry };
  return { ...config, ...own } as unknown as Config;
}

function withoutDatabase(keys: CheckedValues): CheckedValues {
  const left = { ...keys };
  for (const name of DATABASE_KEYS) Reflect.deleteProperty(left, name);
  return left;
}

function settingsFor(
  { alias, config }: ConfiguredDatabase,
  httpProcess: number | undefined,
  readOnly = false,
): DatabaseSettings {
  const { 'http.processes': processes, 'pool.threads': threads, 'pool.queue': queue } = config;
  const open = config['pg.maxopenconn'];
  const timeout = config['pg.statement_timeout'];
  const quota = (total: number): number =>
    httpProcess === undefined ? 1 : quotaOf(total, processes, threads, httpProcess);
  const target: ConnectionTarget = {
    host: config['pg.host'],
    port: config['pg.port'],
    user: config['pg.user'],
    password: config['pg.pass'],
    database: config['pg.database'],
    connectTimeout: config['pg.conntimeout'],
    statementTimeout: readOnly ? Math.min(timeout, config['mcp.timeout']) : timeout,
    readOnly,
    channelBinding: config['pg.channel_binding'],
    sslMode: config['pg.ssl.mode'],
    sslCert: config['pg.ssl.cert'],
    sslKey: config['pg.ssl.key'],
    sslRootCert: config['pg.ssl.rootcert'],
    others: [],
  };
  const replicas = replicaConfigs({ alias, config, limitedBy: '' });
  const others = replicas.map((one) => ({ host: one['pg.host'], port: one['pg.port'] }));
  // Query workers know which server is the primary. Other parts connect to whichever is.
  const served = httpProcess !== undefined;
  return {
    alias,
    conninfo: conninfo(served ? target : { ...target, others }),
    readOnlyConninfo:
      served && replicas.length > 0 ? conninfo({ ...target, readOnly: true }) : undefined,
    host: target.host,
    port: target.port,
    database: target.database,
    // Read-only jobs borrow at most half of a thread's connections, and keep none of them idle.
    connections: readOnly ? Math.max(1, Math.floor(quota(open) / 2)) : quota(open),
    idleConnections: readOnly ? 0 : quota(Math.min(config['pg.maxidleconn'], open)),
    waiting:
      httpProcess === undefined ? 1 : Math.max(LEAST_WAITING, Math.ceil(queue / 2 / threads)),
    idleTime: config['pg.idle_time'],
    connectTimeout: target.connectTimeout,
    statementTimeout: target.statementTimeout,
    prepared: config['pg.prepared'],
  };
}
