/**
 * A bounded map that forgets what was not used recently. It has two generations of equal size: when the young one is full,
 * it becomes the old one, and the old one is dropped.
 */

/** Bounds of each of the two generations. */
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

  /** `sizeOf` gives the size of an entry in characters; by default that of its key. */
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

  /** set stores a value, unless it would take more than a tenth of a generation. */
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

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#characters = 0;
  }
}
