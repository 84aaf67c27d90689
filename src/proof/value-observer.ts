/**
 * Finds out what a template depends on besides whether a parameter was sent: the constants it compares a value with, whether
 * it is empty, how many values there are. Each becomes a further option of the parameter; what has no such option is open.
 */
import { BODY_PREFIX } from '../body/request-body.js';
import { List, MapValue, type Plain, type Value } from '../template/container.js';
import { Tainted } from '../template/kinds.js';
import type { Observer } from '../template/observer.js';
import { textOf, unbox } from '../template/value.js';
import type { Answers } from './answers.js';
import type { Domain } from './domain.js';
import {
  before,
  constant,
  EMPTY,
  listOf,
  name,
  NO_ITEMS,
  number,
  parts,
  sameAs,
  variant,
} from './option.js';
import type { Slots } from './slots.js';

/** A text with one slot: the slot, its parameter, and the text around it. */
interface Around {
  readonly key: string;
  readonly slot: string;
  readonly before: string;
  readonly after: string;
}

export class ValueObserver implements Observer {
  readonly #domain: Domain;
  readonly #slots: Slots;
  readonly #answers: Answers;
  readonly #onOpen: (what: string) => void;

  constructor(domain: Domain, answers: Answers, onOpen: (what: string) => void) {
    this.#domain = domain;
    this.#slots = domain.slots;
    this.#answers = answers;
    this.#onOpen = onOpen;
  }

  open(what: string): void {
    this.#onOpen(what);
  }

  tested(value: Plain): void {
    const text = textOf(value);
    if (text === undefined) {
      if (value instanceof List) this.#emptied(value.origin);
      return;
    }
    for (const slot of this.#slots.in(text))
      this.#become(slot.key, text.slice(slot.start, slot.end), '');
    this.#paired(value);
  }

  ranged(value: Plain): void {
    if (value instanceof List && value.length > 0) this.#paired(value.at(0));
    if (value instanceof MapValue) this.open(EVERYTHING);
    const text = textOf(value);
    if (text !== undefined) for (const key of this.#keysOf(value, text)) this.#several(key);
    else if (value instanceof List) this.#emptied(value.origin);
  }

  called(called: string, args: readonly Value[]): void {
    const values = args.map(unbox);
    const [first, second] = values;
    const key = textOf(first);
    if (called !== 'index' && values.some((value) => value instanceof MapValue))
      this.open(EVERYTHING);
    switch (called) {
      case 'not':
        this.tested(first);
        break;
      case 'eq':
      case 'ne':
        for (const other of values.slice(1)) this.#compared(first, other);
        break;
      case 'lt':
      case 'le':
      case 'gt':
      case 'ge':
        this.#ordered(first, second);
        break;
      case 'sqlList':
      case 'inFormat':
        if (key !== undefined) this.#several(key);
        break;
      case 'ident':
        if (key !== undefined) this.#answers.add(key, name(this.#slots.name(key)));
        break;
      case 'limitOffset':
        for (const value of values) this.#counted(value);
        break;
      case 'split':
        this.#divided(first, textOf(second) ?? '');
        break;
      case 'index':
      case 'slice':
        this.#indexed(called, first);
        break;
      case 'len':
        this.#measured(first);
        break;
      case 'printf':
        this.#formatted(key ?? '', values.slice(1));
        break;
      case 'js':
      case 'urlquery':
        for (const value of values) this.#changed(called, value);
        break;
    }
  }

  /** Constants have no slot, but come from a parameter too. */
  #keysOf(value: Plain, text: string): readonly string[] {
    const keys = this.#slots.keysIn(text);
    return keys.length === 0 && value instanceof Tainted ? [value.origin] : keys;
  }

  /** A parameter that is used as a list: two values, and none where a body can have that. */
  #several(key: string): void {
    const items = [this.#slots.value(key), this.#slots.value(key, 1)];
    const [one, two] = items;
    if (one === undefined || two === undefined) return;
    this.#answers.add(key, listOf([one, two]));
    if (hasLists(key)) this.#answers.add(key, listOf([one]));
    this.#emptied(key);
  }

  #emptied(key: string): void {
    if (hasLists(key)) this.#answers.add(key, NO_ITEMS);
  }

  /** The value of a parameter, or the one of a list or of parts in which a slot is, may be another text too. */
  #become(key: string, slot: string, text: string): void {
    const { raw } = this.#answers.answer(key).option;
    if (typeof raw === 'string') {
      if (raw.includes(slot)) this.#answers.add(key, variant(raw.replace(slot, () => text)));
    } else if (raw?.includes(slot) === true)
      this.#answers.add(key, variant(raw.map((one) => (one === slot ? text : one))));
  }

  /** What is found out about an item of a list of constants depends on all of them. */
  #paired(value: Plain): void {
    if (!(value instanceof Tainted)) return;
    for (const option of this.#domain.pairsOf(value.origin))
      this.#answers.add(value.origin, option);
  }

  #compared(a: Plain, b: Plain): void {
    for (const value of [a, b]) this.#paired(value);
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
      this.open('a comparison of a text made of several values');
    else this.#become(key, slot, constantText.slice(before.length, before.length + length));
  }

  #compareSlots(one: Around, other: Around): void {
    if (one.slot === other.slot && one.before === other.before) return;
    if (one.before + one.after + other.before + other.after !== '')
      this.open('a comparison of two parameters');
    else if (this.#slots.isValue(one.slot)) this.#match(one, other);
    else this.#match(other, one);
  }

  /** A name stays one, and the other value becomes it. */
  #match(one: Around, other: Around): void {
    if (this.#answers.answer(one.key).option.raw === one.slot)
      this.#answers.add(one.key, sameAs(other.key, other.slot));
    else this.#become(one.key, one.slot, other.slot);
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
      this.#answers.add(key!, constantOf(wanted));
    else this.open('a comparison of a text made of several values');
  }

  /** A value before the constant and the constant; the slot itself comes after all ordinary text. */
  #ordered(a: Plain, b: Plain): void {
    for (const value of [a, b]) this.#paired(value);
    const [one, other] = [this.#around(a), this.#around(b)];
    const [text, bound] = one === undefined ? [other, textOf(a)] : [one, textOf(b)];
    if (text === undefined || bound === undefined) {
      if (this.#hasSlot(a) || this.#hasSlot(b)) this.open('the order of two parameters');
      return;
    }
    const { key, slot } = text;
    const isPart = text.before + text.after !== '';
    if (isPart || (one !== undefined && other !== undefined) || this.#slots.in(bound).length > 0) {
      this.open('the order of two parameters');
      return;
    }
    const any = this.#slots.value(key)!;
    const low = this.#slots.low(any);
    const isAny = [any, low].includes(slot) && this.#answers.answer(key).option.raw === slot;
    if (!isAny || this.#domain.declared.has(key) || !this.#domain.isOnlyBound(key, bound))
      this.open(`the order of \`${key}\``);
    if (bound !== '') this.#answers.add(key, before(low, bound));
    this.#become(key, slot, bound);
  }

  #hasSlot(value: Plain): boolean {
    return this.#slots.in(textOf(value) ?? '').length > 0;
  }

  #counted(value: Plain): void {
    const text = textOf(value);
    if (text === undefined) return;
    for (const key of this.#slots.keysIn(text))
      if (this.#answers.answer(key).option.raw === text)
        this.#answers.add(key, number(this.#slots.number(key)));
      else this.open(`the numbers in \`${key}\``);
  }

  #divided(value: Plain, separator: string): void {
    const text = textOf(value);
    // A text that has the separator is one that was made here.
    if (text === undefined || (separator !== '' && text.includes(separator))) return;
    for (const key of this.#slots.keysIn(text)) {
      const [one, two] = [this.#slots.value(key), this.#slots.value(key, 1)];
      // A name or a number has no parts; the value that has is another option.
      const { raw } = this.#answers.answer(key).option;
      // A part of what was parted has no parts.
      if (typeof raw === 'string' && separator !== '' && raw.includes(separator)) continue;
      const isWhole = raw === text;
      if (isWhole && text !== one && this.#slots.in(text).length === 1) continue;
      // Values of other types have parts of their own: a date has three.
      const { type = 'text' } = this.#domain.declared.get(key) ?? {};
      if (separator === '' || type !== 'text' || !isWhole || text !== one || two === undefined)
        this.open(`the parts of \`${key}\``);
      else this.#answers.add(key, parts([one, two], separator));
    }
  }

  #indexed(called: string, value: Plain): void {
    const text = textOf(value);
    if (text === undefined) return;
    for (const key of this.#slots.keysIn(text)) {
      if (called === 'index') this.#several(key);
      this.open(`the characters of \`${key}\``);
    }
  }

  #measured(value: Plain): void {
    this.tested(value);
    const text = textOf(value);
    if (text === undefined) return;
    for (const key of this.#slots.keysIn(text)) this.open(`the length of \`${key}\``);
  }

  #formatted(format: string, values: readonly Plain[]): void {
    this.#changed('printf', format);
    if (/%[^sv%]/.test(format)) for (const value of values) this.#changed('printf', value);
  }

  #changed(called: string, value: Plain): void {
    if (value instanceof List)
      for (let i = 0; i < value.length; i++) this.#changed(called, value.at(i));
    const keys = this.#slots.keysIn(textOf(value) ?? '');
    for (const key of keys) this.open(`\`${key}\` as changed by ${called}`);
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

/** Whether a request can have a list of no value, or of one. */
function hasLists(key: string): boolean {
  return key.startsWith(BODY_PREFIX) || key.startsWith('claims.');
}

export const EVERYTHING = 'all parameters or headers of the request';

function constantOf(text: string) {
  return text === '' ? EMPTY : constant(text);
}
