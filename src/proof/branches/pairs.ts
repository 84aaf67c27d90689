/**
 * Renderings that together have every pair of options that can come together, for scripts with too many combinations. Each
 * is made for a pair that has not come yet, and filled with the options that bring most further ones. A pair that does not
 * come although it was asked for (one option keeps the template from asking about the other parameter) is not tried again.
 */
import { Answer, Answers } from './answers.js';
import type { Option, Path } from './option.js';

/** Most options of all parameters together that are paired. */
const MOST_OPTIONS = 1_024;

/** An option of a parameter; its number is its place among all. */
interface Literal {
  readonly key: string;
  readonly option: Option;
  readonly number: number;
}

export class EveryPair extends Answers {
  /** Whether there are no more options than are paired. */
  whole = true;
  /** All that are known so far, by parameter and id of the option. */
  readonly #known = new Map<string, Map<string, Literal>>();
  /** 1 for pairs that came, or cannot come, by the numbers of both. */
  readonly #done: Uint8Array[] = [];
  readonly #wanted = new Map<string, Literal>();
  /** The pairs that may be left; the last ones are tried first. */
  readonly #left: (readonly [Literal, Literal])[] = [];

  /** knows records the options that a rendering has shown. */
  knows(answers: Iterable<Answer>): void {
    for (const { key, options } of answers) for (const option of options) this.#know(key, option);
  }

  /** came records the options of a rendering. */
  came(path: Path): void {
    const known = path.map(({ key, option }) => this.#know(key, option));
    const literals = known.filter((one) => one !== undefined);
    for (const one of literals) for (const other of literals) this.#do(one, other);
  }

  /** next prepares the next rendering; false when every pair has come. */
  next(): boolean {
    this.begin();
    this.#wanted.clear();
    for (let pair = this.#left.pop(); pair !== undefined; pair = this.#left.pop()) {
      const [one, other] = pair;
      if (this.#isDone(one, other)) continue;
      this.#do(one, other);
      this.#wanted.set(one.key, one).set(other.key, other);
      for (const [key, literals] of this.#known)
        if (!this.#wanted.has(key)) this.#wanted.set(key, this.#fittest(literals.values()));
      return true;
    }
    return false;
  }

  #know(key: string, option: Option): Literal | undefined {
    let literals = this.#known.get(key);
    const known = literals?.get(option.id);
    if (known !== undefined) return known;
    if (!(this.whole &&= this.#done.length < MOST_OPTIONS)) return undefined;
    if (literals === undefined) this.#known.set(key, (literals = new Map<string, Literal>()));
    const literal = { key, option, number: this.#done.push(new Uint8Array(MOST_OPTIONS)) - 1 };
    literals.set(option.id, literal);
    // With itself: a parameter may be the only one.
    this.#left.push([literal, literal]);
    for (const [other, itsLiterals] of this.#known)
      if (other !== key) for (const one of itsLiterals.values()) this.#left.push([literal, one]);
    return literal;
  }

  #isDone(one: Literal, other: Literal): boolean {
    return this.#done[one.number]![other.number] === 1;
  }

  #do(one: Literal, other: Literal): void {
    this.#done[one.number]![other.number] = 1;
    this.#done[other.number]![one.number] = 1;
  }

  /** The option that makes most new pairs with those wanted so far. */
  #fittest(literals: Iterable<Literal>): Literal {
    let best: Literal | undefined;
    let most = -1;
    for (const one of literals) {
      let count = 0;
      for (const other of this.#wanted.values()) if (!this.#isDone(one, other)) count++;
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
