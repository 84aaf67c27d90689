/** Bounds the bytes of results that one worker holds at one time, over all its databases and connections. */
export class ResultBudget {
  /** Largest single result, bytes. */
  readonly maxResult: number;
  readonly #limit: number;
  #held = 0;

  constructor(maxResult: number, limit: number) {
    this.maxResult = maxResult;
    this.#limit = limit;
  }

  /** hold counts bytes that came (or, below zero, went); false when there are now more than the limit. */
  hold(by: number): boolean {
    this.#held += by;
    return this.#held <= this.#limit;
  }
}
