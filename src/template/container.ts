/**
 * The values that hold values: List, a Go []string or []any, and MapValue, a Go map[string]any, both over the data,
 * which they never change; its parts become values one by one, when they are reached. With screening, text of the data
 * is marked with the parameter it came from; keys come from the request as much as values do and are checked too.
 */
import { compareStrings } from './byte-string.js';
import { isValueMap, PlainData, type Screening, type ValueMap } from './data.js';
import { type Complex, type Counted, Derived, Float, Refused } from './kinds.js';

/** A value without an interface around it. */
export type Plain =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Complex
  | Counted
  | Derived
  | Refused
  | List
  | MapValue;

/** A value that may have the static type of an interface. */
export type Value = Plain | Boxed;

/** Boxed is an element whose static type in Go is an interface; it shows only in `slice` and in messages. */
export class Boxed {
  readonly inner: Plain;
  constructor(inner: Plain) {
    this.inner = inner;
  }
}

/** List is a window on an array; what it holds is not changed. */
export class List {
  readonly #items: readonly unknown[];
  readonly #start: number;
  readonly length: number;
  /** How far a slice of it may reach. */
  readonly capacity: number;
  /** Whether the items are values already; those of the data are not. */
  readonly #made: boolean;
  /** Whether elements are strings; not known before somebody asks. */
  #strings: boolean | undefined;
  readonly #screening: Screening | undefined;
  /** The parameter it came from. */
  readonly #origin: string;

  private constructor(
    items: readonly unknown[],
    window: readonly [start: number, length: number, capacity: number],
    made: boolean,
    strings: boolean | undefined,
    screening: Screening | undefined,
    origin: string,
  ) {
    this.#items = items;
    [this.#start, this.length, this.capacity] = window;
    this.#made = made;
    this.#strings = strings;
    this.#screening = screening;
    this.#origin = origin;
  }

  /** ofData wraps an array of the data: []string when it is not empty and holds only strings. */
  static ofData(items: readonly unknown[], screening: Screening | undefined, origin: string): List {
    const { length } = items;
    return new List(items, [0, length, length], false, undefined, screening, origin);
  }

  /** ofStrings wraps strings that a function made. */
  static ofStrings(items: readonly Plain[]): List {
    return new List(items, [0, items.length, items.length], true, true, undefined, '');
  }

  /** Whether elements are strings rather than interfaces. */
  get strings(): boolean {
    // A part of a list has the type of the whole, so all items count.
    return (this.#strings ??= this.#items.length > 0 && this.#items.every(isString));
  }

  get typeName(): string {
    return this.strings ? '[]string' : '[]interface {}';
  }

  /** at gives the element at an index below the length. */
  at(i: number): Plain {
    const item = this.#items[this.#start + i];
    return this.#made ? (item as Plain) : fromData(item, this.#screening, this.#origin);
  }

  /** slice is list[from:to:capacity], all within the capacity. */
  slice(from: number, to: number, capacity: number): List {
    return new List(
      this.#items,
      [this.#start + from, to - from, capacity - from],
      this.#made,
      this.strings,
      this.#screening,
      this.#origin,
    );
  }
}

/** A refused element stands for a string. */
function isString(item: unknown): boolean {
  return typeof item === 'string' || item instanceof Refused;
}

/** MapValue reads a map; `set` puts a value over what the map has, for this rendering alone. */
export class MapValue {
  readonly #source: ValueMap;
  readonly #screening: Screening | undefined;
  readonly #prefix: string;
  #over: Map<string, Plain> | undefined;
  /** Sorted keys, and the lists and maps given out: made once. */
  #keys: readonly string[] | undefined;
  #inner: Map<string, Plain> | undefined;

  /** `prefix` stands before a key in the name of the parameter that a value comes from. */
  constructor(source: ValueMap, screening: Screening | undefined, prefix: string) {
    this.#source = source;
    this.#screening = screening;
    this.#prefix = prefix;
  }

  readonly typeName = 'map[string]interface {}';

  get length(): number {
    return this.keys().length;
  }

  /** get is the value under a key; undefined when there is none. */
  get(key: string): Plain {
    if (this.#over?.has(key) === true) return this.#over.get(key);
    const before = this.#inner?.get(key);
    if (before !== undefined) return before;
    const data = this.#source.get(key);
    if (data === undefined) return undefined;
    const value = fromData(data, this.#screening, this.#prefix + key);
    if (value instanceof List || value instanceof MapValue) {
      this.#inner ??= new Map();
      this.#inner.set(key, value);
    }
    return value;
  }

  /** set puts a value over what the map has. */
  set(key: string, value: Plain): void {
    this.#over ??= new Map();
    this.#over.set(key, value);
    this.#keys = undefined;
  }

  /** over is what was put over the map under a key. */
  over(key: string): Plain {
    return this.#over?.get(key);
  }

  /** keys are sorted by their bytes, as Go prints and ranges. */
  keys(): readonly string[] {
    if (this.#keys === undefined) {
      const keys = new Set<string>(this.#source.keys());
      if (this.#over !== undefined) for (const key of this.#over.keys()) keys.add(key);
      this.#keys = [...keys].sort(compareStrings);
    }
    return this.#keys;
  }

  /** keyValue is a key as a value: text of the request, when that is screened. */
  keyValue(key: string): Plain {
    const text = key.toWellFormed();
    if (this.#screening === undefined) return text;
    const origin = this.#prefix + text;
    return this.#screening(text) ? new Derived(text, origin) : new Refused(origin);
  }
}

/**
 * fromData makes a template value of a value of the data. With screening, its text is marked as coming from the
 * parameter `origin`. What is no JSON (a function, a symbol) is absent.
 */
export function fromData(data: unknown, screening: Screening | undefined, origin: string): Plain {
  switch (typeof data) {
    case 'string': {
      const text = data.isWellFormed() ? data : data.toWellFormed();
      return screening === undefined ? text : new Derived(text, origin);
    }
    case 'number':
      return Number.isSafeInteger(data) ? data + 0 : new Float(data);
    case 'boolean':
    case 'bigint':
      return data;
    case 'object':
      break;
    default:
      return undefined;
  }
  if (data === null || data instanceof Refused) return data;
  if (Array.isArray(data)) return List.ofData(data, screening, origin);
  const map = isValueMap(data) ? data : new PlainData(data);
  return new MapValue(map, screening, `${origin}.`);
}
