/**
 * How many bytes of bodies a front end keeps in memory, all requests together. It refuses what would be too much: callers
 * can come back, a process without memory cannot. Those of whom it is not known yet who they are get half of it at most,
 * so that nobody keeps the others out with made-up tokens.
 */

/** Bytes, with those on their way to a worker; more where bodies may be so large that these would not be two. */
const LIMIT = 32 << 20;

/** BodyBudget counts them. */
export class BodyBudget {
  readonly #limit: number;
  #held = 0;

  /** `largest` is how long one body may be. */
  constructor(largest: number) {
    this.#limit = Math.max(LIMIT, 2 * largest);
  }

  /** hold counts bytes more, or returns false. `known` tells whether it is known who they are from. */
  hold(bytes: number, known: boolean): boolean {
    if (this.#held + bytes > (known ? this.#limit : this.#limit / 2)) return false;
    this.#held += bytes;
    return true;
  }

  /** release gives back what was held. */
  release(bytes: number): void {
    this.#held -= bytes;
  }
}
