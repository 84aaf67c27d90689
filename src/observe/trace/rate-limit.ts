/** A bound of how often something happens. */

const SECOND = 1_000;

export class RateLimit {
  readonly #most: number;
  #second = -1;
  #count = 0;

  /** `most` times a second. */
  constructor(most: number) {
    this.#most = most;
  }

  /** isReached tells whether it may not happen at time `now`, ms. */
  isReached(now: number): boolean {
    const second = Math.floor(now / SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    return this.#count >= this.#most;
  }

  /** take tells whether it may happen at time `now`, ms, and counts it. */
  take(now: number): boolean {
    if (this.isReached(now)) return false;
    this.#count++;
    return true;
  }
}
