/**
 * What the query workers of the service know about primaries, in memory that all of them share while the supervisor runs: a
 * worker begins with what others have seen, because nothing that a superseded primary says shows that it is one. Numbers by
 * name, 0 where nothing is known; server-roles.ts has the names.
 */
import { createHash } from 'node:crypto';
import { mapOrOwn } from '../../native/shared-memory.js';
import { PLAN_TIMES_BYTES, PRIMARIES_BYTES } from '../../messages/worker-settings.js';

export class KnownPrimaries {
  /** A count of changes, a word without use, and for each name a digest and its number. */
  readonly #words: BigInt64Array;

  /** With the descriptor of the memory; without it, the worker knows only primaries that it has seen itself. */
  constructor(descriptor: number | undefined) {
    this.#words = new BigInt64Array(mapOrOwn(descriptor, PLAN_TIMES_BYTES, PRIMARIES_BYTES));
  }

  /** version changes with every change. */
  get version(): bigint {
    return Atomics.load(this.#words, 0);
  }

  get(name: string): bigint {
    return Atomics.load(this.#words, this.#place(name));
  }

  /** change replaces a number, unless another worker has done so meanwhile. */
  change(name: string, from: bigint, to: bigint): void {
    if (from === to) return;
    Atomics.compareExchange(this.#words, this.#place(name), from, to);
    Atomics.add(this.#words, 0, 1n);
  }

  /** Takes a place for a name that has none. Throws when there is no room, after thousands of changed configurations. */
  #place(name: string): number {
    const key = createHash('sha256').update(name).digest().readBigInt64LE() || 1n;
    for (let at = 2; at < this.#words.length; at += 2) {
      const there = Atomics.compareExchange(this.#words, at, 0n, key);
      if (there === 0n || there === key) return at + 1;
    }
    throw new Error('no room for what is known about primaries');
  }
}
