/**
 * Every database that a configuration names, the default one first, and how each query worker reaches it. What an entry
 * does not say is as the keys of `pg` have it, but for one: no server other than that of `pg` is ever sent its password.
 */
import type { DatabaseSettings } from '../protocol.js';
import { conninfo } from './conninfo.js';
import type { DatabaseEntry } from './database-entries.js';
import { KEYS, type Config, type KeyName } from './schema.js';

/** One database, and the configuration as it is for that one. */
export interface ConfiguredDatabase {
  readonly alias: string;
  readonly config: Config;
  /** What says how many connections it may have, for messages. */
  readonly limitedBy: string;
}

/** What an entry that names a server of its own does not take from `pg`. */
const OF_THE_SERVER = ['pg.host', 'pg.port', 'pg.user', 'pg.pass'] as const satisfies KeyName[];

/** configuredDatabases gives all databases: that of `pg`, or the entry of its name, and the other entries. */
export function configuredDatabases(config: Config): readonly ConfiguredDatabase[] {
  const main = config['pg.database'];
  // By the time the list is part of a configuration it holds entries.
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
 * databasesOf gives the settings of all databases for the query threads of the front end of that number; without one,
 * each has a single connection.
 */
export function databasesOf(config: Config, frontEnd?: number): DatabaseSettings[] {
  return configuredDatabases(config).map((database) => settingsFor(database, frontEnd));
}

/** readOnlyDatabasesOf gives the settings of the same databases for what can only read, in the same order. */
export function readOnlyDatabasesOf(config: Config, frontEnd: number): DatabaseSettings[] {
  return configuredDatabases(config).map((database) => settingsFor(database, frontEnd, true));
}

/** databaseOf gives the settings of the default database, with a single connection. */
export function databaseOf(config: Config): DatabaseSettings {
  return databasesOf(config)[0]!;
}

/**
 * shareOf is what each thread of one front end gets of a number of connections. The threads of a front end get the
 * same, so the shares differ by at most one and up to `threads - 1` connections are not handed out.
 */
export function shareOf(total: number, processes: number, threads: number, index: number): number {
  const workers = processes * threads;
  const least = Math.floor(total / workers);
  const withOneMore = Math.floor((total - least * workers) / threads);
  return index < withOneMore ? least + 1 : least;
}

/** Slow statements that may wait in each thread, however small the queue is. */
const LEAST_WAITING = 100;

function configFor(config: Config, entry: DatabaseEntry): Config {
  const elsewhere = entry['pg.url'] !== undefined || entry['pg.host'] !== undefined;
  const plain = elsewhere
    ? Object.fromEntries(OF_THE_SERVER.map((name) => [name, KEYS[name].fallback({})]))
    : {};
  const { 'pg.maxopenconn': open, 'pg.maxidleconn': idle } = config;
  // Where `pg` keeps all its connections, so does every other: most often nobody has said how many.
  const all = idle >= open ? { 'pg.maxidleconn': entry['pg.maxopenconn'] ?? open } : {};
  return { ...config, ...plain, ...all, 'pg.database': entry.alias, ...entry };
}

function settingsFor(
  { alias, config }: ConfiguredDatabase,
  frontEnd: number | undefined,
  readOnly = false,
): DatabaseSettings {
  const { 'http.processes': processes, 'pool.threads': threads, 'pool.queue': queue } = config;
  const open = config['pg.maxopenconn'];
  const timeout = config['pg.statement_timeout'];
  const share = (total: number): number =>
    frontEnd === undefined ? 1 : shareOf(total, processes, threads, frontEnd);
  const target = {
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
  };
  return {
    alias,
    conninfo: conninfo(target),
    host: target.host,
    port: target.port,
    database: target.database,
    // Who only reads gets half of a thread's connections, and keeps none of them.
    connections: readOnly ? Math.max(1, Math.floor(share(open) / 2)) : share(open),
    idleConnections: readOnly ? 0 : share(Math.min(config['pg.maxidleconn'], open)),
    waiting: frontEnd === undefined ? 1 : Math.max(LEAST_WAITING, Math.ceil(queue / 2 / threads)),
    idleTime: config['pg.idle_time'],
    connectTimeout: target.connectTimeout,
    statementTimeout: target.statementTimeout,
    prepared: config['pg.prepared'],
  };
}
