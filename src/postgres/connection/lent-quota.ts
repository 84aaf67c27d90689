/**
 * The connection that a query worker lends to the prover, another thread of its HTTP process: both count in the same memory,
 * so that together they never have more than is allowed. The worker keeps one in any case, and all of them once fewer are
 * allowed than before: its HTTP process is being replaced, and requests need those that are left.
 */
import { ServerConnections } from '../../messages/server-connections.js';
import type { Quota } from './connection-quota.js';

/** How long a connection that could not be opened stays reserved, ms: the database asks again while it needs one. */
const CLAIM = 600;

/** PostgreSQL takes a moment, ms, to notice that a connection was closed: the worker may only then open another one. */
const NOTICED = 50;

/** The least that must be allowed for one to be lent. */
const LEAST = 2;

export class LentQuota implements Quota {
  readonly #connections: ServerConnections;
  readonly #changed: () => void;
  #open = false;
  /** The most that was allowed so far. */
  #most = 0;
  /** Gives back the lent connections. */
  #return: NodeJS.Timeout | undefined;

  /** See ServerConnections; `changed` is called when the worker has a connection less, or one more. */
  constructor(shared: Int32Array, index: number, changed: () => void) {
    this.#connections = new ServerConnections(shared, index);
    this.#changed = changed;
  }

  get limit(): number {
    const { allowed } = this.#connections;
    this.#most = Math.max(this.#most, allowed);
    return allowed < Math.max(LEAST, this.#most) ? 0 : 1;
  }

  get total(): number {
    return this.limit;
  }

  take(): boolean {
    if (this.#open || this.limit === 0) return false;
    clearTimeout(this.#return);
    this.#lend(1);
    // Lent before the number is read: a worker that counts one more and then reads what is lent misses nothing.
    const { allowed } = this.#connections;
    if (this.#connections.open < allowed) {
      this.#open = true;
      return true;
    }
    this.#returnIn(CLAIM);
    return false;
  }

  release(): void {
    this.#open = false;
    this.#returnIn(NOTICED);
  }

  #returnIn(wait: number): void {
    this.#return = setTimeout(() => this.#lend(0), wait).unref();
  }

  #lend(lent: 0 | 1): void {
    if (this.#connections.lend(lent)) this.#changed();
  }
}
