/**
 * The deaths of the query workers of an HTTP process, in memory that they share with it (WorkerSettings.deaths): the length of
 * the current series, and its last death (s since epoch). The process counts them, and threads wait before they start.
 */

/** Wait before another attempt to start a thread (milliseconds), doubled each time up to LONGEST_WAIT. */
export const FIRST_WAIT = 100;
export const LONGEST_WAIT = 5_000;

/** Deaths within so many seconds of each other are one series. */
const SERIES = 60;

export function deathsMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** countDeath counts a death for all workers, and returns the length of its series. */
export function countDeath(memory: SharedArrayBuffer): number {
  const deaths = new Int32Array(memory);
  const now = Math.floor(Date.now() / 1000);
  const series = now - Atomics.load(deaths, 1) <= SERIES ? Atomics.load(deaths, 0) + 1 : 1;
  Atomics.store(deaths, 0, series);
  Atomics.store(deaths, 1, now);
  return series;
}

/** waitOf is how long a thread waits before it starts, ms: the first replacement not at all. */
export function waitOf(memory: SharedArrayBuffer): number {
  const series = Atomics.load(new Int32Array(memory), 0);
  return series > 1 ? Math.min(FIRST_WAIT * 2 ** (series - 2), LONGEST_WAIT) : 0;
}
