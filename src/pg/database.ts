/**
 * One database as one worker uses it: its share of the connections, and the lanes. Statements known to be fast share
 * pipelines on few connections; unknown and slow ones get a connection to themselves. One connection is always left to
 * the fast ones. While the database is away, callers are told at once, and it is tried again with back-off.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import type { DatabaseSettings } from '../protocol.js';
import { ConnectionShare } from './connection-share.js';
import { Connection, type ConnectionOwner } from './connection.js';
import { openConnection } from './connector.js';
import { InternalJob } from './internal-job.js';
import type { Job } from './job.js';
import type { ResultBudget } from './result-budget.js';
import { SLOW_AFTER, VERY_SLOW } from './script-cost.js';
import { connectionFailure, type SqlFailure } from './sql-failure.js';

/** Expected time of what is in a shared pipeline (ms) before another connection joins. */
const SPREAD = 4;
/** Most statements in one pipeline. */
const DEPTH = 64;
/** Shared pipelines that are used from the first statement on. */
const SHARED = 2;
/** How often waiting jobs and idle connections are looked at, ms. */
const TICK = 250;
/** Back-off between attempts to connect, ms. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

export class Database implements ConnectionOwner {
  readonly settings: DatabaseSettings;
  readonly #budget: ResultBudget;
  readonly #allowed: ConnectionShare;
  readonly #connections: Connection[] = [];
  readonly #fast: Job[] = [];
  readonly #slow: Job[] = [];
  readonly #timer: NodeJS.Timeout;
  #opening = 0;
  #pause = 0;
  /** Not before this time is another connection tried, ms. */
  #resume = 0;
  /** Why the last attempt failed, and when the first of a series did, ms; undefined while all is well. */
  #failure: SqlFailure | undefined;
  #failedAt = 0;
  #closed = false;

  /** `allowed` says how many connections there may be, at any time. */
  constructor(settings: DatabaseSettings, budget: ResultBudget, allowed: ConnectionShare) {
    this.settings = settings;
    this.#budget = budget;
    this.#allowed = allowed;
    this.#timer = setInterval(() => {
      this.#tick(performance.now());
    }, TICK).unref();
  }

  /** run takes a job. What it sends leaves with the next `flush`. */
  run(job: Job, now: number): void {
    job.since = now;
    if (this.#unreachable(now)) {
      job.failed(this.#failure ?? connectionFailure('the database is not reachable', '08001'));
      return;
    }
    if (isFast(job)) {
      if (this.#fast.length > 0 || !this.#share(job, now)) this.#fast.push(job);
    } else if (this.#slow.length > 0 || !this.#seclude(job, now)) this.#slow.push(job);
  }

  /** flush sends what was written on every connection. */
  flush(): void {
    for (const connection of this.#connections) connection.flush();
  }

  /** probe asks the database whether it is there: resolves to the reason why not, empty when it is. */
  probe(): Promise<string> {
    return new Promise((resolve) => {
      const job = new InternalJob('SELECT 1', [], ({ failure }) => {
        resolve(failure?.message ?? '');
      });
      this.run(job, performance.now());
      this.flush();
    });
  }

  /**
   * abandon notes that nobody waits for a job. The next tick drops it if it has no connection yet, and cancels it if it
   * takes long and that can hit no other: a short one costs less than the connection that is given up with it.
   */
  abandon(job: Job): void {
    job.abandoned = true;
  }

  /** close ends every connection. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const connection of [...this.#connections]) connection.close();
    this.#failWaiting(connectionFailure('the service is stopping', '57P01'));
  }

  freed(): void {
    this.adjust();
  }

  /** adjust goes by what is allowed now: gives up idle connections that are too many, sends what there is room for. */
  adjust(): void {
    while (this.#connections.length > this.#allowed.limit) {
      const idle = this.#connections.findLast((c) => c.pending === 0);
      if (idle === undefined) break;
      idle.close();
    }
    this.#pump(performance.now());
    this.flush();
  }

  lost(connection: Connection, unstarted: Job[]): void {
    const at = this.#connections.indexOf(connection);
    if (at >= 0) {
      this.#connections.splice(at, 1);
      this.#allowed.release();
    }
    if (this.#closed) return;
    this.#fast.unshift(...unstarted);
    this.#pump(performance.now());
    this.flush();
  }

  hold(by: number): boolean {
    return this.#budget.hold(by);
  }

  /** Sends what waits as far as there is room. */
  #pump(now: number): void {
    drain(this.#fast, (job) => this.#share(job, now));
    drain(this.#slow, (job) => (isFast(job) ? this.#share(job, now) : this.#seclude(job, now)));
  }

  /** Puts a fast job into the least busy of the shared pipelines; false when none has room. */
  #share(job: Job, now: number): boolean {
    let load = job.cost?.time ?? 0;
    for (const c of this.#connections) if (!c.exclusive) load += c.load;
    let lanes = Math.max(SHARED, Math.ceil(load / SPREAD));
    let best: Connection | undefined;
    // The last ones are given up when they are too many.
    let allowed = this.#allowed.limit;
    for (const c of this.#connections) {
      if (--allowed < 0) break;
      if (c.exclusive || this.#stalls(c, now)) continue;
      if (best === undefined || c.load < best.load) best = c;
      if (--lanes === 0) break;
    }
    if (lanes > 0 && (best === undefined || best.pending > 0)) this.#grow(now);
    if (best === undefined || best.pending >= DEPTH) return false;
    best.send(job, now);
    return true;
  }

  /** Gives a job a connection to itself; false when none is idle. */
  #seclude(job: Job, now: number): boolean {
    const { limit } = this.#allowed;
    let secluded = 0;
    let idle: Connection | undefined;
    this.#connections.forEach((c, i) => {
      if (c.exclusive) secluded++;
      else if (c.pending === 0 && i < limit) idle = c;
    });
    if (secluded >= Math.max(1, limit - 1)) return false;
    if (idle === undefined) {
      this.#grow(now);
      return false;
    }
    idle.exclusive = true;
    idle.send(job, now);
    return true;
  }

  /** Whether the statement at the head of a pipeline takes too long to stand behind. */
  #stalls(c: Connection, now: number): boolean {
    const time = c.headTime(now);
    if (time > VERY_SLOW) c.blameHead(time);
    return time > SLOW_AFTER;
  }

  /** Opens one more connection, if there may be one and the last attempt did not just fail. */
  #grow(now: number): void {
    if (this.#closed || now < this.#resume) return;
    if (this.#opening > 0 && this.#connections.length === 0) return; // one shows whether the database is there
    if (!this.#allowed.take()) return;
    this.#opening++;
    openConnection(this.settings).then(
      (pq) => {
        this.#opening--;
        if (this.#closed) {
          pq.finish();
          this.#allowed.release();
          return;
        }
        this.#pause = this.#resume = 0;
        this.#failure = undefined;
        const { prepared } = this.settings;
        const connection = new Connection(pq, this, {
          maxResult: this.#budget.maxResult,
          prepared,
        });
        this.#connections.push(connection);
        this.#pump(performance.now());
        this.flush();
      },
      (error: unknown) => {
        this.#opening--;
        this.#allowed.release();
        this.#failedToOpen(error instanceof Error ? error.message : String(error), now);
      },
    );
  }

  #failedToOpen(message: string, began: number): void {
    const now = performance.now();
    // What ended connections a moment ago may have met those just being made: only an attempt begun after a failure counts.
    if (this.#failure === undefined || began < this.#failedAt) {
      if (this.#failure === undefined) this.#failedAt = now;
      this.#failure = connectionFailure(message, '08001');
      if (this.#waiting) this.#grow(now);
      return;
    }
    this.#pause = Math.min(Math.max(FIRST_PAUSE, this.#pause * 2), LONGEST_PAUSE);
    this.#resume = now + this.#pause;
    this.#failure = connectionFailure(message, '08001');
    if (this.#connections.length === 0 && this.#opening === 0) this.#failWaiting(this.#failure);
  }

  get #waiting(): boolean {
    return this.#fast.length > 0 || this.#slow.length > 0;
  }

  #unreachable(now: number): boolean {
    return this.#connections.length === 0 && this.#opening === 0 && now < this.#resume;
  }

  #failWaiting(failure: SqlFailure): void {
    for (const job of [...this.#fast.splice(0), ...this.#slow.splice(0)]) job.failed(failure);
  }

  #tick(now: number): void {
    const { connectTimeout, idleConnections, idleTime } = this.settings;
    for (const queue of [this.#fast, this.#slow]) {
      for (const job of queue.splice(0)) {
        if (job.abandoned) job.failed(notWanted());
        else if (now - job.since > connectTimeout)
          job.failed(new ServiceError('busy', 'no connection to the database was free in time'));
        else queue.push(job);
      }
    }
    for (const c of this.#connections) if (c.headTime(now) > SLOW_AFTER) c.cancelAbandoned();
    if (this.#connections.length > idleConnections) {
      const idle = this.#connections.findLast(
        (c) => c.pending === 0 && now - c.idleSince > idleTime,
      );
      idle?.close();
    }
    this.adjust();
  }
}

/** Takes jobs off a queue for as long as they can be sent; those nobody waits for any more just end. */
function drain(queue: Job[], send: (job: Job) => boolean): void {
  // Off the queue first: sending may find the connection lost, which brings jobs back to the head of a queue.
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    if (job.abandoned) job.failed(notWanted());
    else if (!send(job)) {
      queue.unshift(job);
      return;
    }
  }
}

function notWanted(): ServiceError {
  return new ServiceError('timeout');
}

function isFast(job: Job): boolean {
  return job.cost === undefined || job.cost.fast;
}
