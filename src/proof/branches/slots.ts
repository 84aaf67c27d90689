/**
 * Slots: what stands for the values that a template only passes on, so that they are found again in what it renders. One
 * character of the private use area for a value, a name for an identifier, a large number for an integer; none of them
 * occurs in the script itself.
 */

/** A value's place in a text: where it begins and ends (UTF-16 units), and the parameter it comes from. */
export interface Slot {
  readonly start: number;
  readonly end: number;
  readonly key: string;
  readonly kind: 'value' | 'name' | 'number';
}

const FIRST = 0xe000;
const LAST = 0xf8ff;
/** Most values of one parameter, if it is a list. */
const VALUES = 2;
/** Numbers of seven digits that begin with these three, or with others if the script has such. */
const FIRST_NUMBERS = 731;
const LAST_NUMBERS = 1_731;

/** Before a value's character: one that comes before all ordinary text, as the character itself comes after it. */
const LOW = '\u0001';

/** A map of all parameters, which a template may print; no parameter has this key. */
const EVERYTHING = '\0';

/** The slot of a value. */
const VALUE = '\\u0001?[\\uE000-\\uF8FF]';
const EACH_VALUE = new RegExp(VALUE, 'g');

/** holdsSlot tells whether a text has the slot of a value. */
export function holdsSlot(text: string): boolean {
  return /[\uE000-\uF8FF]/.test(text);
}

/** ellipsed is a text for people, with … in place of slots of values. */
export function ellipsed(text: string): string {
  return text.replace(EACH_VALUE, '…');
}

/** asWords is a text of the same length in which the slot of each value is a word or a part of one. */
export function asWords(text: string): string {
  return text.replace(/\u0001(?=[\uE000-\uF8FF])/g, '_');
}

export class Slots {
  /** Characters of slots that the script has itself. */
  readonly #taken: ReadonlySet<string>;
  readonly #prefix: string;
  readonly #pattern: RegExp;
  readonly #firstNumber: number;
  readonly #byKey = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #codes: number[] = [];
  /** By code, its place in #codes. */
  readonly #places = new Map<number, number>();
  #next = FIRST;

  /** `text` is the script's. */
  constructor(text: string) {
    this.#taken = new Set(text.match(/[\uE000-\uF8FF]/g));
    const similar = text.match(/slot_+/g) ?? [];
    const longest = similar.reduce((most, { length }) => Math.max(most, length), 'slot'.length);
    const prefix = 'slot'.padEnd(longest + 1, '_');
    this.#prefix = prefix;
    let numbers = FIRST_NUMBERS;
    while (numbers < LAST_NUMBERS && text.includes(String(numbers))) numbers++;
    this.#firstNumber = numbers * 10_000;
    this.#pattern = new RegExp(
      `${VALUE}|${prefix}\\d+_|(?<![\\w.])${numbers}\\d{4}(?![\\w.])`,
      'g',
    );
  }

  /** value stands for a parameter's value, or for one of two; undefined when there are too many parameters. */
  value(key: string, index = 0): string | undefined {
    const code = this.#codes[this.#number(key) * VALUES + index];
    return code === undefined ? undefined : String.fromCharCode(code);
  }

  name(key: string): string {
    return `${this.#prefix}${this.#number(key)}_`;
  }

  /** isValue tells the slot of a value from the slot of a name or a number. */
  isValue(slot: string): boolean {
    return this.in(slot)[0]?.kind === 'value';
  }

  /** low stands for a value that comes before all constants. */
  low(slot: string): string {
    return LOW + slot;
  }

  number(key: string): string {
    return String(this.#firstNumber + this.#number(key));
  }

  /** everything stands for the names and values of all parameters. */
  get everything(): string {
    return this.value(EVERYTHING)!;
  }

  /** plain is a text with words in place of values, as the screen sees it. */
  plain(text: string): string {
    return text.replace(EACH_VALUE, 'q');
  }

  /** keysIn lists the parameters whose values are in a text, apart from a map of all. */
  keysIn(text: string): string[] {
    return [...new Set(this.in(text).map(({ key }) => key))].filter((key) => key !== EVERYTHING);
  }

  /** in finds the slots of a text, in order. */
  in(text: string): Slot[] {
    const found: Slot[] = [];
    for (const { 0: match, index: start } of text.matchAll(this.#pattern)) {
      const [key, kind] = this.#meaning(match);
      if (key !== undefined) found.push({ start, end: start + match.length, key, kind });
    }
    return found;
  }

  #meaning(match: string): [key: string | undefined, kind: Slot['kind']] {
    if (match.startsWith(this.#prefix))
      return [this.#keys[Number(match.slice(this.#prefix.length, -1))], 'name'];
    if (/^\d/.test(match)) return [this.#keys[Number(match) - this.#firstNumber], 'number'];
    const at = this.#places.get(match.charCodeAt(match.length - 1));
    return [at === undefined ? undefined : this.#keys[Math.floor(at / VALUES)], 'value'];
  }

  #number(key: string): number {
    let number = this.#byKey.get(key);
    if (number !== undefined) return number;
    number = this.#keys.push(key) - 1;
    this.#byKey.set(key, number);
    for (let i = 0; i < VALUES; i++) {
      while (this.#taken.has(String.fromCharCode(this.#next))) this.#next++;
      if (this.#next > LAST) continue;
      this.#places.set(this.#next, number * VALUES + i);
      this.#codes[number * VALUES + i] = this.#next++;
    }
    return number;
  }
}
