/**
 * Decides which connection runs a job, and when. Statements known to be fast share pipelines on few connections; slow and
 * unknown ones wait in the fair queue for a connection of their own, and some connections always stay with the fast
 * ones. Slow statements are rejected when too many wait already.
 */
import { ServiceError } from '../../base/errors.js';
import { DATABASE } from '../../observe/metrics/catalogue.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';
import type { Connection } from '../connection/connection.js';
import type { Quota } from '../connection/connection-quota.js';
import type { Dialer } from '../connection/dialer.js';
import { FairQueue } from './fair-queue.js';
import type { Job } from '../statement/job.js';
import { SHARED, type LaneCount } from './lane-count.js';
import type { ScriptCost } from '../statement/script-cost.js';

/** Expected time of the statements in a shared pipeline, ms, from which one more connection is shared. */
export const SPREAD = 4;
/** Most statements in one pipeline: those behind one that turns out to be slow have to wait for it. */
export const DEPTH = 16;

export interface SchedulerOptions {
  readonly settings: DatabaseSettings;
  readonly quota: Quota;
  readonly connections: readonly Connection[];
  readonly dialer: Dialer;
  readonly lanes: LaneCount;
  /** The database's row of DATABASES. */
  readonly counts: Float64Array;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #fast: Job[] = [];
  readonly #slow = new FairQueue();
  /** The only connection serves fast jobs, and slow ones wait: one of those is next. */
  #slowNext = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** waiting is the number of jobs that wait for a connection, by lane. */
  get waiting(): { readonly fast: number; readonly slow: number } {
    return { fast: this.#fast.length, slow: this.#slow.size };
  }

  get hasWaiting(): boolean {
    return this.#fast.length > 0 || this.#slow.size > 0;
  }

  /** run sends a job, queues it, or fails it with `busy`. */
  run(job: Job, now: number): void {
    let cost = slowCost(job, now);
    if (cost === undefined) {
      if (this.#fast.length === 0 && this.#share(job, now)) return;
      cost = slowCost(job, now);
      if (cost === undefined) {
        this.#fast.push(job);
        return;
      }
    }
    if (this.#overflows(cost)) {
      this.#options.counts[DATABASE.refused.queue_full]! += 1;
      job.failed(new ServiceError('busy', 'too many slow statements wait already'));
    } else {
      this.#slow.push(job, cost);
      this.#sendSlow(now);
    }
  }

  /** rerun puts jobs at the head of the queue of fast ones. */
  rerun(jobs: readonly Job[]): void {
    this.#fast.unshift(...jobs);
  }

  /** dispatch sends waiting jobs while there is room, each in the lane that its script belongs to by now. */
  dispatch(now: number): void {
    if (this.#slow.size > 0) this.#takeFast(now);
    this.#sendFast(now);
    this.#sendSlow(now);
    if (this.#slowNext && this.#slow.size === 0) {
      this.#slowNext = false; // those it was for were abandoned
      this.#sendFast(now);
      this.#sendSlow(now);
    }
    const { quota, connections } = this.#options;
    this.#slowNext =
      this.#slow.size > 0 &&
      quota.total === 1 &&
      connections.some((c) => !c.exclusive && c.inFlight.size > 0);
  }

  /** Sends the fast jobs that wait, or moves them to the slow ones. */
  #sendFast(now: number): void {
    // Off the queue first: sending may find the connection lost, which brings jobs back to its head.
    for (let job = this.#fast.shift(); job !== undefined; job = this.#fast.shift()) {
      const cost = slowCost(job, now);
      if (job.abandoned) this.#drop(job);
      else if (cost !== undefined) this.#slow.push(job, cost);
      else if (!this.#share(job, now)) {
        this.#fast.unshift(job);
        if (slowCost(job, now) === undefined) return;
      }
    }
  }

  /** Takes the jobs of scripts that have become fast, the oldest first: else later ones would pass them each time. */
  #takeFast(now: number): void {
    const taken = this.#slow.takeFast(now);
    if (taken.length === 0) return;
    for (const job of taken) this.#fast.push(job);
    this.#fast.sort((a, b) => a.since - b.since);
  }

  /**
   * runSpare sends a job that nobody waits for on an idle connection, if no other job waits and there is more than one
   * connection. It never waits itself: false when it was not sent.
   */
  runSpare(job: Job, now: number): boolean {
    if (this.hasWaiting || this.#options.quota.total < 2) return false;
    const { taken, idle } = this.#dedicated(now);
    if (idle === undefined || taken >= this.#slowLimit) return false;
    idle.exclusive = true;
    send(idle, job, now);
    return true;
  }

  /** expire fails the jobs that are abandoned or have waited for too long. */
  expire(now: number): void {
    const { connectTimeout } = this.#options.settings;
    const waits = (job: Job): boolean => !job.abandoned && now - job.since <= connectTimeout;
    for (const job of this.#slow.takeUnless(waits)) this.#drop(job);
    for (const job of this.#fast.splice(0)) {
      if (waits(job)) this.#fast.push(job);
      else this.#drop(job);
    }
  }

  /** Fails a job that nobody waits for any more, or that has waited for too long. */
  #drop(job: Job): void {
    const { counts } = this.#options;
    counts[job.abandoned ? DATABASE.abandoned : DATABASE.refused.overdue]! += 1;
    job.failed(
      job.abandoned
        ? new ServiceError('timeout')
        : new ServiceError('busy', 'no connection to the database was free in time'),
    );
  }

  takeWaiting(): Job[] {
    return [...this.#fast.splice(0), ...this.#slow.takeUnless(() => false)];
  }

  /**
   * Puts a fast job into the least busy of the shared pipelines; false when none has room, and when another statement of
   * its script is found to stall, so that it is not fast any more.
   */
  #share(job: Job, now: number): boolean {
    if (this.#slowNext && this.#slow.size > 0) return false;
    const { connections, quota, dialer } = this.#options;
    let load = job.cost?.time ?? 0;
    for (const c of connections) if (!c.exclusive) load += c.inFlight.load;
    // Connections beyond the limit are about to be closed, and half of the others are for slow statements that wait.
    let allowed = quota.limit;
    const expected = Math.max(SHARED, Math.ceil(load / SPREAD));
    let lanes = this.#options.lanes.choose(expected, allowed, now);
    if (this.#slow.size > 0) lanes = Math.min(lanes, Math.ceil(allowed / 2));
    let best: Connection | undefined;
    let least = Infinity;
    let pipelines = 0;
    let stalled = false;
    for (const c of connections) {
      if (--allowed < 0) break;
      if (c.inFlight.isStalled(now)) {
        stalled = true;
        continue;
      }
      if (c.exclusive) continue;
      pipelines++;
      const burden = c.inFlight.load + c.inFlight.headTime(now);
      if (burden < least && c.inFlight.size < DEPTH) {
        best = c;
        least = burden;
      }
      if (--lanes === 0) break;
    }
    if (stalled && slowCost(job, now) !== undefined) return false;
    if (lanes > dialer.opening && (best === undefined || best.inFlight.size > 0))
      dialer.dial(now, pipelines === 0);
    if (best === undefined) return false;
    send(best, job, now);
    return true;
  }

  /** How many connections may run slow statements. */
  get #slowLimit(): number {
    const { limit } = this.#options.quota;
    return Math.max(1, limit - (limit > 5 ? SHARED : 1));
  }

  /**
   * Whether one more job of a script would wait in vain, or the queue is full and the script has its part of it. A new
   * script is most often fast: its jobs wait for the first ones to be measured.
   */
  #overflows(cost: ScriptCost): boolean {
    const { connectTimeout, waiting } = this.#options.settings;
    const ahead = this.#slow.waiting(cost);
    if (!cost.known) return ahead >= waiting;
    if (ahead * cost.least > connectTimeout * this.#slowLimit) return true;
    return this.#slow.size >= waiting && ahead * this.#slow.scripts >= waiting;
  }

  /** Gives each slow job that waits an idle connection, as far as there are any. */
  #sendSlow(now: number): void {
    const limit = this.#slowLimit;
    // No script has all of them, unless they are few: others then wait milliseconds, not for its statements.
    const each = limit > 3 ? limit - 1 : limit;
    while (this.#slow.size > 0) {
      const { taken, idle } = this.#dedicated(now);
      if (taken >= limit) return;
      if (idle === undefined) {
        this.#options.dialer.dial(now);
        return;
      }
      const job = this.#slow.next((cost) => this.#running(cost, now) < each);
      if (job === undefined) return;
      if (job.abandoned) {
        this.#drop(job);
        continue;
      }
      this.#slowNext = false;
      idle.exclusive = true;
      send(idle, job, now);
    }
  }

  /** How many connections run slow statements, and one that may run another. */
  #dedicated(now: number): { readonly taken: number; readonly idle: Connection | undefined } {
    let taken = 0;
    let idle: Connection | undefined;
    const { connections, quota } = this.#options;
    connections.forEach((c, i) => {
      if (isTaken(c, now)) taken++;
      else if (c.inFlight.size === 0 && i < quota.limit) idle = c;
    });
    return { taken, idle };
  }

  /** How many connections a script's slow statements have. */
  #running(cost: ScriptCost, now: number): number {
    let n = 0;
    for (const c of this.#options.connections)
      if (c.inFlight.head?.job.cost === cost && isTaken(c, now)) n++;
    return n;
  }
}

/** Whether a connection runs a slow statement: by itself, or one that turned out to be slow in a shared pipeline. */
function isTaken({ inFlight, exclusive }: Connection, now: number): boolean {
  return inFlight.isStalled(now) || exclusive; // isStalled first: it also counts the stall
}

/** The cost of a job's script, unless that is fast. */
function slowCost({ cost }: Job, now: number): ScriptCost | undefined {
  return cost?.isFast(now) === false ? cost : undefined;
}

/** Sends a job. One that cannot be written, because a value is not a text for instance, fails alone. */
function send(connection: Connection, job: Job, now: number): void {
  try {
    connection.send(job, now);
  } catch (error) {
    job.failed(new ServiceError('internal', undefined, { cause: error }));
  }
}
