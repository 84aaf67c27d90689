/** HTTP processes for tests: the real program, started as the supervisor does it. */
import type { Test } from 'tap';
import { createLogger } from '#app/observe/log.js';
import type { DatabaseSettings } from '#app/messages/database-settings.js';
import type { HttpSettings } from '#app/messages/http-settings.js';
import { HttpProcessHandle, type SharedState } from '#app/serve/supervisor/http-process-handle.js';
import { KnownKeys } from '#app/serve/supervisor/known-keys.js';
import { LoginAttempts } from '#app/serve/supervisor/login-attempts.js';
import { PluginLibraries } from '#app/serve/supervisor/plugin-libraries.js';
import { ProcessMetrics } from '#app/serve/supervisor/process-metrics.js';
import { ServedProofs } from '#app/serve/supervisor/served-proofs.js';

export type HttpProcessOverrides = Partial<Omit<HttpSettings, 'worker'>> & {
  readonly worker?: Partial<HttpSettings['worker']>;
};

/** An address where no PostgreSQL is. */
const NOWHERE = { host: '127.0.0.1', port: 1, password: 'none' };

/** databaseSettings is the database of a test's server under an alias. A busy machine exceeds none of its time limits. */
export function databaseSettings(
  alias: string,
  server: { readonly host: string; readonly port: number; readonly password: string } = NOWHERE,
): DatabaseSettings {
  const { host, port, password } = server;
  return {
    alias,
    conninfo: `host=${host} port=${port} user=postgres password=${password} dbname=postgres connect_timeout=60`,
    database: 'postgres',
    host,
    port,
    connections: 4,
    idleConnections: 4,
    waiting: 5_000,
    idleTime: 60_000,
    connectTimeout: 60_000,
    statementTimeout: 3_600_000,
    prepared: true,
  };
}

/** frontEndSettings is an HTTP process on a free port, one thread, with a database `main` that is away unless given. */
export function httpProcessSettings(overrides: HttpProcessOverrides = {}): HttpSettings {
  const { worker, ...rest } = overrides;
  return {
    index: 0,
    host: '127.0.0.1',
    port: 0,
    context: '',
    timeout: 3_600_000,
    grace: 5_000,
    queue: 1_000,
    maxBody: 1 << 20,
    threads: 1,
    accessLog: false,
    development: false,
    auth: undefined,
    expose: { databases: true, schemas: true, tables: true },
    registry: undefined,
    plugins: {
      path: '/nonexistent',
      isolation: 'process',
      threads: 2,
      timeout: 60_000,
      maxResponse: 1 << 20,
      maxMemory: 1 << 30,
      environment: [],
    },
    mcpOrigins: [],
    page: undefined,
    cors: undefined,
    metricsToken: undefined,
    trace: undefined,
    tls: undefined,
    migrateUsers: false,
    trustedProxies: [],
    ready: ['main'],
    readyProof: false,
    prover: undefined,
    ...rest,
    worker: {
      timeout: 60_000,
      databases: [databaseSettings('main')],
      replicas: [],
      replication: {
        maxLag: { time: 10_000 },
        lsnWait: 100,
        failoverWait: 5_000,
        cookies: undefined,
      },
      defaultAlias: 'main',
      scripts: '/nonexistent',
      scriptsTable: undefined,
      aggregate: 'json_agg',
      maxResult: 32 << 20,
      provedOnly: false,
      proofBudget: 60_000,
      role: undefined,
      resultBudget: 256 << 20,
      queue: rest.queue ?? 1_000,
      debug: false,
      development: false,
      raised: true,
      details: true,
      access: { restrict: false, tables: [], users: [], ignored: [] },
      users: undefined,
      claims: false,
      claimSettings: false,
      mcp: undefined,
      openapi: undefined,
      log: { level: 'fatal', pretty: false },
      slow: 0,
      serverTiming: false,
      ...worker,
    },
  };
}

/** LIMITS of failed logins that no test meets unless it means to. */
export const LIMITS = { perUser: 1_000, perAddress: 1_000, window: 60_000 };

/** startHttpProcess starts one that is gone when the test ends, and returns its port. */
export async function startHttpProcess(
  t: Pick<Test, 'teardown'>,
  overrides: HttpProcessOverrides = {},
): Promise<{ readonly port: number; readonly process: HttpProcessHandle }> {
  const process = forkHttpProcess(t, overrides);
  return { port: await process.listening, process };
}

/** sharedState is what a supervisor gives all its HTTP processes. */
export function sharedState(): SharedState {
  return {
    attempts: new LoginAttempts(LIMITS),
    keys: new KnownKeys(),
    libraries: new PluginLibraries(),
    metrics: new ProcessMetrics(createLogger({ level: 'warn', pretty: false }, {})),
    shared: undefined,
    scrape: () => ({ contentType: 'text/plain', body: '' }),
    spans: () => undefined,
  };
}

/** forkHttpProcess starts one without waiting until it listens. */
export function forkHttpProcess(
  t: Pick<Test, 'teardown'>,
  overrides: HttpProcessOverrides = {},
): HttpProcessHandle {
  const settings = httpProcessSettings(overrides);
  const process = new HttpProcessHandle(settings, sharedState(), new ServedProofs([settings]));
  let ending = false;
  void process.exited.then((exit) => {
    if (!ending && exit.code !== 0) console.error('the HTTP process died under the test', exit);
  });
  t.teardown(async () => {
    ending = true;
    process.kill();
    await process.exited;
  });
  return process;
}
