/** Waiting for a condition. The time limit of the test file is the only bound, so a busy machine fails nothing. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** until waits for a condition, which it checks every `pause` milliseconds. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  pause = 10,
): Promise<void> {
  while (!(await condition())) await sleep(pause);
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
