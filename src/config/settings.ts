/**
 * From a configuration to what each front end is started with. Shares the connections out so that all processes and
 * threads together never hold more than configured.
 */
import type { DatabaseSettings, FrontEndSettings, LogSettings } from '../protocol.js';
import { conninfo } from './conninfo.js';
import type { Config } from './schema.js';

/** settingsOf gives one FrontEndSettings for each front-end process; `pretty` chooses readable log lines over JSON. */
export function settingsOf(config: Config, pretty: boolean): FrontEndSettings[] {
  const processes = config['http.processes'];
  const threads = config['pool.threads'];
  const open = config['pg.maxopenconn'];
  const idle = Math.min(config['pg.maxidleconn'], open);
  const alias = config['pg.database'];
  const log = logSettingsOf(config, pretty);
  return Array.from({ length: processes }, (_, index) => ({
    index,
    host: config['http.host'],
    port: config['http.port'],
    context: config.context.replace(/\/$/, ''),
    timeout: config['http.timeout'],
    grace: config['http.grace'],
    queue: config['pool.queue'],
    maxBody: config['http.max_body'],
    threads,
    accessLog: config['log.access'],
    ready: config['health.ready'] ?? [alias],
    worker: {
      databases: [
        databaseOf(config, {
          connections: shareOf(open, processes, threads, index),
          idleConnections: shareOf(idle, processes, threads, index),
          waiting: Math.max(LEAST_WAITING, Math.ceil(config['pool.queue'] / 2 / threads)),
        }),
      ],
      defaultAlias: alias,
      scripts: config['queries.location'],
      aggregate: config['json.agg.type'],
      maxResult: config['pg.max_result'],
      resultBudget: Math.floor(config['pg.result_budget'] / threads),
      timeout: config['http.timeout'],
      queue: config['pool.queue'],
      debug: config.debug,
      raised: config['queries.raised_messages'],
      log,
    },
  }));
}

/** Slow statements that may wait in each thread, however small the queue is. */
const LEAST_WAITING = 100;

/** logSettingsOf gives the settings of the log. */
export function logSettingsOf(config: Config, pretty: boolean): LogSettings {
  return { level: config['log.level'], pretty };
}

/** databaseOf gives the default database with a share of its connections and of what may wait (one, when not said). */
export function databaseOf(
  config: Config,
  share: Pick<DatabaseSettings, 'connections' | 'idleConnections' | 'waiting'> = {
    connections: 1,
    idleConnections: 1,
    waiting: 1,
  },
): DatabaseSettings {
  const target = {
    host: config['pg.host'],
    port: config['pg.port'],
    user: config['pg.user'],
    password: config['pg.pass'],
    database: config['pg.database'],
    connectTimeout: config['pg.conntimeout'],
    statementTimeout: config['pg.statement_timeout'],
    channelBinding: config['pg.channel_binding'],
    sslMode: config['pg.ssl.mode'],
    sslCert: config['pg.ssl.cert'],
    sslKey: config['pg.ssl.key'],
    sslRootCert: config['pg.ssl.rootcert'],
  };
  return {
    alias: target.database,
    conninfo: conninfo(target),
    host: target.host,
    port: target.port,
    idleTime: config['pg.idle_time'],
    connectTimeout: target.connectTimeout,
    statementTimeout: target.statementTimeout,
    prepared: config['pg.prepared'],
    ...share,
  };
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
