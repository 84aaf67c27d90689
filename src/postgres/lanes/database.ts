/**
 * One database as one worker uses it: its open connections, the dialer that makes them and the scheduler that shares
 * them out, and statements of the service itself. While the database is unreachable, jobs fail at once.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../base/errors.js';
import { DATABASE, DATABASES } from '../../observe/metrics/catalogue.js';
import { onSample } from '../../observe/metrics/sampler.js';
import { row } from '../../observe/metrics/thread.js';
import type { Description } from '../../native/pipeline.js';
import { shownAlias, type DatabaseSettings } from '../../messages/database-settings.js';
import { Connection, type ConnectionOptions } from '../connection/connection.js';
import { ConnectionQuota, type Quota } from '../connection/connection-quota.js';
import { Dialer } from '../connection/dialer.js';
import type { Engine } from '../../base/engine.js';
import { KnownEngine } from './engine.js';
import { asOwn } from '../statement/identity.js';
import {
  InternalJob,
  type InternalOptions,
  type InternalOutcome,
} from '../statement/internal-job.js';
import type { Job, Statement } from '../statement/job.js';
import { DatabaseGauges } from './database-gauges.js';
import { LaneCount } from './lane-count.js';
import type { Libpq } from '../connection/libpq-addon.js';
import type { DescribeOptions, Queryable, ServiceDatabase } from '../statement/queryable.js';
import { ResultBudget } from '../connection/result-budget.js';
import { Scheduler } from './scheduler.js';
import { TimedStatements, type Overdue } from './timed-statements.js';
import { connectionFailure, type SqlFailure } from '../statement/sql-failure.js';

/** How long a probe waits for its answer, ms: well above what a busy worker takes. */
const PROBE_LIMIT = 3_000;
/** It names nothing that is looked up. */
const PROBE: InternalOptions = { recurs: true, asScript: true };
/** How often waiting jobs and idle connections are checked, ms. */
const TICK = 250;

export class Database implements ServiceDatabase {
  readonly settings: DatabaseSettings;
  /** Runs statements on dedicated connections, because they may wait for a lock. */
  readonly dedicated: Queryable = {
    query: (sql, values) => this.query(sql, values, { alone: true }),
  };
  /** Called when a connection has ended, for whatever reason. */
  onLost: (() => void) | undefined;
  /** Told when a statement with a name was not answered in time, once until it is answered. */
  onOverdue: ((overdue: Overdue) => void) | undefined;
  readonly #quota: Quota;
  readonly #connections: Connection[] = [];
  readonly #options: ConnectionOptions;
  readonly #lanes = new LaneCount(() => this.#scheduler.waiting.fast);
  readonly #dialer: Dialer;
  readonly #scheduler: Scheduler;
  readonly #timer: NodeJS.Timeout;
  /** The row of DATABASES, which the databases of a thread with the same alias share. */
  readonly #counts: Float64Array;
  readonly #endSamples: () => void;
  readonly #gauges: DatabaseGauges;
  readonly #engine = new KnownEngine();
  readonly #timed = new TimedStatements((overdue) => this.onOverdue?.(overdue));
  #closed = false;

  constructor(settings: DatabaseSettings, budget: ResultBudget, quota: Quota) {
    this.settings = settings;
    this.#quota = quota;
    const counts = row(DATABASES, [shownAlias(settings)]);
    this.#counts = counts;
    this.#options = {
      budget,
      lanes: this.#lanes,
      prepares: settings.prepared,
      counts,
      server: settings,
      answered: () => this.applyQuota(),
      busy: () => this.#connections.filter((c) => !isIdle(c)).length,
      lost: (connection, rerun) => this.#lost(connection, rerun),
    };
    const shared = { settings, quota, connections: this.#connections, counts };
    this.#dialer = new Dialer({
      ...shared,
      connected: (pq) => this.#add(pq),
      ready: () => this.#ready(),
      isNeeded: () => this.#scheduler.hasWaiting,
      unreachable: (failure) => this.#failWaiting(failure),
    });
    this.#scheduler = new Scheduler({ ...shared, dialer: this.#dialer, lanes: this.#lanes });
    this.#timer = setInterval(() => this.#tick(performance.now()), TICK).unref();
    this.#gauges = new DatabaseGauges(counts);
    this.#endSamples = onSample(() =>
      this.#gauges.write({
        connections: this.#connections,
        opening: this.#dialer.opening,
        waiting: this.#scheduler.waiting,
      }),
    );
  }

  /** See Dialer.version. */
  get version(): number {
    return this.#dialer.version;
  }

  /** engine resolves to what the database is. Rejects with StatementFailure. */
  engine(): Promise<Engine> {
    return this.#engine.of(this);
  }

  /** run takes a job, which is sent with the next `flush`. Once the database is closed, the job fails at once. */
  run(job: Job, now: number): void {
    job.since = now;
    if (this.#closed) {
      job.failed(stopping());
      return;
    }
    const outage = this.#dialer.outage(now);
    if (outage === undefined) this.#scheduler.run(job, now);
    else {
      this.#counts[DATABASE.refused.unreachable]! += 1;
      job.failed(outage);
    }
  }

  flush(): void {
    for (const connection of this.#connections) connection.flush();
  }

  /** query sends a statement of the service itself at once. Never rejects. */
  query(
    sql: string,
    values: (string | null)[] = [],
    options?: InternalOptions,
  ): Promise<InternalOutcome> {
    return new Promise((resolve) => {
      this.run(new InternalJob(sql, values, resolve, ownOptions(options)), performance.now());
      this.flush();
    });
  }

  /**
   * describe has PostgreSQL parse a statement, which does not run, and resolves to its parameters and columns. What parsing
   * runs all the same, input functions of types and the CHECKs of domains, cannot write: it fails with SQLSTATE 25006. It
   * waits for locks on the tables of the statement, at most `limit` ms in all, and `lockLimit` ms for one. Descriptions share
   * pipelines unless each is to be `alone`.
   */
  async describe(
    sql: string,
    { identity, alone = false, limit, lockLimit }: DescribeOptions = {},
  ): Promise<Description | SqlFailure | ServiceError> {
    const before =
      lockLimit === undefined ? [] : [{ statement: LOCK_LIMIT, values: [String(lockLimit)] }];
    const options = { identity, alone, describes: true, rolledBack: 'READ ONLY', before } as const;
    const { result, failure } = await (limit === undefined
      ? this.query(sql, [], options)
      : this.queryWithin(limit, sql, [], options));
    return failure ?? result.description!;
  }

  /** queryWithin runs a statement that cannot write; after `limit` ms it is cancelled and fails with `timeout`. */
  queryWithin(
    limit: number,
    sql: string,
    values: (string | null)[] = [],
    options?: InternalOptions,
  ): Promise<InternalOutcome> {
    return this.#timed.run(limit, sql, values, ownOptions(options), (job) => {
      this.run(job, performance.now());
      this.flush();
      return true;
    })!;
  }

  /**
   * querySpare is queryWithin on a connection that no request wants now, in a READ ONLY transaction that is rolled back.
   * Undefined without such a connection.
   */
  querySpare(
    limit: number,
    sql: string,
    values: (string | null)[] = [],
    options?: Pick<InternalOptions, 'identity' | 'before' | 'asScript'>,
  ): Promise<InternalOutcome> | undefined {
    if (this.#closed) return undefined;
    const readOnly = ownOptions({ ...options, rolledBack: 'READ ONLY' });
    return this.#timed.run(limit, sql, values, readOnly, (job) => {
      const isSent = this.#scheduler.runSpare(job, performance.now());
      if (isSent) this.flush();
      return isSent;
    });
  }

  /** probe resolves to the reason why the database does not answer in time, empty when it does. */
  async probe(): Promise<string> {
    const { failure } = await this.queryWithin(PROBE_LIMIT, 'SELECT 1', [], PROBE);
    return failure?.message ?? '';
  }

  /** close closes every connection and fails the jobs that wait. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#endSamples();
    this.#gauges.clear();
    this.#dialer.close();
    for (const connection of [...this.#connections]) connection.close();
    this.#failWaiting(stopping());
  }

  /** applyQuota closes idle connections beyond the quota, and sends waiting jobs while there is room. */
  applyQuota(): void {
    const now = performance.now();
    while (this.#connections.length > this.#quota.limit) {
      const idle = this.#connections.findLast(isIdle);
      if (idle === undefined || this.#keeps(idle, now)) break;
      idle.close();
    }
    this.#scheduler.dispatch(now);
    this.flush();
  }

  /** Whether an idle connection is the last one for fast statements: it is not lent while slow ones have all others. */
  #keeps(idle: Connection, now: number): boolean {
    if (this.#connections.length > this.#quota.total) return false;
    if (this.#connections.some((c) => c !== idle && !c.exclusive && !c.inFlight.isStalled(now)))
      return false;
    // First in the list, so that it is within the limit.
    this.#connections.splice(this.#connections.indexOf(idle), 1);
    this.#connections.unshift(idle);
    return true;
  }

  /**
   * redirect uses another connection string from now on. Connections are closed as they become idle, or at once when the
   * server does not answer: then the jobs in flight fail.
   */
  redirect(conninfo: string, answers: boolean): void {
    this.#dialer.redirect(conninfo);
    for (const connection of [...this.#connections])
      if (answers) connection.retire();
      else connection.close();
  }

  closeIdle(): boolean {
    const idle = this.#connections.findLast(isIdle);
    idle?.close();
    return idle !== undefined;
  }

  /** moveWaiting has another database run the jobs that wait here. */
  moveWaiting(to: Database): void {
    const now = performance.now();
    for (const job of this.#scheduler.takeWaiting()) to.run(job, now);
    to.flush();
  }

  #add(pq: Libpq): void {
    try {
      this.#connections.push(new Connection(pq, this.#options));
    } catch (error) {
      pq.finish();
      throw error;
    }
  }

  #ready(): void {
    try {
      this.#scheduler.dispatch(performance.now());
      this.flush();
    } catch (error) {
      this.#failWaiting(new ServiceError('internal', undefined, { cause: error }));
    }
  }

  #lost(connection: Connection, rerun: readonly Job[]): void {
    const at = this.#connections.indexOf(connection);
    if (at >= 0) {
      this.#connections.splice(at, 1);
      this.#counts[DATABASE.closed]! += 1;
      this.#quota.release();
    }
    this.onLost?.();
    this.#scheduler.rerun(rerun);
    if (this.#closed) return;
    this.#scheduler.dispatch(performance.now());
    this.flush();
  }

  #failWaiting(failure: SqlFailure | ServiceError): void {
    for (const job of this.#scheduler.takeWaiting()) job.failed(failure);
  }

  #tick(now: number): void {
    const { idleConnections, idleTime, statementTimeout } = this.settings;
    this.#scheduler.expire(now);
    for (const c of [...this.#connections]) {
      if (c.inFlight.isStalled(now)) c.cancelAbandoned(now);
      c.closeStuck(now, statementTimeout);
    }
    if (this.#connections.length > idleConnections)
      this.#connections
        .findLast((c) => isIdle(c) && now - c.inFlight.idleSince > idleTime)
        ?.close();
    this.applyQuota();
  }
}

/** The options of a statement, unless it is one of a script, with the identity of the service's own. */
function ownOptions(options: InternalOptions = {}): InternalOptions {
  if (options.asScript === true || options.describes === true) return options;
  return { ...options, identity: asOwn(options.identity) };
}

/** Limits how long the statements after it, in its transaction, wait for a lock, ms. */
const LOCK_LIMIT: Statement = {
  sql: "SELECT 1 WHERE pg_catalog.set_config('lock_timeout', $1, true) IS NULL",
  recurs: true,
};

function stopping(): SqlFailure {
  return connectionFailure('the service is stopping', '57P01');
}

function isIdle({ inFlight }: Connection): boolean {
  return inFlight.size === 0;
}

/** Largest result of a session, bytes: all stored scripts may be one. `pg.max_result` is for callers of the service. */
const SESSION_RESULT = 1 << 30;

/** openSession makes a database for the command line, whose connections are opened when they are needed. Close it. */
export function openSession(settings: DatabaseSettings, connections = 1): Database {
  const budget = new ResultBudget(SESSION_RESULT, 2 * SESSION_RESULT);
  const quota = new ConnectionQuota(new Int32Array([connections, 0, 0]), 0);
  return new Database(settings, budget, quota);
}
