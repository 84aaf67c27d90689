/** Divides long work into slices of time, between which the event loop turns: the thread may serve requests too. */
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

/** How long a slice takes, ms: a request waits for one at most. */
export const SLICE = 1;

export class Slices {
  readonly #pause: () => Promise<unknown>;
  readonly #length: number;
  #end: number;

  /** `pause` is waited for between slices of `length` ms; the event loop has to turn meanwhile. */
  constructor(pause: () => Promise<unknown> = turn, length = SLICE) {
    this.#pause = pause;
    this.#length = length;
    this.#end = performance.now() + length;
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** next begins another slice after the pause, if this one is over; it resolves to whether it was. */
  async next(): Promise<boolean> {
    if (!this.isOver) return false;
    await this.#pause();
    this.#end = performance.now() + this.#length;
    return true;
  }
}

/** inSlices works on many items in slices of 5 ms. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  each: (item: Item) => void,
): Promise<void> {
  const slices = new Slices(turn, 5);
  for (const item of items) {
    each(item);
    if (slices.isOver) await slices.next();
  }
}
