/**
 * What is in flight, by number: an array in which a number's lower bits are its place. A leaf, for both sides of the
 * hop. Not a Map, because one whose entries come and go all the time never lets them die young: each table it grows
 * out of points to the next, so that once V8 has moved one into its old generation, all that follow are kept with
 * what they held until a full collection (measured: a sixth of all CPU time).
 */

/** Numbers wrap here, so that they stay small integers. */
const MAX_ID = 0x3fff_ffff;

/** SlotTable holds objects that carry their number. */
export class SlotTable<T extends { readonly id: number }> {
  readonly #slots: (T | undefined)[];
  readonly #mask: number;
  #size = 0;
  #lastId = 0;

  /** `capacity` is the most objects at one time. */
  constructor(capacity: number) {
    // Twice as many, so that a free place is near even when all are there.
    const places = 2 ** Math.ceil(Math.log2(capacity * 2));
    this.#slots = new Array<T | undefined>(places).fill(undefined);
    this.#mask = places - 1;
  }

  /** size is how many objects there are. */
  get size(): number {
    return this.#size;
  }

  /** nextId is a number whose place is free. Throws RangeError when there is none. */
  nextId(): number {
    if (this.#size > this.#mask) throw new RangeError('too much in flight');
    do this.#lastId = this.#lastId === MAX_ID ? 1 : this.#lastId + 1;
    while (this.#slots[this.#lastId & this.#mask] !== undefined);
    return this.#lastId;
  }

  /** put adds an object, and returns the one that had its place and is not there any more. */
  put(one: T): T | undefined {
    const place = one.id & this.#mask;
    const before = this.#slots[place];
    if (before === undefined) this.#size++;
    this.#slots[place] = one;
    return before;
  }

  /** get is the object of that number, if it is there. */
  get(id: number): T | undefined {
    const one = this.#slots[id & this.#mask];
    return one?.id === id ? one : undefined;
  }

  /** remove takes the object of that number away; false when it is not there. */
  remove(id: number): boolean {
    if (this.get(id) === undefined) return false;
    this.#slots[id & this.#mask] = undefined;
    this.#size--;
    return true;
  }

  /** values are all objects, in no order. */
  values(): T[] {
    return this.#slots.filter((one) => one !== undefined);
  }
}
