/**
 * The measured time of a script's statements, and the lane that follows from it: scripts known to be fast share pipelines,
 * all others get connections of their own. Slow runs are a debt, paid off by time and by fast runs; a script that owes
 * too much is out of the shared pipelines until it has paid, however its slow and fast runs are mixed. Rare slow runs of a
 * fast script, as on a busy machine, are forgiven.
 */
import { performance } from 'node:perf_hooks';
import { SCRIPTS } from '../../observe/metrics/catalogue.js';

/** A run longer than this is slow, ms. */
const SLOW_AFTER = 10;

/**
 * Busy connections of a database from which backends may have to take turns on its processors: with twice as many a slow
 * run owes half of its time, down to 1/MOST_TURNS. It always owes some, as they may be busy waiting for something else.
 */
const CROWDED = 2;
const MOST_TURNS = 4;

/** Average time of a run above which a script is not fast, ms. */
const OWN_AFTER = 5;

/** Weight of a run in the average; the n-th of the first ones weighs 1/n. */
const WEIGHT = 0.1;

/** Decay of the minimum: a longer run raises it by this part of the difference. */
const DECAY = 0.02;

/** The time of slow runs is owed, ms: up to MOST_OWED_ONCE for one run. A debt up to FORGIVEN has no effect. */
const FORGIVEN = 60;
const MOST_OWED_ONCE = 100;
const MOST_OWED = 560;

/** Credit of a new script, ms: its first runs meet new connections and cold caches. */
const CREDIT = 200;

/** Debt paid off in a millisecond, and by a fast run, ms: the latter lets hot scripts pay for rare slow runs. */
const PAID_BY_TIME = 0.05;
const PAID_BY_RUN = 0.05;

/** The longest time that a script stays under suspicion after a stalled statement has ended, ms. */
const LONGEST_SUSPICION = 1_000;

const UNREAD = new Float64Array(SCRIPTS.length);

export class ScriptCost {
  /**
   * The shortest time of recent runs, ms, Infinity before the first: the time of a run that waits for no other. In a burst,
   * and on a busy machine, the average is mostly waiting.
   */
  least = Infinity;
  readonly counts: Float64Array;
  /** Set by the fair queue: the time given to the script's statements, ms. */
  served = 0;
  /** Average time of a run, ms; undefined before the first. */
  #time: number | undefined;
  #weight = 1;
  /** The debt when it was last added up, and when that was, ms. */
  #owed = -CREDIT;
  #owedAt = 0;
  /** Its statements that stall now. */
  #stalled = 0;
  /** Under suspicion until then, ms. */
  #suspectUntil = 0;

  /** By default the counts are not read. */
  constructor(counts: Float64Array = UNREAD) {
    this.counts = counts;
  }

  /** time is the expected time of a run, ms. */
  get time(): number {
    return this.#time ?? SLOW_AFTER;
  }

  /** known tells whether there are enough samples: the first ones may come from new connections or a busy machine. */
  get known(): boolean {
    return this.#weight <= WEIGHT;
  }

  /** isFast tells whether its statements may share a pipeline at time `now`, ms. */
  isFast(now: number): boolean {
    if (this.#time === undefined || this.#time > OWN_AFTER) return false;
    if (this.#stalled > 0 || now < this.#suspectUntil) return false;
    return this.#owed <= FORGIVEN || this.#owes(now) <= FORGIVEN;
  }

  /** stalls makes the script slow until `stallEnded`: one of its statements runs for long. */
  stalls(): void {
    this.#stalled++;
  }

  /** stallEnded ends what `stalls` began. The script stays slow for as long as the statement blocked others, `time` ms. */
  stallEnded(time: number, now: number): void {
    this.#stalled--;
    this.#suspectUntil = Math.max(this.#suspectUntil, now + Math.min(time, LONGEST_SUSPICION));
  }

  /** record takes the measured time of a run, ms; `busy` gives how many connections of its database are busy. */
  record(time: number, busy: () => number): void {
    this.#time ??= 0;
    this.#time += (time - this.#time) * this.#weight;
    if (time < this.least) this.least = time;
    else this.least += (time - this.least) * DECAY;
    if (this.#weight > WEIGHT) this.#weight /= 1 + this.#weight;
    if (time > SLOW_AFTER) {
      const now = performance.now();
      const turns = Math.min(Math.max(busy() / CROWDED, 1), MOST_TURNS);
      this.#owed = Math.min(this.#owes(now) + Math.min(time / turns, MOST_OWED_ONCE), MOST_OWED);
      this.#owedAt = now;
    } else if (this.#owed > 0) this.#owed -= PAID_BY_RUN;
  }

  #owes(now: number): number {
    if (this.#owed <= 0) return this.#owed;
    return Math.max(0, this.#owed - (now - this.#owedAt) * PAID_BY_TIME);
  }
}
