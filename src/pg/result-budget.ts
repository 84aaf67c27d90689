/**
 * Bounds the bytes of results at one time: those that one worker holds, over all its databases and connections, and its
 * share of what the front end has not sent yet. No database may hold more than is left to the others, so that one whose
 * results come to a standstill never takes the place of theirs.
 */
export class ResultBudget {
  /** Largest single result, bytes. */
  readonly maxResult: number;
  readonly #limit: number;
  readonly #sending: Int32Array;
  /** What all databases hold together. */
  readonly #all: { held: number; databases: number };
  /** What this one holds. */
  #held = 0;

  /** `sending` is one Int32 that the front end keeps: KiB on their way to callers. */
  constructor(
    maxResult: number,
    limit: number,
    sending: Int32Array = new Int32Array(1),
    all = { held: 0, databases: 1 },
  ) {
    this.maxResult = maxResult;
    this.#limit = limit;
    this.#sending = sending;
    this.#all = all;
  }

  /** another is the budget of one more database, out of the same bytes. */
  another(): ResultBudget {
    this.#all.databases++;
    return new ResultBudget(this.maxResult, this.#limit, this.#sending, this.#all);
  }

  /** hold counts bytes that came (or, below zero, went); false when there are now more than may be. */
  hold(by: number): boolean {
    this.#held += by;
    this.#all.held += by;
    const left = this.#limit - this.#all.held - Atomics.load(this.#sending, 0) * 1024;
    return left >= (this.#all.databases > 1 ? this.#held : 0);
  }
}
