/**
 * What faults happen to: a PostgreSQL server, a proxy in front of it, and the whole service, which knows the proxy alone.
 * The campaign itself goes to PostgreSQL directly, as a superuser.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startOwnPostgres, type OwnPostgres } from '../support/postgres.js';
import { Service, type Configuration } from '../support/service.js';
import { HTTP_TIMEOUT } from './load.js';
import { Proxy } from './proxy.js';
import { scripts, TABLES } from './requests.js';

export const PASSWORD = 'a password';
export const DATABASE = 'campaign';
export const MAX_BODY = 1 << 20;

export const CONFIGURATION = {
  'http.timeout': HTTP_TIMEOUT / 1000,
  'http.grace': 10,
  'http.processes': 2,
  'http.max_body': MAX_BODY,
  'pool.threads': 1,
  'pg.maxopenconn': 8,
  'pg.conntimeout': 2,
};

/** A session of the service at PostgreSQL. */
export interface Backend {
  readonly pid: number;
  readonly state: string;
}

type Undo = () => unknown;

/** Cleanup collects what is to be undone, last first. */
export class Cleanup {
  readonly #undo: Undo[] = [];

  teardown(undo: Undo): void {
    this.#undo.unshift(undo);
  }

  async run(): Promise<void> {
    for (const undo of this.#undo.splice(0)) await undo();
  }
}

export class Site {
  readonly postgres: OwnPostgres;
  readonly proxy: Proxy;
  /** The service that the load is sent to. */
  service!: Service;
  /** Port that the load is sent to. */
  port = 0;
  /** Whether the service has ended without being asked to. */
  ended = false;
  readonly #config: Configuration;
  #cleanup = new Cleanup();

  private constructor(postgres: OwnPostgres, proxy: Proxy, config: Configuration) {
    this.postgres = postgres;
    this.proxy = proxy;
    this.#config = config;
  }

  /** `config` changes and adds keys of the service. */
  static async start(cleanup: Cleanup, config: Configuration = {}): Promise<Site> {
    const postgres = await startOwnPostgres(cleanup, {
      settings: { max_connections: 80, autovacuum: 'off' },
      // What faults set for the server does not concern the campaign's own sessions.
      setup: `
        CREATE ROLE app LOGIN PASSWORD '${PASSWORD}';
        ALTER ROLE postgres SET idle_session_timeout = 0;
        ALTER ROLE postgres SET default_transaction_read_only = off;
        ALTER ROLE postgres SET temp_file_limit = -1`,
    });
    await postgres.sql(`CREATE DATABASE ${DATABASE}`);
    const proxy = await Proxy.start(postgres);
    cleanup.teardown(() => proxy.close());
    const site = new Site(postgres, proxy, config);
    await site.sql(TABLES);
    cleanup.teardown(() => site.#cleanup.run());
    await site.renew();
    return site;
  }

  /** The URL of the database, through the proxy. */
  get database(): string {
    return `postgres://app:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.proxy.port}/${DATABASE}`;
  }

  /** renew starts a service and sends the load to it; one that runs is killed first. */
  async renew(): Promise<void> {
    await this.#cleanup.run();
    await this.replace();
  }

  /** replace starts another service and sends the load to it; the one before runs on. */
  async replace(): Promise<Service> {
    const before = this.service as Service | undefined;
    const service = new Service(this.#cleanup, {
      database: this.database,
      scripts: scripts(),
      config: { ...CONFIGURATION, ...this.#config },
    });
    await service.listening();
    this.ended = false;
    this.service = service;
    this.port = service.port;
    void service.exited.then(() => (this.ended ||= this.service === service));
    return before ?? service;
  }

  /** sql runs statements in the service's database as a superuser. */
  async sql<Row extends object = Record<string, unknown>>(text: string): Promise<Row[]> {
    const client = await this.session();
    try {
      const result = (await client.query(text)) as pg.QueryResult<Row> | pg.QueryResult<Row>[];
      return (Array.isArray(result) ? result.at(-1)! : result).rows;
    } finally {
      await client.end();
    }
  }

  /** session is a connection of the campaign's own to the service's database. */
  async session(user = 'postgres'): Promise<pg.Client> {
    const { host, port, password } = this.postgres;
    const login = { user, password: user === 'app' ? PASSWORD : password };
    const client = new pg.Client({ host, port, database: DATABASE, ...login });
    // A session that the fault ends is no failure of the campaign.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** setting changes settings of the running server, and gives what takes them back. */
  async setting(settings: Readonly<Record<string, string>>): Promise<() => Promise<void>> {
    const names = Object.keys(settings);
    const apply = async (commands: readonly string[]): Promise<void> => {
      for (const command of commands) await this.postgres.sql(command);
      await this.postgres.sql('SELECT pg_reload_conf()');
    };
    await apply(names.map((name) => `ALTER SYSTEM SET ${name} = '${settings[name]!}'`));
    return () => apply(names.map((name) => `ALTER SYSTEM RESET ${name}`));
  }

  /** backends are the sessions of the service, the one used last first. */
  backends(): Promise<Backend[]> {
    return this.postgres.sql<Backend>(
      `SELECT pid, state FROM pg_stat_activity WHERE usename = 'app' ORDER BY state_change DESC`,
    );
  }

  /** terminate ends the sessions of the service; `one` of them only, when a number from 0 to 1 is given. */
  async terminate(one?: number): Promise<void> {
    await this.postgres.sql(
      one === undefined
        ? `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'`
        : `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'
           ORDER BY pid OFFSET (SELECT floor(count(*) * ${one}) FROM pg_stat_activity WHERE usename = 'app') LIMIT 1`,
    );
  }

  /** quiet waits until no session of the service works on a statement, ten seconds at most. */
  async quiet(): Promise<void> {
    for (let calm = 0, i = 0; calm < 2 && i < 200; i++) {
      const backends = await this.backends();
      calm = backends.every(({ state }) => state === 'idle') ? calm + 1 : 0;
      await sleep(50);
    }
  }

  /** written is how often the database holds each number from `first` on. */
  async written(first: number): Promise<Map<number, number>> {
    const rows = await this.sql<{ n: string; times: number }>(
      `SELECT n, count(*)::int AS times FROM written WHERE n >= ${first} GROUP BY n`,
    );
    return new Map(rows.map(({ n, times }) => [Number(n), times]));
  }

  /** miscounted is by how much the counters differ from the writes that count, which are of the same transactions. */
  async miscounted(): Promise<number> {
    const [row] = await this.sql<{ difference: string }>(
      `SELECT (SELECT sum(value) FROM counter) - (SELECT count(*) FROM written WHERE kind = 'count') AS difference`,
    );
    return Math.abs(Number(row!.difference));
  }
}
