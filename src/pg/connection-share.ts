/**
 * How many connections a worker may hold to one database, and how many it holds, where the front end sees both: while
 * the service reloads, its old and its new front ends share what all of them together may have. A guest gets some of
 * them while it has a use for them, so that there are never more in all.
 */
import { CONNECTION_STRIDE } from '../protocol.js';

/** What a Database knows of its connections' number. */
export interface Allowance {
  /** limit is how many connections there may be now. */
  readonly limit: number;
  /** total is the same, and what is lent to somebody else or is to be. */
  readonly total: number;
  /**
   * take counts one more connection; false, and nothing counted, when there are as many as allowed. When it is `urgent`, one
   * that is lent and idle is given back for it.
   */
  take(urgent: boolean): boolean;
  /** release counts one less. */
  release(): void;
}

/** How long a guest that waits for a connection is waited for, ms: it asks again as long as it has a use for it. */
const CLAIM = 600;

/** ConnectionShare is one worker's share of the connections to one database. */
export class ConnectionShare implements Allowance {
  readonly #shared: Int32Array;
  readonly #at: number;
  #own = 0;
  #guest: GuestShare | undefined;

  /** `shared` is WorkerSettings.connections, `index` the place of the database. */
  constructor(shared: Int32Array, index: number) {
    this.#shared = shared;
    this.#at = index * CONNECTION_STRIDE;
    Atomics.store(shared, this.#at + 1, 0); // what a thread before this one held is closed
  }

  get limit(): number {
    return Math.max(0, this.total - (this.#guest?.claimed ?? 0));
  }

  get total(): number {
    return Atomics.load(this.#shared, this.#at);
  }

  take(urgent = false): boolean {
    if (this.#take()) return true;
    return urgent && this.#guest?.givesBack() === true && this.#take();
  }

  #take(): boolean {
    this.count(1);
    // Counted before the limit is read: who lowers the limit and reads the count after that misses none.
    if (this.#own < this.limit) {
      this.#own++;
      return true;
    }
    this.count(-1);
    return false;
  }

  release(): void {
    this.#own--;
    this.count(-1);
    this.#guest?.freed();
  }

  /** guest gives out `most` of the connections at most, but never the last one. There is one guest. */
  guest(most: number, neighbours: Omit<Neighbours, 'own'>): GuestShare {
    this.#guest = new GuestShare(this, most, { ...neighbours, own: () => this.#own });
    return this.#guest;
  }

  /** count changes how many are counted as held. */
  count(by: number): void {
    Atomics.add(this.#shared, this.#at + 1, by);
  }
}

/** Who is told what. */
export interface Neighbours {
  /** The guest waits for a connection: those of the host's that are too many by now are to be given up. */
  readonly wanted: () => void;
  /** The host has given one up that the guest waits for. */
  readonly freed: () => void;
  /** The host needs one: an idle one of the guest's is to be given up. Gives whether there was one. */
  readonly needed: () => boolean;
  /** How many the host holds. */
  readonly own: () => number;
}

/** GuestShare is the part of a share that somebody else uses. */
export class GuestShare implements Allowance {
  readonly #share: ConnectionShare;
  readonly #most: number;
  readonly #neighbours: Neighbours;
  #held = 0;
  /** When it last asked for one that it did not get, ms. */
  #asked = -Infinity;

  constructor(share: ConnectionShare, most: number, neighbours: Neighbours) {
    this.#share = share;
    this.#most = most;
    this.#neighbours = neighbours;
  }

  get limit(): number {
    return Math.max(0, Math.min(this.#most, this.#share.total - 1));
  }

  get total(): number {
    return this.limit;
  }

  /** claimed is how many are not the host's: those it holds, and one that it waits for. */
  get claimed(): number {
    const waits = performance.now() - this.#asked < CLAIM && this.#held < this.limit;
    return this.#held + (waits ? 1 : 0);
  }

  take(): boolean {
    if (this.#held >= this.limit) return false;
    this.#asked = performance.now();
    this.#neighbours.wanted();
    this.#share.count(1);
    if (this.#neighbours.own() + this.#held < this.#share.total) {
      this.#held++;
      this.#asked = -Infinity;
      return true;
    }
    this.#share.count(-1);
    return false;
  }

  release(): void {
    this.#held--;
    this.#share.count(-1);
  }

  /** givesBack gives up an idle connection for the host, if there is one. */
  givesBack(): boolean {
    return this.#neighbours.needed();
  }

  /** freed is told that the host holds one less. */
  freed(): void {
    if (this.claimed > this.#held) queueMicrotask(this.#neighbours.freed);
  }
}
