/**
 * Pacing of the prover, so that requests keep their latency: PostgreSQL's process that parses its statements has the same
 * priority as theirs. While requests come, all but a small part of the time is theirs; otherwise it hardly rests. Some scripts
 * that have changed are not to wait for long: so much work is done with brief rests, and then again what was saved since.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pacing } from '../branches/prover.js';

/** Rests as multiples of the time that work took. */
export interface PacingRatios {
  readonly idle: number;
  /** After a statement while requests come, and for some work. */
  readonly busy: number;
  readonly brief?: number;
}

/** Most work with brief rests, ms: about that of twenty scripts with three optional filters. */
const BURST = 2_000;

/** No request for so long, ms, ends a rest. */
const QUIET = 250;
/** The longest rest, ms. */
const LONGEST = 2_000;

export class PacingByActivity implements Pacing {
  readonly #activity: Int32Array;
  readonly #pace: PacingRatios;
  readonly #isUrgent: () => boolean;
  readonly #signal: AbortSignal;
  #seen: number;
  /** Work that is left to be done with brief rests, ms, and when that was known, performance.now(). */
  #left = BURST;
  #at = performance.now();

  /** `activity` is ProverSettings.activity; while `isUrgent`, requests wait for the proofs. `signal` ends a rest. */
  constructor(
    activity: SharedArrayBuffer,
    pace: PacingRatios,
    isUrgent: () => boolean,
    signal: AbortSignal,
  ) {
    this.#activity = new Int32Array(activity);
    this.#pace = pace;
    this.#isUrgent = isUrgent;
    this.#signal = signal;
    this.#seen = Atomics.load(this.#activity, 0);
  }

  async afterStatement(took: number): Promise<void> {
    const { busy, brief = busy, idle } = this.#pace;
    const began = performance.now();
    // In the long run no more is saved than may be done while requests come.
    if (busy > 0) this.#left = Math.min(BURST, this.#left + (began - this.#at) / busy);
    this.#at = began;
    await this.#sleep(idle * took);
    if (!this.#isForRequests()) return;
    const ratio = this.#left > took ? brief : busy;
    this.#left = Math.max(0, this.#left - took);
    const end = began + Math.min(ratio * took, LONGEST);
    do {
      const left = end - performance.now();
      if (left <= 0) return;
      await this.#sleep(Math.min(QUIET, left));
    } while (this.#isForRequests());
  }

  #isForRequests(): boolean {
    return !this.#isUrgent() && !this.#signal.aborted && this.#wasActive();
  }

  /** The priority of the thread leaves its processor to requests. */
  async afterSlice(took: number): Promise<void> {
    await this.#sleep(this.#pace.idle * took);
  }

  async #sleep(time: number): Promise<void> {
    await sleep(time, undefined, { signal: this.#signal }).catch(() => undefined);
  }

  /** Whether requests came since the last call. */
  #wasActive(): boolean {
    const now = Atomics.load(this.#activity, 0);
    const was = now !== this.#seen;
    this.#seen = now;
    return was;
  }
}
