/** Work on many scripts in slices of time, so that other requests do not wait for all of it. */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** How long the thread works before it yields, ms. */
const SLICE = 5;

/** inSlices yields to other requests whenever a slice of time is used up. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  each: (item: Item) => void,
): Promise<void> {
  let began = performance.now();
  for (const item of items) {
    each(item);
    if (performance.now() - began < SLICE) continue;
    await setImmediate();
    began = performance.now();
  }
}
