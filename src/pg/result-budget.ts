/**
 * Bounds the bytes of results at one time: those that one worker holds, over all its databases and connections, and its
 * share of what the front end has not sent yet.
 */
export class ResultBudget {
  /** Largest single result, bytes. */
  readonly maxResult: number;
  readonly #limit: number;
  readonly #sending: Int32Array;
  #held = 0;

  /** `sending` is one Int32 that the front end keeps: KiB on their way to callers. */
  constructor(maxResult: number, limit: number, sending: Int32Array = new Int32Array(1)) {
    this.maxResult = maxResult;
    this.#limit = limit;
    this.#sending = sending;
  }

  /** hold counts bytes that came (or, below zero, went); false when there are now more than the limit. */
  hold(by: number): boolean {
    this.#held += by;
    return this.#held + Atomics.load(this.#sending, 0) * 1024 <= this.#limit;
  }
}
