/**
 * Bounds the bytes of bodies that an HTTP process keeps in memory. Bodies of callers who are not identified yet get half
 * of it at most, so that requests with invalid tokens cannot use up the rest.
 */

/** Bytes, including copies on their way to a worker; more where two of the largest bodies would exceed it. */
const LIMIT = 32 << 20;

export class BodyBudget {
  readonly #limit: number;
  #reserved = 0;

  /** `largest` is the largest allowed body (bytes). */
  constructor(largest: number) {
    this.#limit = Math.max(LIMIT, 2 * largest);
  }

  /** reserve returns false when the bytes exceed the budget. */
  reserve(bytes: number, identified: boolean): boolean {
    if (this.#reserved + bytes > (identified ? this.#limit : this.#limit / 2)) return false;
    this.#reserved += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }
}
