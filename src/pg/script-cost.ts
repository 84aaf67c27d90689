/**
 * How long a script's statements take, as measured, and the lane that follows from it: scripts known to be fast share
 * pipelines, unknown and slow ones get a connection to themselves. A slow run counts at once; trust comes back only
 * over many fast runs, so that a script that is fast and slow by turns stays out of the shared lane.
 */

/** A statement that takes longer than this (milliseconds) does not belong beside others. */
export const SLOW_AFTER = 20;

/** Share of the remembered time that one faster run leaves. */
const DECAY = 0.97;

export class ScriptCost {
  /** Remembered time of one run in milliseconds; infinite until the first. */
  #time = Infinity;

  /** Whether its statements may share a pipeline. */
  get fast(): boolean {
    return this.#time < SLOW_AFTER / 2;
  }

  /** record takes the measured time of one run, in milliseconds. */
  record(time: number): void {
    if (this.#time === Infinity || time > this.#time) this.#time = time;
    else this.#time = this.#time * DECAY + time * (1 - DECAY);
  }
}
