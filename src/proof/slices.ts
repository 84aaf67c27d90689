/** Divides long work into slices, between which the event loop turns: a thread that proves scripts may serve requests too. */
import { performance } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

/** How long a slice takes, ms: a request waits for one at most. */
export const SLICE = 1;

export class Slices {
  readonly #pause: number;
  #end = performance.now() + SLICE;

  /** `pause` is how long other work has the thread for itself between slices, ms: a turn each would give it little. */
  constructor(pause = 0) {
    this.#pause = pause;
  }

  /** next begins another slice after the pause, if this one is over. */
  async next(): Promise<void> {
    if (performance.now() < this.#end) return;
    await (this.#pause === 0 ? turn() : sleep(this.#pause));
    this.#end = performance.now() + SLICE;
  }
}
