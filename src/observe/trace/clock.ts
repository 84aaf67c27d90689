/**
 * The clock of spans. Threads measure with the monotonic clock of the machine, which all of them share; the HTTP process
 * converts to the time of day, so that the spans of a request fit together whatever becomes of the time of day.
 */
import { performance } from 'node:perf_hooks';

/** A difference to the time of day, ms, beyond which that has been set, or the clocks have drifted apart. */
const DRIFT = 10;

const NANOSECONDS = 1e6;

/** The monotonic time at which performance.now was 0, ms: the latest of some, for a thread may have to wait between two clocks. */
const ORIGIN = Math.max(
  ...Array.from(
    { length: 8 },
    () => Number(process.hrtime.bigint()) / NANOSECONDS - performance.now(),
  ),
);

/** monotonic converts a time of this thread (performance.now) to the clock that all threads share, ms. */
export function monotonic(now: number): number {
  return now + ORIGIN;
}

/** WallClock converts times of that clock to the time of day. */
export class WallClock {
  /** The time of day at the monotonic time 0, ms since 1970. */
  #offset = performance.timeOrigin - ORIGIN;

  /** adjust follows the time of day. To be called between requests, so that the spans of one have the same offset. */
  adjust(): void {
    const offset = Date.now() - monotonic(performance.now());
    if (Math.abs(offset - this.#offset) > DRIFT) this.#offset = offset;
  }

  /** nanoseconds gives a monotonic time, ms, in nanoseconds since 1970. */
  nanoseconds(time: number): bigint {
    const milliseconds = this.#offset + time;
    const whole = Math.floor(milliseconds);
    return BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * NANOSECONDS));
  }
}
