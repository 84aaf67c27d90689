/**
 * The answers to what a template asks about its parameters in one rendering. Depth-first search gives every combination:
 * each rendering repeats the answers of the one before up to the last that had another option, as the template's questions
 * depend on nothing else.
 */
import type { Domain } from './domain.js';
import { variant, type Choice, type Option, type Path } from './option.js';

/** The answer about one parameter, the same for all of a rendering. */
export class Answer {
  readonly key: string;
  readonly options: Option[];
  index: number;

  constructor(key: string, options: Option[], index: number) {
    this.key = key;
    this.options = options;
    this.index = index;
  }

  get option(): Option {
    return this.options[this.index]!;
  }
}

/** Answers gives the answer of a parameter, which is chosen when it is asked for the first time in a rendering. */
export abstract class Answers {
  protected readonly domain: Domain;
  protected readonly asked = new Map<string, Answer>();
  /** By parameter, others with a value in which its slot is, in the order in which they were asked for. */
  readonly #holders = new Map<string, string[]>();

  constructor(domain: Domain) {
    this.domain = domain;
  }

  answer(key: string): Answer {
    let answer = this.asked.get(key);
    if (answer === undefined) {
      answer = this.choose(key);
      this.asked.set(key, answer);
      const { raw } = answer.option;
      const text = typeof raw === 'string' ? raw : (raw?.join('\n') ?? '');
      for (const owner of this.domain.slots.keysIn(text)) {
        const holders = this.#holders.get(owner) ?? [];
        if (owner !== key) this.#holders.set(owner, holders);
        if (owner !== key) holders.push(key);
      }
    }
    return answer;
  }

  /** Begins another rendering. */
  protected begin(): void {
    this.asked.clear();
    this.#holders.clear();
  }

  /** add gives a parameter a further option, for later renderings. */
  add(key: string, added: Option): void {
    const { options } = this.answer(key);
    const option = this.domain.asSent(key, added);
    if (options.some(({ id }) => id === option.id) || !this.domain.allows(key, option)) return;
    if (this.domain.canBeSent(key)) options.push(option);
  }

  /**
   * become adds the value of a parameter with another text in place of its slot, which may be in a list or in parts; so too of
   * other parameters that have the same value.
   */
  become(key: string, slot: string, text: string): void {
    this.#become(key, slot, text);
    for (const other of this.#holders.get(key) ?? []) this.#become(other, slot, text);
  }

  #become(key: string, slot: string, text: string): void {
    const { raw } = this.answer(key).option;
    if (typeof raw === 'string') {
      if (raw.includes(slot)) this.add(key, variant(raw.replace(slot, () => text)));
    } else if (raw?.includes(slot) === true)
      this.add(key, variant(raw.map((one) => (one === slot ? text : one))));
  }

  /** isShared tells whether another parameter has the slot of this one in this rendering. */
  isShared(key: string, slot: string): boolean {
    const holders = this.#holders.get(key) ?? [];
    return holders.some((other) => this.answer(other).option.raw?.includes(slot) === true);
  }

  answers(): Iterable<Answer> {
    return this.asked.values();
  }

  path(): Path {
    return [...this.asked.values()].map(({ key, option }): Choice => ({ key, option }));
  }

  protected abstract choose(key: string): Answer;
}

/** EveryCombination chooses by depth-first search. */
export class EveryCombination extends Answers {
  readonly #stack: Answer[] = [];

  /** next prepares the next rendering; false when there are no more. */
  next(): boolean {
    this.begin();
    while (this.#stack.length > 0) {
      const last = this.#stack.at(-1)!;
      if (++last.index < last.options.length) return true;
      this.#stack.pop();
    }
    return false;
  }

  protected choose(key: string): Answer {
    const known = this.#stack[this.asked.size];
    if (known !== undefined) return known;
    const answer = new Answer(key, this.domain.optionsOf(key), 0);
    this.#stack.push(answer);
    return answer;
  }
}
