/** Remembers why something fails, so that a failure that repeats is logged once, and its end as well. */
export class LogOnce {
  #reason: string | undefined;

  /** isNew tells whether a failure is to be logged: the one before had another reason, or there was none. */
  isNew(reason: string): boolean {
    if (reason === this.#reason) return false;
    this.#reason = reason;
    return true;
  }

  /** end forgets the reason; false when there was none. */
  end(): boolean {
    const failed = this.#reason !== undefined;
    this.#reason = undefined;
    return failed;
  }
}
