/** The clock of this process, which a test sets forward instead of waiting. Timers are not changed. */
import { performance } from 'node:perf_hooks';
import type { Test } from 'tap';

export class Clock {
  readonly #real = performance.now.bind(performance);
  #offset = 0;
  #stopped: number | undefined;

  constructor(t: Test) {
    t.intercept(performance, 'now', { value: () => this.#stopped ?? this.#real() + this.#offset });
  }

  /** skip sets the clock forward by some milliseconds. */
  skip(time: number): void {
    this.#offset += time;
    if (this.#stopped !== undefined) this.#stopped += time;
  }

  /** stop has the time stand still, but for `skip`. */
  stop(): void {
    this.#stopped = performance.now();
  }

  /** start has the time go on. */
  start(): void {
    if (this.#stopped === undefined) return;
    this.#offset = this.#stopped - this.#real();
    this.#stopped = undefined;
  }
}
