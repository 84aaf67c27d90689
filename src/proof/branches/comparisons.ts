/**
 * What a comparison in a template makes of the options of a parameter: the constants that it is compared with, values before
 * them, and those of other parameters. Works on values and on the items of lists alike.
 */
import type { Plain } from '../../template/container.js';
import { Tainted } from '../../template/kinds.js';
import { textOf } from '../../template/value.js';
import type { Answers } from './answers.js';
import type { Domain } from './domain.js';
import { before, variant, sameAs } from './option.js';
import type { Slots } from './slots.js';

/** A text with one slot: the slot, its parameter, and the text around it. */
interface Around {
  readonly key: string;
  readonly slot: string;
  readonly before: string;
  readonly after: string;
}

export class Comparisons {
  readonly #domain: Domain;
  readonly #slots: Slots;
  readonly #answers: Answers;
  readonly #open: (what: string) => void;

  /** `open` is called with what cannot be decided. */
  constructor(domain: Domain, answers: Answers, open: (what: string) => void) {
    this.#domain = domain;
    this.#slots = domain.slots;
    this.#answers = answers;
    this.#open = open;
  }

  /** paired adds all lists of two values of an enum: what is found out about an item depends on which it is. */
  paired(value: Plain): void {
    if (!(value instanceof Tainted)) return;
    for (const option of this.#domain.pairsOf(value.origin))
      this.#answers.add(value.origin, option);
  }

  /** compared receives two values that the template compares for equality. */
  compared(a: Plain, b: Plain): void {
    for (const value of [a, b]) this.paired(value);
    const [one, other] = [this.#around(a), this.#around(b)];
    if (one === undefined && other === undefined) {
      this.#compareWhole(a, b);
      return;
    }
    const [text, constantText] = one === undefined ? [other!, textOf(a)] : [one, textOf(b)];
    if (constantText === undefined) return;
    if (one !== undefined && other !== undefined) {
      this.#compareSlots(one, other);
      return;
    }
    const { key, slot, before, after } = text;
    const length = constantText.length - before.length - after.length;
    if (length < 0 || !constantText.startsWith(before) || !constantText.endsWith(after)) return;
    if (this.#slots.in(constantText).length > 0)
      this.#open('a comparison of a text made of several values');
    else this.#answers.become(key, slot, constantText.slice(before.length, before.length + length));
  }

  #compareSlots(one: Around, other: Around): void {
    if (one.slot === other.slot && one.before === other.before) return;
    if (one.before + one.after + other.before + other.after !== '')
      this.#open('a comparison of two parameters');
    else if (one.key !== other.key && [one, other].some((each) => this.#isShared(each)))
      this.#open('a comparison of three parameters');
    else if (this.#slots.isValue(one.slot)) this.#match(one, other);
    else this.#match(other, one);
  }

  #isShared({ key, slot }: Around): boolean {
    return this.#answers.isShared(key, slot);
  }

  /** A name stays one, and the other value becomes it. */
  #match(one: Around, other: Around): void {
    if (this.#answers.answer(one.key).option.raw === one.slot)
      this.#answers.add(one.key, sameAs(other.key, other.slot));
    else this.#answers.become(one.key, one.slot, other.slot);
  }

  /** Two texts, each with no slot or several. */
  #compareWhole(a: Plain, b: Plain): void {
    const [text, other] = [textOf(a), textOf(b)];
    if (text === undefined || other === undefined || text === other) return;
    const [slots, others] = [this.#slots.in(text), this.#slots.in(other)];
    if (slots.length + others.length === 0) return;
    const [key] = slots.length > 0 ? slots.map((slot) => slot.key) : others.map((slot) => slot.key);
    const [parted, wanted] = slots.length > 0 ? [text, other] : [other, text];
    const isConstant = this.#slots.in(wanted).length === 0;
    if (isConstant && this.#answers.answer(key!).option.raw === parted)
      this.#answers.add(key!, variant(wanted));
    else this.#open('a comparison of a text made of several values');
  }

  /** ordered adds a value before the constant, and the constant; the slot itself comes after all ordinary text. */
  ordered(a: Plain, b: Plain): void {
    for (const value of [a, b]) this.paired(value);
    const [one, other] = [this.#around(a), this.#around(b)];
    const [text, bound] = one === undefined ? [other, textOf(a)] : [one, textOf(b)];
    if (text === undefined || bound === undefined) {
      if (this.#hasSlot(a) || this.#hasSlot(b)) this.#open('the order of two parameters');
      return;
    }
    const { key, slot } = text;
    const isPart = text.before + text.after !== '';
    if (isPart || (one !== undefined && other !== undefined) || this.#slots.in(bound).length > 0) {
      this.#open('the order of two parameters');
      return;
    }
    const any = this.#slots.value(key)!;
    const low = this.#slots.low(any);
    const isAny = [any, low].includes(slot) && this.#answers.answer(key).option.raw === slot;
    if (!isAny || this.#domain.declared.has(key) || !this.#domain.isOnlyBound(key, bound))
      this.#open(`the order of \`${key}\``);
    if (bound !== '') this.#answers.add(key, before(low, bound));
    this.#answers.become(key, slot, bound);
  }

  #hasSlot(value: Plain): boolean {
    return this.#slots.in(textOf(value) ?? '').length > 0;
  }

  /** The one slot in a text; undefined for a text without any, or with several. */
  #around(value: Plain): Around | undefined {
    const text = textOf(value);
    if (text === undefined) return undefined;
    const [found, another] = this.#slots.in(text);
    if (found === undefined || another !== undefined) return undefined;
    const { key, start, end } = found;
    return {
      key,
      slot: text.slice(start, end),
      before: text.slice(0, start),
      after: text.slice(end),
    };
  }
}
