/**
 * Objects in flight, by id: an array in which the lower bits of an id are its slot. Not a Map, because in a Map whose
 * entries change all the time they never die young: each table that it outgrows points to the next, so that once V8 has
 * moved one into its old generation, all later ones are kept with their contents until a full collection (measured: a
 * sixth of all CPU time).
 */

/** Ids wrap here, so that they stay small integers. */
const MAX_ID = 0x3fff_ffff;

export class SlotTable<T extends { readonly id: number }> {
  readonly #slots: (T | undefined)[];
  readonly #mask: number;
  #size = 0;
  #lastId = 0;

  /** `capacity` is the most objects at one time. */
  constructor(capacity: number) {
    // Twice as many, so that a free slot is near even when the table is full.
    const slots = 2 ** Math.ceil(Math.log2(capacity * 2));
    this.#slots = new Array<T | undefined>(slots).fill(undefined);
    this.#mask = slots - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** nextId gives an id whose slot is free. Throws RangeError when all are in use. */
  nextId(): number {
    if (this.#size > this.#mask) throw new RangeError('too much in flight');
    do this.#lastId = this.#lastId === MAX_ID ? 1 : this.#lastId + 1;
    while (this.#slots[this.#lastId & this.#mask] !== undefined);
    return this.#lastId;
  }

  /** put adds an object, and returns the one whose slot it takes, if there was one. */
  put(one: T): T | undefined {
    const slot = one.id & this.#mask;
    const before = this.#slots[slot];
    if (before === undefined) this.#size++;
    this.#slots[slot] = one;
    return before;
  }

  get(id: number): T | undefined {
    const one = this.#slots[id & this.#mask];
    return one?.id === id ? one : undefined;
  }

  /** remove removes the object of an id; false without one. */
  remove(id: number): boolean {
    if (this.get(id) === undefined) return false;
    this.#slots[id & this.#mask] = undefined;
    this.#size--;
    return true;
  }

  /** values gives all objects, in no particular order. */
  values(): T[] {
    return this.#slots.filter((one) => one !== undefined);
  }
}
