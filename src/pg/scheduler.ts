/**
 * Decides which connection runs a job, and when. Statements known to be fast share pipelines on few connections; slow and
 * unknown ones wait in the fair queue for a connection of their own, and some connections always stay with the fast
 * ones. Slow statements are rejected when too many wait already.
 */
import { ServiceError } from '../errors.js';
import type { DatabaseSettings } from '../settings.js';
import type { Connection } from './connection.js';
import type { Quota } from './connection-quota.js';
import type { Dialer } from './dialer.js';
import { FairQueue } from './fair-queue.js';
import type { Job } from './job.js';
import { SHARED, type LaneCount } from './lane-count.js';
import type { ScriptCost } from './script-cost.js';

/** Expected time of the statements in a shared pipeline, ms, from which one more connection is shared. */
const SPREAD = 4;
/** Most statements in one pipeline: those behind one that turns out to be slow have to wait for it. */
const DEPTH = 16;
/** A statement that runs longer than this in a shared pipeline, ms, blocks it for new ones. */
export const STALL = 20;

export class Scheduler {
  readonly #settings: DatabaseSettings;
  readonly #quota: Quota;
  readonly #connections: readonly Connection[];
  readonly #dialer: Dialer;
  readonly #lanes: LaneCount;
  readonly #fast: Job[] = [];
  readonly #slow = new FairQueue();
  /** The only connection goes to a slow statement next: fast ones had their turn. */
  #slowNext = false;

  constructor(
    settings: DatabaseSettings,
    quota: Quota,
    connections: readonly Connection[],
    dialer: Dialer,
    lanes: LaneCount,
  ) {
    this.#settings = settings;
    this.#quota = quota;
    this.#connections = connections;
    this.#dialer = dialer;
    this.#lanes = lanes;
  }

  /** hasWaiting tells whether jobs wait for a connection. */
  get hasWaiting(): boolean {
    return this.#fast.length > 0 || this.#slow.size > 0;
  }

  /** run sends a job, queues it, or fails it with `busy`. */
  run(job: Job, now: number): void {
    const { cost } = job;
    if (cost === undefined || cost.isFast(now)) {
      if (this.#fast.length > 0 || !this.#share(job, now)) this.#fast.push(job);
    } else if (this.#overflows(cost)) {
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
    // Off the queue first: sending may find the connection lost, which brings jobs back to its head.
    for (let job = this.#fast.shift(); job !== undefined; job = this.#fast.shift()) {
      const { cost } = job;
      if (job.abandoned) job.failed(abandoned());
      else if (cost !== undefined && !cost.isFast(now)) this.#slow.push(job, cost);
      else if (!this.#share(job, now)) {
        this.#fast.unshift(job);
        break;
      }
    }
    this.#sendSlow(now);
    this.#slowNext = this.#slow.size > 0 && this.#quota.total === 1;
  }

  /** Takes the jobs of scripts that have become fast, the oldest first: else later ones would pass them each time. */
  #takeFast(now: number): void {
    const taken = this.#slow.takeFast(now);
    if (taken.length === 0) return;
    for (const job of taken) this.#fast.push(job);
    this.#fast.sort((a, b) => a.since - b.since);
  }

  /** expire fails the jobs that are abandoned or have waited for too long. */
  expire(now: number): void {
    const { connectTimeout } = this.#settings;
    const waits = (job: Job): boolean => !job.abandoned && now - job.since <= connectTimeout;
    for (const job of this.#slow.takeUnless(waits)) job.failed(overdue(job));
    for (const job of this.#fast.splice(0)) {
      if (waits(job)) this.#fast.push(job);
      else job.failed(overdue(job));
    }
  }

  /** takeWaiting empties the queues. */
  takeWaiting(): Job[] {
    return [...this.#fast.splice(0), ...this.#slow.takeUnless(() => false)];
  }

  /** Puts a fast job into the least busy of the shared pipelines; false when none has room. */
  #share(job: Job, now: number): boolean {
    if (this.#slowNext) return false;
    let load = job.cost?.time ?? 0;
    for (const c of this.#connections) if (!c.exclusive) load += c.inFlight.load;
    // Connections beyond the limit are about to be closed, and half of the others are for slow statements that wait.
    let allowed = this.#quota.limit;
    let lanes = this.#lanes.choose(Math.max(SHARED, Math.ceil(load / SPREAD)), allowed, now);
    if (this.#slow.size > 0) lanes = Math.min(lanes, Math.ceil(allowed / 2));
    let best: Connection | undefined;
    let least = Infinity;
    let pipelines = 0;
    for (const c of this.#connections) {
      if (--allowed < 0) break;
      if (c.exclusive || isStalled(c, now)) continue;
      pipelines++;
      const burden = c.inFlight.load + c.inFlight.headTime(now);
      if (burden < least && c.inFlight.size < DEPTH) {
        best = c;
        least = burden;
      }
      if (--lanes === 0) break;
    }
    if (lanes > this.#dialer.opening && (best === undefined || best.inFlight.size > 0))
      this.#dialer.dial(now, pipelines === 0);
    if (best === undefined) return false;
    send(best, job, now);
    return true;
  }

  /** How many connections may run slow statements. */
  get #slowLimit(): number {
    const { limit } = this.#quota;
    return Math.max(1, limit - (limit > 5 ? SHARED : 1));
  }

  /**
   * Whether one more job of a script would wait in vain, or the queue is full and the script has its part of it. A new
   * script is most often fast: its jobs wait for the first ones to be measured.
   */
  #overflows(cost: ScriptCost): boolean {
    const { connectTimeout, waiting } = this.#settings;
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
      let taken = 0;
      let idle: Connection | undefined;
      this.#connections.forEach((c, i) => {
        if (c.exclusive || isStalled(c, now)) taken++;
        else if (c.inFlight.size === 0 && i < this.#quota.limit) idle = c;
      });
      if (taken >= limit) return;
      if (idle === undefined) {
        this.#dialer.dial(now);
        return;
      }
      const job = this.#slow.next((cost) => this.#running(cost) < each);
      if (job === undefined) return;
      if (job.abandoned) {
        job.failed(abandoned());
        continue;
      }
      this.#slowNext = false;
      idle.exclusive = true;
      send(idle, job, now);
    }
  }

  /** How many connections run a script's statements exclusively. */
  #running(cost: ScriptCost): number {
    let n = 0;
    for (const c of this.#connections) if (c.exclusive && c.inFlight.head?.job.cost === cost) n++;
    return n;
  }
}

/** Whether the statement at the head of a pipeline runs for too long to put others behind it. */
function isStalled({ inFlight }: Connection, now: number): boolean {
  const time = inFlight.headTime(now);
  if (time <= STALL) return false;
  inFlight.head?.job.cost?.suspect(time, now);
  return true;
}

/** Sends a job. One that cannot be written, because a value is not a text for instance, fails alone. */
function send(connection: Connection, job: Job, now: number): void {
  try {
    connection.send(job, now);
  } catch (error) {
    job.failed(new ServiceError('internal', undefined, { cause: error }));
  }
}

function abandoned(): ServiceError {
  return new ServiceError('timeout');
}

function overdue(job: Job): ServiceError {
  if (job.abandoned) return abandoned();
  return new ServiceError('busy', 'no connection to the database was free in time');
}
