/**
 * Renderings that together have every pair of options that can come together, for scripts with too many combinations. Each
 * is made for a pair that has not come yet, and filled with the options that bring most further ones. A pair that does not
 * come although it was asked for (one option keeps the template from asking about the other parameter) is not tried again.
 */
import { Answer, Answers } from './answers.js';
import type { Option, Path } from './option.js';

/** Most options of all parameters together that are paired: there are the square of it in bits. */
const MOST_OPTIONS = 8_192;

/** An option of a parameter; its number is its place among all. */
interface Literal {
  readonly key: string;
  readonly option: Option;
  readonly number: number;
}

/** An option whose pairs may be left, with those before `next` and with itself. */
interface Left {
  readonly one: Literal;
  next: number;
}

export class EveryPair extends Answers {
  /** Whether there are no more options than are paired. */
  whole = true;
  /** All that are known so far, by parameter and id of the option. */
  readonly #known = new Map<string, Map<string, Literal>>();
  readonly #literals: Literal[] = [];
  /** By number, the numbers with which it came, or cannot come, as bits. */
  readonly #done: Uint32Array[] = [];
  readonly #wanted = new Map<string, Literal>();
  readonly #wantedBits = new Uint32Array(MOST_OPTIONS / 32);
  /** The last one is tried first. */
  readonly #left: Left[] = [];

  /** knows records the options that a rendering has shown. */
  knows(answers: Iterable<Answer>): void {
    for (const { key, options } of answers) for (const option of options) this.#know(key, option);
  }

  /** came records the options of a rendering. */
  came(path: Path): void {
    const bits = new Uint32Array(MOST_OPTIONS / 32);
    const numbers: number[] = [];
    for (const { key, option } of path) {
      const literal = this.#know(key, option);
      if (literal === undefined) continue;
      numbers.push(literal.number);
      add(bits, literal.number);
    }
    for (const number of numbers) {
      const done = this.#done[number]!;
      for (let i = this.#words; i >= 0; i--) done[i]! |= bits[i]!;
    }
  }

  /** next prepares the next rendering; false when every pair has come. */
  next(): boolean {
    this.begin();
    this.#wanted.clear();
    this.#wantedBits.fill(0);
    const pair = this.#nextPair();
    if (pair === undefined) return false;
    for (const one of pair) this.#want(one);
    for (const [key, literals] of this.#known)
      if (!this.#wanted.has(key)) this.#want(this.#fittest(literals.values()));
    return true;
  }

  /** Takes a pair that has not come yet. */
  #nextPair(): readonly [Literal, Literal] | undefined {
    for (let left = this.#left.at(-1); left !== undefined; left = this.#left.at(-1)) {
      const { one } = left;
      if (left.next === 0) this.#left.pop();
      const other = left.next === 0 ? one : this.#literals[--left.next]!;
      const isPair = other === one || other.key !== one.key;
      if (!isPair || has(this.#done[one.number]!, other.number)) continue;
      add(this.#done[one.number]!, other.number);
      add(this.#done[other.number]!, one.number);
      return [one, other];
    }
    return undefined;
  }

  #want(literal: Literal): void {
    this.#wanted.set(literal.key, literal);
    add(this.#wantedBits, literal.number);
  }

  #know(key: string, option: Option): Literal | undefined {
    let literals = this.#known.get(key);
    const known = literals?.get(option.id);
    if (known !== undefined) return known;
    const number = this.#literals.length;
    if (number === MOST_OPTIONS) {
      this.whole = false;
      return undefined;
    }
    if (literals === undefined) this.#known.set(key, (literals = new Map<string, Literal>()));
    const literal = { key, option, number };
    literals.set(option.id, literal);
    this.#literals.push(literal);
    this.#done.push(new Uint32Array(MOST_OPTIONS / 32));
    // Also with itself: a parameter may be the only one.
    this.#left.push({ one: literal, next: number });
    return literal;
  }

  /** The last word of bits that is used. */
  get #words(): number {
    return (this.#literals.length - 1) >> 5;
  }

  /** The option that makes most new pairs with those wanted so far. */
  #fittest(literals: Iterable<Literal>): Literal {
    let best: Literal | undefined;
    let most = -1;
    for (const one of literals) {
      const done = this.#done[one.number]!;
      let count = 0;
      for (let i = this.#words; i >= 0; i--) count += ones(this.#wantedBits[i]! & ~done[i]!);
      if (count > most) [best, most] = [one, count];
    }
    return best!;
  }

  protected choose(key: string): Answer {
    const options = this.domain.optionsOf(key);
    const wanted = this.#wanted.get(key)?.option;
    if (wanted === undefined) return new Answer(key, options, 0);
    const index = options.findIndex(({ id }) => id === wanted.id);
    if (index !== -1) return new Answer(key, options, index);
    return new Answer(key, [...options, wanted], options.length);
  }
}

function has(bits: Uint32Array, number: number): boolean {
  return (bits[number >> 5]! & (1 << (number & 31))) !== 0;
}

function add(bits: Uint32Array, number: number): void {
  bits[number >> 5]! |= 1 << (number & 31);
}

/** How many bits of a word are set. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
