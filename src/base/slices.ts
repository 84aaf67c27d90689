/** Divides long work into slices, between which the event loop turns: a thread that proves scripts may serve requests too. */
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

/** How long a slice takes, ms: a request waits for one at most. */
export const SLICE = 1;

export class Slices {
  readonly #pause: () => Promise<unknown>;
  #end = performance.now() + SLICE;

  /** `pause` is waited for between slices; the event loop has to turn meanwhile. */
  constructor(pause: () => Promise<unknown> = turn) {
    this.#pause = pause;
  }

  /** next begins another slice after the pause, if this one is over; it resolves to whether it was. */
  async next(): Promise<boolean> {
    if (performance.now() < this.#end) return false;
    await this.#pause();
    this.#end = performance.now() + SLICE;
    return true;
  }
}
