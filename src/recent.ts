/**
 * What was used of late, by text: a map that is bounded and forgets what was not asked for in the meantime. Two
 * generations of equal size: when the young one is full it becomes the old one, and what was the old one is forgotten. A
 * leaf: imports nothing.
 */

/** Most of one generation; there are two. */
export interface RecentBounds {
  readonly entries: number;
  readonly characters: number;
}

export class Recent<Value> {
  readonly #bounds: RecentBounds;
  readonly #sizeOf: (key: string, value: Value) => number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #characters = 0;

  /** `sizeOf` tells how many characters an entry counts for: those of its key unless it says more. */
  constructor(
    bounds: RecentBounds,
    sizeOf: (key: string, value: Value) => number = (key) => key.length,
  ) {
    this.#bounds = bounds;
    this.#sizeOf = sizeOf;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  /** set remembers a value; one that would take a tenth of a generation or more is not worth the others. */
  set(key: string, value: Value): void {
    const size = this.#sizeOf(key, value);
    const { entries, characters } = this.#bounds;
    if (size > characters / 10) return;
    if (this.#young.size >= entries || this.#characters + size > characters) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#young.set(key, value);
    this.#characters += size;
  }

  /** clear forgets all. */
  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#characters = 0;
  }
}
