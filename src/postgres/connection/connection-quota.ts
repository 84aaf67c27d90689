/**
 * How many connections a worker may have open to one database, and how many it has, where the HTTP process sees both:
 * during a reload the old and the new HTTP processes share one quota. A borrower uses part of a worker's quota while it
 * needs it, and so does the prover, in another thread (lent-quota.ts), so that all together never exceed it.
 */
import { ServerConnections } from '../../messages/server-connections.js';

export interface Quota {
  readonly limit: number;
  /** total is limit and the connections lent, or about to be lent, to a borrower. */
  readonly total: number;
  /** take counts one more connection; false at the limit. When `urgent`, the borrower closes an idle one. */
  take(urgent: boolean): boolean;
  release(): void;
}

/** How long a connection is reserved for a borrower that could not get one, ms: it asks again while it needs one. */
const CLAIM = 600;

export class ConnectionQuota implements Quota {
  /** Connections except the borrower's. */
  own = 0;
  readonly #connections: ServerConnections;
  #borrower: BorrowerQuota | undefined;

  /** See ServerConnections. */
  constructor(shared: Int32Array, index: number) {
    this.#connections = new ServerConnections(shared, index);
    this.#connections.closed();
  }

  get limit(): number {
    return Math.max(0, this.total - (this.#borrower?.claimed ?? 0));
  }

  get total(): number {
    const { allowed, lent } = this.#connections;
    return Math.max(Math.min(1, allowed), allowed - lent);
  }

  take(urgent = false): boolean {
    if (this.#take()) return true;
    return urgent && this.#borrower?.callbacks.needed() === true && this.#take();
  }

  #take(): boolean {
    this.count(1);
    // Counted before the limit is read: a process that lowers the limit and then reads the count misses none.
    if (this.own < this.limit) {
      this.own++;
      return true;
    }
    this.count(-1);
    return false;
  }

  release(): void {
    this.own--;
    this.count(-1);
    this.#borrower?.freed();
  }

  /** lend makes the quota of the one borrower: at most `most` connections, and never the last one. */
  lend(most: number, callbacks: LendingCallbacks): BorrowerQuota {
    this.#borrower = new BorrowerQuota(this, most, callbacks);
    return this.#borrower;
  }

  count(by: number): void {
    this.#connections.count(by);
  }
}

/** LendingCallbacks connect the worker's database, the host, and its borrower. */
export interface LendingCallbacks {
  /** The borrower waits for a connection: the host closes idle ones beyond its limit. */
  readonly wanted: () => void;
  /** The host closed a connection that the borrower waits for. */
  readonly freed: () => void;
  /** The host needs a connection: the borrower closes an idle one; false when it has none. */
  readonly needed: () => boolean;
}

/** BorrowerQuota is the part of a ConnectionQuota that is lent. */
export class BorrowerQuota implements Quota {
  readonly callbacks: LendingCallbacks;
  readonly #host: ConnectionQuota;
  readonly #most: number;
  #open = 0;
  /** When it last asked for a connection and did not get it, ms. */
  #claimedAt = -Infinity;

  constructor(host: ConnectionQuota, most: number, callbacks: LendingCallbacks) {
    this.#host = host;
    this.#most = most;
    this.callbacks = callbacks;
  }

  get limit(): number {
    return Math.max(0, Math.min(this.#most, this.#host.total - 1));
  }

  get total(): number {
    return this.limit;
  }

  /** claimed is how many connections the host cannot use: the borrower's, and one that it waits for. */
  get claimed(): number {
    const waits = performance.now() - this.#claimedAt < CLAIM && this.#open < this.limit;
    return this.#open + (waits ? 1 : 0);
  }

  take(): boolean {
    if (this.#open >= this.limit) return false;
    this.#claimedAt = performance.now();
    this.callbacks.wanted();
    this.#host.count(1);
    if (this.#host.own + this.#open < this.#host.total) {
      this.#open++;
      this.#claimedAt = -Infinity;
      return true;
    }
    this.#host.count(-1);
    return false;
  }

  release(): void {
    this.#open--;
    this.#host.count(-1);
  }

  /** freed wakes the borrower if it waits for the connection that the host has closed. */
  freed(): void {
    if (this.claimed > this.#open) queueMicrotask(this.callbacks.freed);
  }
}
