/** Work on many items in a thread that has other work. */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** How long the thread works before it yields, ms. */
const SLICE = 5;

/** inSlices calls `each` for all items, and yields to other work whenever a slice of time is used up. */
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
