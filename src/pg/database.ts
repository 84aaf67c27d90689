/**
 * One database as one worker uses it: its share of the connections, and the lanes. Statements known to be fast share
 * pipelines on few connections; unknown and slow ones get a connection to themselves, and some connections are always
 * left to the fast ones. It refuses slow statements when too many wait already. While the database is away, callers are
 * told at once, and it is tried again with back-off.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import type { DatabaseSettings } from '../protocol.js';
import type { Allowance } from './connection-share.js';
import { Connection, type ConnectionOwner } from './connection.js';
import { openConnection } from './connector.js';
import type { Identity } from './identity.js';
import { InternalJob, type InternalOptions, type InternalOutcome } from './internal-job.js';
import type { Job } from './job.js';
import type { ResultBudget } from './result-budget.js';
import type { ScriptCost } from './script-cost.js';
import { SlowLane } from './slow-lane.js';
import { connectionFailure, type SqlFailure } from './sql-failure.js';

/** Expected time of what is in a shared pipeline (ms) before another connection joins. */
const SPREAD = 4;
/** Most statements in one pipeline: what stands behind one that turns out to be slow has to wait for it. */
const DEPTH = 16;
/** Shared pipelines that are used from the first statement on, and that slow statements leave where they can. */
const SHARED = 2;
/** A statement that runs longer in a shared pipeline (ms) gets nothing more behind it. */
const STALL = 20;
/** How long a probe waits for its answer, ms: well above what a busy worker takes. */
const PROBE_LIMIT = 3_000;
/** How long callers wait for an attempt to connect when those before it have failed, ms. */
const PATIENCE = 1_000;
/** How often waiting jobs and idle connections are looked at, ms. */
const TICK = 250;
/** Back-off between attempts to connect, ms. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

export class Database implements ConnectionOwner {
  readonly settings: DatabaseSettings;
  readonly #budget: ResultBudget;
  readonly #allowed: Allowance;
  readonly #connections: Connection[] = [];
  readonly #fast: Job[] = [];
  readonly #slow = new SlowLane();
  readonly #timer: NodeJS.Timeout;
  #opening = 0;
  #pause = 0;
  /** When the last attempt to connect began, ms. */
  #attempted = 0;
  /** Not before this time is another connection tried, ms. */
  #resume = 0;
  /** Why the last attempt failed, and when the first of a series did, ms; undefined while all is well. */
  #failure: SqlFailure | undefined;
  #failedAt = 0;
  /** The only connection goes to a slow statement next: fast ones had their turn. */
  #slowNext = false;
  #closed = false;

  /** `allowed` says how many connections there may be, at any time. */
  constructor(settings: DatabaseSettings, budget: ResultBudget, allowed: Allowance) {
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
    const { cost } = job;
    if (cost === undefined || cost.isFast(now)) {
      if (this.#fast.length > 0 || !this.#share(job, now)) this.#fast.push(job);
    } else if (this.#overflows(cost)) {
      job.failed(new ServiceError('busy', 'too many slow statements wait already'));
    } else {
      this.#slow.push(job, cost);
      this.#seclude(now);
    }
  }

  /** flush sends what was written on every connection. */
  flush(): void {
    for (const connection of this.#connections) connection.flush();
  }

  /** ask sends a statement of our own at once, as who is given, and resolves to whatever came of it. */
  ask(sql: string, values: (string | null)[] = [], identity?: Identity): Promise<InternalOutcome> {
    return this.#ask(sql, values, { identity });
  }

  /** askAlone is ask for what may wait for a lock: it gets a connection to itself. */
  askAlone(sql: string, values: (string | null)[] = []): Promise<InternalOutcome> {
    return this.#ask(sql, values, { alone: true });
  }

  /** parse has PostgreSQL parse a statement without running it: resolves to why it cannot, undefined when it can. */
  async parse(sql: string): Promise<SqlFailure | ServiceError | undefined> {
    // The unnamed statement, which the one that is run replaces: nothing stays, on whatever connection of a pooler.
    const { failure } = await this.#ask('SELECT 1', [], { parsed: sql, alone: true });
    return failure;
  }

  #ask(sql: string, values: (string | null)[], options: InternalOptions): Promise<InternalOutcome> {
    return new Promise((resolve) => {
      this.run(new InternalJob(sql, values, resolve, options), performance.now());
      this.flush();
    });
  }

  /** askWithin is ask for what is given up, and cancelled if it can be, after `limit` ms: code `timeout`. */
  askWithin(limit: number, sql: string, values: (string | null)[] = []): Promise<InternalOutcome> {
    return new Promise((resolve) => {
      const job = new InternalJob(sql, values, (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      });
      const timer = setTimeout(() => {
        this.abandon(job);
        resolve({ failure: new ServiceError('timeout', `no answer in ${limit / 1000} s`) });
      }, limit);
      this.run(job, performance.now());
      this.flush();
    });
  }

  /**
   * probe asks the database whether it is there: resolves to the reason why not, empty when it is. One that does not
   * answer in time is not there.
   */
  async probe(): Promise<string> {
    const { failure } = await this.askWithin(PROBE_LIMIT, 'SELECT 1');
    return failure?.message ?? '';
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

  /** adjust goes by what is allowed now: gives up idle connections that are too many, sends what there is room for. */
  adjust(): void {
    const now = performance.now();
    while (this.#connections.length > this.#allowed.limit) {
      const idle = this.#connections.findLast((c) => c.pending === 0);
      if (idle === undefined || this.#keeps(idle, now)) break;
      idle.close();
    }
    this.#pump(now);
    this.flush();
  }

  /** Whether a connection is the last that fast statements have: it is lent to nobody while slow ones have all others. */
  #keeps(idle: Connection, now: number): boolean {
    if (this.#connections.length > this.#allowed.total) return false;
    if (this.#connections.some((c) => c !== idle && !c.exclusive && c.headTime(now) <= STALL))
      return false;
    // Those that are too many by now are the last ones.
    this.#connections.splice(this.#connections.indexOf(idle), 1);
    this.#connections.unshift(idle);
    return true;
  }

  /** giveUpIdle closes an idle connection, if there is one, and tells whether there was. */
  giveUpIdle(): boolean {
    const idle = this.#connections.findLast((c) => c.pending === 0);
    idle?.close();
    return idle !== undefined;
  }

  /** pass has another one run what waits here. */
  pass(to: Database): void {
    const now = performance.now();
    for (const job of this.#takeWaiting()) to.run(job, now);
    to.flush();
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

  /** Sends what waits as far as there is room, each in the lane that its script belongs to by now. */
  #pump(now: number): void {
    if (this.#slow.size > 0) for (const job of this.#slow.takeFast(now)) this.#fast.push(job);
    drain(this.#fast, (job) => {
      const { cost } = job;
      if (cost === undefined || cost.isFast(now)) return this.#share(job, now);
      this.#slow.push(job, cost);
      return true;
    });
    this.#seclude(now);
    this.#slowNext = this.#slow.size > 0 && this.#allowed.total === 1;
  }

  /** Puts a fast job into the least busy of the shared pipelines; false when none has room. */
  #share(job: Job, now: number): boolean {
    if (this.#slowNext) return false;
    let load = job.cost?.time ?? 0;
    for (const c of this.#connections) if (!c.exclusive) load += c.load;
    let lanes = Math.max(SHARED, Math.ceil(load / SPREAD));
    // The last ones are given up when they are too many, and half are left to slow statements that wait.
    let allowed = this.#allowed.limit;
    if (this.#slow.size > 0) lanes = Math.min(lanes, Math.ceil(allowed / 2));
    let best: Connection | undefined;
    let least = Infinity;
    let pipelines = 0;
    for (const c of this.#connections) {
      if (--allowed < 0) break;
      if (c.exclusive || this.#stalls(c, now)) continue;
      pipelines++;
      const burden = c.load + c.headTime(now);
      if (burden < least && c.pending < DEPTH) {
        best = c;
        least = burden;
      }
      if (--lanes === 0) break;
    }
    if (lanes > this.#opening && (best === undefined || best.pending > 0))
      this.#grow(now, pipelines === 0);
    if (best === undefined) return false;
    best.send(job, now);
    return true;
  }

  /** How many connections may run slow statements. */
  get #slowLimit(): number {
    const { limit } = this.#allowed;
    return Math.max(1, limit - (limit > 5 ? SHARED : 1));
  }

  /**
   * Whether one more job of a script would wait in vain, or the lane is full and the script has its part of it. One that
   * is not known yet is most often fast: its requests wait for the first to be measured, as far as there is room.
   */
  #overflows(cost: ScriptCost): boolean {
    const { connectTimeout, waiting } = this.settings;
    const ahead = this.#slow.waiting(cost);
    if (!cost.known) return ahead >= waiting;
    if (ahead * cost.least > connectTimeout * this.#slowLimit) return true;
    return this.#slow.size >= waiting && ahead * this.#slow.scripts >= waiting;
  }

  /** Gives connections to slow jobs that wait, one to each, as far as there are any. */
  #seclude(now: number): void {
    const limit = this.#slowLimit;
    // No script has all of them, if there are some more than a few: others wait for milliseconds, not for its statements.
    const each = limit > 3 ? limit - 1 : limit;
    while (this.#slow.size > 0) {
      let taken = 0;
      let idle: Connection | undefined;
      this.#connections.forEach((c, i) => {
        if (c.exclusive || this.#stalls(c, now)) taken++;
        else if (c.pending === 0 && i < this.#allowed.limit) idle = c;
      });
      if (taken >= limit) return;
      if (idle === undefined) {
        this.#grow(now);
        return;
      }
      const job = this.#slow.next((cost) => this.#running(cost) < each);
      if (job === undefined) return;
      if (job.abandoned) {
        job.failed(notWanted());
        continue;
      }
      this.#slowNext = false;
      idle.exclusive = true;
      idle.send(job, now);
    }
  }

  /** How many connections are kept by a script's statements. */
  #running(cost: ScriptCost): number {
    let n = 0;
    for (const c of this.#connections) if (c.exclusive && c.head?.cost === cost) n++;
    return n;
  }

  /** Whether the statement at the head of a pipeline takes too long to stand behind. */
  #stalls(c: Connection, now: number): boolean {
    const time = c.headTime(now);
    if (time <= STALL) return false;
    c.head?.cost?.suspect(time, now);
    return true;
  }

  /** Opens one more connection, if there may be one and the last attempt did not just fail; `urgent` as in Allowance. */
  #grow(now: number, urgent = false): void {
    if (this.#closed || now < this.#resume) return;
    if (this.#opening > 0 && this.#connections.length === 0) return; // one shows whether the database is there
    if (!this.#allowed.take(urgent)) return;
    this.#opening++;
    this.#attempted = now;
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
    return this.#fast.length > 0 || this.#slow.size > 0;
  }

  #unreachable(now: number): boolean {
    if (this.#connections.length > 0 || this.#pause === 0) return false;
    return this.#opening === 0 ? now < this.#resume : now - this.#attempted > PATIENCE;
  }

  #failWaiting(failure: SqlFailure): void {
    for (const job of this.#takeWaiting()) job.failed(failure);
  }

  #takeWaiting(): Job[] {
    return [...this.#fast.splice(0), ...this.#slow.takeUnless(() => false)];
  }

  #tick(now: number): void {
    const { connectTimeout, idleConnections, idleTime } = this.settings;
    const waits = (job: Job): boolean => !job.abandoned && now - job.since <= connectTimeout;
    for (const job of this.#slow.takeUnless(waits)) job.failed(overdue(job));
    for (const job of this.#fast.splice(0)) {
      if (waits(job)) this.#fast.push(job);
      else job.failed(overdue(job));
    }
    for (const c of this.#connections) if (c.headTime(now) > STALL) c.cancelAbandoned();
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

/** Why a job that is over before it was sent is. */
function overdue(job: Job): ServiceError {
  if (job.abandoned) return notWanted();
  return new ServiceError('busy', 'no connection to the database was free in time');
}
