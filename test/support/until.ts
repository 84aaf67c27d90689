/** Waiting for a condition. The time limit of the test file is the only bound, so a busy machine fails nothing. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** A condition is looked at for no more than one part in so many of the time: what is waited for needs the processor. */
const PART = 8;

/**
 * until waits for a condition, which it checks every `pause` milliseconds, less often when that takes long. Returns its
 * value, which is neither false, null nor undefined.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  pause = 10,
): Promise<Exclude<T, false | null | undefined>> {
  for (;;) {
    const began = performance.now();
    const value = await condition();
    if (value !== false && value !== null && value !== undefined)
      return value as Exclude<T, false | null | undefined>;
    await sleep(Math.max(pause, (PART - 1) * (performance.now() - began)));
  }
}

/** isPending tells whether a promise has not settled yet. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const settled = (): void => {
    pending = false;
  };
  promise.then(settled, settled);
  await setImmediate(); // all callbacks of promises come first
  return pending;
}
