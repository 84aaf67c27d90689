/**
 * Refreshes a cached value on demand: readers get what is cached while a refresh runs beside them
 * (stale-while-revalidate), and wait only for a value that has expired. Without readers nothing is refreshed.
 */
import { SingleFlight } from './single-flight.js';

export class Refresh extends SingleFlight {
  readonly #intervalAfter: (took: number) => number;
  readonly #expiry: number;
  #interval = 0;

  /**
   * `task` refreshes the value; it must not reject. `intervalAfter` gives how long the value is fresh after a refresh, of
   * how long that took, both in milliseconds; `expiry` is the number of such intervals after which it has expired.
   */
  constructor(task: () => Promise<void>, intervalAfter: (took: number) => number, expiry: number) {
    super(task);
    this.#intervalAfter = intervalAfter;
    this.#expiry = expiry;
  }

  /** isUsable begins a refresh unless the value is fresh at `now` (performance.now()); false when it has expired. */
  isUsable(now: number): boolean {
    const age = now - this.ended;
    if (age <= this.#interval) return true;
    void this.run();
    return age <= this.#expiry * this.#interval;
  }

  protected override onEnd(): void {
    this.#interval = this.#intervalAfter(this.ended - this.began);
  }
}
