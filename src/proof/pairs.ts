/**
 * Renderings that together have every pair of options that can come together, for scripts with too many combinations. Each
 * is made for a pair that has not come yet, and filled with the options that bring most further ones. A pair that does not
 * come although it was asked for (one option keeps the template from asking about the other parameter) is not tried again.
 */
import { Answer, Answers } from './answers.js';
import type { Option, Path } from './option.js';

/** An option of a parameter, as one text. */
type Literal = string;

function literal(key: string, { id }: Option): Literal {
  return `${key}\0${id}`;
}

function pairOf(a: Literal, b: Literal): string {
  return a < b ? `${a}\u0001${b}` : `${b}\u0001${a}`;
}

export class EveryPair extends Answers {
  /** All options known so far, by parameter and id. */
  readonly #known = new Map<string, Map<string, Option>>();
  /** Pairs that came, or cannot come. */
  readonly #done = new Set<string>();
  readonly #wanted = new Map<string, string>();
  /** The pairs that may be left, as parameters and ids of options; the last ones are tried first. */
  #left: (readonly [string, string, string, string])[] = [];
  #pair: string | undefined;

  /** came records the options of a rendering. */
  came(path: Path, answers: Iterable<Answer>): void {
    for (const { key, options } of answers) for (const option of options) this.#know(key, option);
    const literals = path.map(({ key, option }) => literal(key, option));
    for (let i = 0; i < literals.length; i++)
      for (let j = 0; j < i; j++) this.#done.add(pairOf(literals[i]!, literals[j]!));
    if (this.#pair !== undefined) this.#done.add(this.#pair);
  }

  /** next prepares the next rendering; false when every pair has come. */
  next(): boolean {
    this.asked.clear();
    this.#wanted.clear();
    for (let pair = this.#left.pop(); pair !== undefined; pair = this.#left.pop()) {
      const [a, first, b, second] = pair;
      this.#pair = pairOf(`${a}\0${first}`, `${b}\0${second}`);
      if (this.#done.has(this.#pair)) continue;
      this.#wanted.set(a, first).set(b, second);
      for (const key of this.#known.keys()) if (!this.#wanted.has(key)) this.#fill(key);
      return true;
    }
    return false;
  }

  #know(key: string, option: Option): void {
    let options = this.#known.get(key);
    if (options === undefined) this.#known.set(key, (options = new Map<string, Option>()));
    if (options.has(option.id)) return;
    options.set(option.id, option);
    for (const [other, itsOptions] of this.#known)
      if (other !== key)
        for (const id of itsOptions.keys()) this.#left.push([key, option.id, other, id]);
  }

  /** The option that makes most new pairs with those wanted so far. */
  #fill(key: string): void {
    const wanted = [...this.#wanted].map(([other, id]) => `${other}\0${id}`);
    let best = '';
    let most = -1;
    for (const id of this.#known.get(key)!.keys()) {
      const one = `${key}\0${id}`;
      let count = 0;
      for (const other of wanted) if (!this.#done.has(pairOf(one, other))) count++;
      if (count > most) [best, most] = [id, count];
    }
    this.#wanted.set(key, best);
  }

  protected choose(key: string): Answer {
    const options = this.domain.optionsOf(key);
    const wanted = this.#known.get(key)?.get(this.#wanted.get(key) ?? '');
    if (wanted === undefined) return new Answer(key, options, 0);
    const index = options.findIndex(({ id }) => id === wanted.id);
    if (index !== -1) return new Answer(key, options, index);
    return new Answer(key, [...options, wanted], options.length);
  }
}
