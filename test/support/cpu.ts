/** Processor time instead of elapsed time: other processes do not count. */
import type { Test } from 'tap';

/** cpuTime is the processor time that work takes, milliseconds. */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** What a garbage collection may add, milliseconds. */
const COLLECTION = 100;

/** isLinear checks that work on eight times as much takes some eight times as long: up to 24 times, where a square has 64. */
export async function isLinear(
  t: Pick<Test, 'ok'>,
  work: (size: number) => unknown,
  size: number,
  what = '',
): Promise<void> {
  work(size / 9); // compiled by then; another size, for results may be cached
  const small = await cpuTime(() => work(size / 8));
  const large = await cpuTime(() => work(size));
  const times = `${small.toFixed(1)} ms, for eight times as much ${large.toFixed(1)} ms`;
  t.ok(large <= 24 * small + COLLECTION, `${what} ${times}`.trim());
}
