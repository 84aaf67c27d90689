/**
 * How long a script's statements take, as measured, and the lane that follows from it: scripts known to be fast share
 * pipelines, unknown and slow ones get a connection to themselves. One run that was slow for the machine's sake is
 * forgiven; a script that is slow now and then, or very slow once, has to earn the shared lane again.
 */

/** A statement that takes longer than this (milliseconds) does not belong beside others. */
export const SLOW_AFTER = 20;

/** One this slow (milliseconds) is enough to leave the shared lane. */
export const VERY_SLOW = 150;

/** Share of slow runs from which a script is slow. */
const SLOW_SHARE = 0.1;

/** What one run weighs in the average of times, and in the share of slow runs. */
const WEIGHT = 0.1;
const SHARE_WEIGHT = 0.04;

export class ScriptCost {
  /** Average time of one run, milliseconds; undefined until the first. */
  #time: number | undefined;
  /** Share of slow runs, with those long past counting less and less. */
  #slow = 0;

  /** time is the expected time of one run, milliseconds. */
  get time(): number {
    return this.#time ?? SLOW_AFTER;
  }

  /** Whether its statements may share a pipeline. */
  get fast(): boolean {
    return this.#time !== undefined && this.#slow < SLOW_SHARE;
  }

  /** record takes the measured time of one run, in milliseconds. */
  record(time: number): void {
    if (this.#time === undefined) {
      this.#time = time;
      if (time > SLOW_AFTER) this.#slow = 1;
      return;
    }
    this.#time += (time - this.#time) * WEIGHT;
    if (time > VERY_SLOW) this.#slow = 1;
    else this.#slow += ((time > SLOW_AFTER ? 1 : 0) - this.#slow) * SHARE_WEIGHT;
  }
}
