/**
 * How long a script's statements take, as measured, and the lane that follows from it: scripts known to be fast share
 * pipelines, all others get connections to themselves. Slow now and then is a debt: it is paid off by time and by fast
 * runs, and a script that owes too much stays out until then, so that it gets slow runs into shared pipelines rarely,
 * however they are mixed with fast ones. What busy machines do to a fast script now and then is forgiven.
 */
import { performance } from 'node:perf_hooks';

/** A statement that runs longer than this (milliseconds) does not belong beside others. */
const SLOW_AFTER = 10;

/** Average time of one run (milliseconds) from which a script keeps a pipeline to itself. */
const OWN_AFTER = 5;

/** What one run weighs in the average; the first ones weigh more, the n-th 1/n. */
const WEIGHT = 0.1;

/** By what part of the difference a run that takes longer lifts the shortest time. */
const LIFTED = 0.02;

/** The time of slow runs is owed, of one run up to MOST_OWED_ONCE; up to FORGIVEN has no consequence. Milliseconds. */
const FORGIVEN = 60;
const MOST_OWED_ONCE = 100;
const MOST_OWED = 560;

/** What a script that nobody knows yet may take more: its first runs meet new connections and cold caches. */
const CREDIT = 200;

/** What is paid off in a millisecond, and by a fast run (ms): hot scripts are forgiven what busy machines do to them. */
const PAID_BY_TIME = 0.05;
const PAID_BY_RUN = 0.05;

/** The longest that a script under suspicion stays out when nothing is seen of it any more, ms. */
const LONGEST_SUSPICION = 1_000;

export class ScriptCost {
  /** Kept by the slow lane: time that it gave to the script's statements, ms. */
  served = 0;
  /** Average time of one run, milliseconds; undefined until the first. */
  #time: number | undefined;
  #least = Infinity;
  #weight = 1;
  /** What it owed when that was last added up, and when that was, milliseconds. */
  #owed = -CREDIT;
  #owedAt = 0;
  /** Until then it is under suspicion, ms. */
  #suspect = 0;

  /** time is the expected time of one run, milliseconds. */
  get time(): number {
    return this.#time ?? SLOW_AFTER;
  }

  /**
   * least is the shortest time of late of one run, milliseconds, Infinity before the first: what it takes when nothing is
   * in its way. In a burst, and on a busy machine, the average is mostly waiting for others.
   */
  get least(): number {
    return this.#least;
  }

  /** known tells whether it has run often enough for its time to be no accident of a new connection or a busy machine. */
  get known(): boolean {
    return this.#weight <= WEIGHT;
  }

  /** isFast tells whether its statements may share a pipeline at time `now`, ms. */
  isFast(now: number): boolean {
    if (this.#time === undefined || this.#time > OWN_AFTER || now < this.#suspect) return false;
    return this.#owed <= FORGIVEN || this.#owes(now) <= FORGIVEN;
  }

  /** suspect notes that a statement in a shared pipeline runs for `time` (ms) already: no more of them for a while. */
  suspect(time: number, now: number): void {
    this.#suspect = Math.max(this.#suspect, now + Math.min(time, LONGEST_SUSPICION));
  }

  /** record takes the measured time of one run, in milliseconds. */
  record(time: number): void {
    this.#time ??= 0;
    this.#time += (time - this.#time) * this.#weight;
    if (time < this.#least) this.#least = time;
    else this.#least += (time - this.#least) * LIFTED;
    if (this.#weight > WEIGHT) this.#weight /= 1 + this.#weight;
    if (time > SLOW_AFTER) {
      const now = performance.now();
      this.#owed = Math.min(this.#owes(now) + Math.min(time, MOST_OWED_ONCE), MOST_OWED);
      this.#owedAt = now;
    } else if (this.#owed > 0) this.#owed -= PAID_BY_RUN;
  }

  #owes(now: number): number {
    if (this.#owed <= 0) return this.#owed;
    return Math.max(0, this.#owed - (now - this.#owedAt) * PAID_BY_TIME);
  }
}
