/**
 * The callers of tokens that were verified, by token. Bounded by entries and characters: when one generation is full,
 * the one before it is forgotten. Checks no expiry: whoever asks does.
 */
import type { Caller } from './caller.js';

/** Most of one generation; there are two. */
export interface RememberedBounds {
  readonly entries: number;
  /** Of tokens and claims. */
  readonly characters: number;
}

export class RememberedCallers {
  readonly #bounds: RememberedBounds;
  #young = new Map<string, Caller>();
  #old = new Map<string, Caller>();
  #characters = 0;

  constructor(bounds: RememberedBounds) {
    this.#bounds = bounds;
  }

  get(token: string): Caller | undefined {
    const young = this.#young.get(token);
    if (young !== undefined) return young;
    const older = this.#old.get(token);
    if (older !== undefined) this.set(token, older);
    return older;
  }

  set(token: string, caller: Caller): void {
    const length = token.length + caller.claims.length;
    const { entries, characters } = this.#bounds;
    if (this.#young.size >= entries || this.#characters + length > characters) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#young.set(token, caller);
    this.#characters += length;
  }

  /** clear forgets all. */
  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#characters = 0;
  }
}
