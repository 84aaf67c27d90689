/** Divides long work into slices, between which the event loop turns: a thread that proves scripts may serve requests too. */
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

/** How long a slice takes, ms: a request waits for one at most. */
const SLICE = 1;

export class Slices {
  #end = performance.now() + SLICE;

  /** Whether the slice is over, so that `next` is due. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** next resolves when the event loop has turned, and begins another slice. */
  async next(): Promise<void> {
    await turn();
    this.#end = performance.now() + SLICE;
  }
}
