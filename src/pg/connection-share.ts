/**
 * How many connections a worker may hold to one database, and how many it holds, where the front end sees both: while
 * the service reloads, its old and its new front ends share what all of them together may have.
 */
import { CONNECTION_STRIDE } from '../protocol.js';

/** ConnectionShare is one worker's share of the connections to one database. */
export class ConnectionShare {
  readonly #shared: Int32Array;
  readonly #at: number;

  /** `shared` is WorkerSettings.connections, `index` the place of the database. */
  constructor(shared: Int32Array, index: number) {
    this.#shared = shared;
    this.#at = index * CONNECTION_STRIDE;
    Atomics.store(shared, this.#at + 1, 0); // what a thread before this one held is closed
  }

  /** limit is how many connections there may be now. */
  get limit(): number {
    return Atomics.load(this.#shared, this.#at);
  }

  /** take counts one more connection; false, and nothing counted, when there are as many as allowed. */
  take(): boolean {
    // Counted before the limit is read: who lowers the limit and reads the count after that misses none.
    if (Atomics.add(this.#shared, this.#at + 1, 1) < this.limit) return true;
    this.release();
    return false;
  }

  /** release counts one less. */
  release(): void {
    Atomics.sub(this.#shared, this.#at + 1, 1);
  }
}
