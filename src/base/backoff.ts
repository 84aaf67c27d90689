/** Exponential waits between attempts. */
export class Backoff {
  readonly #first: number;
  readonly #longest: number;
  #wait = 0;

  /** Waits from `first` on, doubled with each attempt up to `longest`, in milliseconds. */
  constructor(first: number, longest: number) {
    this.#first = first;
    this.#longest = longest;
  }

  /** The last wait that `next` returned; 0 before the first one and after a reset. */
  get wait(): number {
    return this.#wait;
  }

  /** next returns how long to wait before the next attempt. */
  next(): number {
    this.#wait = Math.min(Math.max(this.#first, this.#wait * 2), this.#longest);
    return this.#wait;
  }

  /** reset starts again with the first wait. */
  reset(): void {
    this.#wait = 0;
  }
}
