/**
 * Container values: List, a Go []string or []any, and MapValue, a Go map[string]any. Both are views of the data, which
 * they never change; elements are converted to values on access. With screening, text of the data is tainted with the
 * parameter it came from; keys come from the request too and are checked as well.
 */
import { compareStrings } from './byte-string.js';
import { isValueMap, PlainData, type Screening, type ValueMap } from './data.js';
import { type Complex, type Counted, Tainted, Float, Refused } from './kinds.js';

/** An unboxed value. */
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
  | Tainted
  | Refused
  | List
  | MapValue;

/** A value that may have the static type of an interface. */
export type Value = Plain | Boxed;

/** Boxed is a value whose static type in Go is an interface; this matters only for `slice` and in messages. */
export class Boxed {
  readonly inner: Plain;
  constructor(inner: Plain) {
    this.inner = inner;
  }
}

/** List is a read-only slice of an array. */
export class List {
  readonly #items: readonly unknown[];
  readonly #start: number;
  readonly length: number;
  /** The largest length of a slice of it. */
  readonly capacity: number;
  /** Whether the items are already values; items of the data are not. */
  readonly #made: boolean;
  /** Whether elements are strings; undefined until it is needed. */
  #strings: boolean | undefined;
  readonly #screening: Screening | undefined;
  /** The parameter it came from, '' for none. */
  readonly origin: string;

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
    this.origin = origin;
  }

  /** ofData wraps an array of the data: []string if it is not empty and contains only strings. */
  static ofData(items: readonly unknown[], screening: Screening | undefined, origin: string): List {
    const { length } = items;
    return new List(items, [0, length, length], false, undefined, screening, origin);
  }

  /** ofStrings wraps strings that a function made; `origin` is the parameter they came from, '' for none. */
  static ofStrings(items: readonly Plain[], origin: string): List {
    return new List(items, [0, items.length, items.length], true, true, undefined, origin);
  }

  /** Whether elements are strings rather than interfaces. */
  get strings(): boolean {
    // A slice has the type of the whole list, so all items count.
    return (this.#strings ??= this.#items.length > 0 && this.#items.every(isString));
  }

  get typeName(): string {
    return this.strings ? '[]string' : '[]interface {}';
  }

  /** at returns the element at an index below the length. */
  at(i: number): Plain {
    const item = this.#items[this.#start + i];
    return this.#made ? (item as Plain) : fromData(item, this.#screening, this.origin);
  }

  /** slice is list[from:to:capacity], all within the capacity. */
  slice(from: number, to: number, capacity: number): List {
    return new List(
      this.#items,
      [this.#start + from, to - from, capacity - from],
      this.#made,
      this.strings,
      this.#screening,
      this.origin,
    );
  }
}

/** A refused element was a string. */
function isString(item: unknown): boolean {
  return typeof item === 'string' || item instanceof Refused;
}

/** MapValue reads a map; `set` overrides a value, for this rendering only. */
export class MapValue {
  readonly #source: ValueMap;
  readonly #screening: Screening | undefined;
  readonly #prefix: string;
  #over: Map<string, Plain> | undefined;
  /** Sorted keys, and the lists and maps that `get` has returned: created once. */
  #keys: readonly string[] | undefined;
  #inner: Map<string, Plain> | undefined;

  /** `prefix` and a key together are the name of the parameter that a value comes from. */
  constructor(source: ValueMap, screening: Screening | undefined, prefix: string) {
    this.#source = source;
    this.#screening = screening;
    this.#prefix = prefix;
  }

  readonly typeName = 'map[string]interface {}';

  get length(): number {
    return this.keys().length;
  }

  /** get is the value of a key, or undefined. */
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

  /** parameter is the name of the parameter that the value of a key comes from. */
  parameter(key: string): string {
    return this.#prefix + key;
  }

  set(key: string, value: Plain): void {
    this.#over ??= new Map();
    this.#over.set(key, value);
    this.#keys = undefined;
  }

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

  /** keyValue is a key as a value: tainted or refused, with screening. */
  keyValue(key: string): Plain {
    const text = key.toWellFormed();
    if (this.#screening === undefined) return text;
    const origin = this.#prefix + text;
    return this.#screening(text) ? new Tainted(text, origin) : new Refused(origin);
  }
}

/**
 * fromData converts a value of the data to a template value. With screening, text is tainted with the parameter
 * `origin`. Values that JSON does not have (functions, symbols) are absent.
 */
export function fromData(data: unknown, screening: Screening | undefined, origin: string): Plain {
  switch (typeof data) {
    case 'string': {
      const text = data.isWellFormed() ? data : data.toWellFormed();
      return screening === undefined ? text : new Tainted(text, origin);
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
