/**
 * Finds out what a template depends on besides whether a parameter was sent: the constants it compares a value with, whether
 * it is empty, how many values there are. Each becomes a further option of the parameter; what has no such option is open.
 */
import { BODY_PREFIX } from '../body/request-body.js';
import { List, type Plain, type Value } from '../template/container.js';
import type { Observer } from '../template/observer.js';
import { textOf, unbox } from '../template/value.js';
import type { Answers } from './answers.js';
import { constant, EMPTY, listOf, name, NO_ITEMS, number, parts, sameAs } from './option.js';
import type { Slots } from './slots.js';

/** A text with one slot: the slot's parameter, and the text around the slot. */
interface Around {
  readonly key: string;
  readonly before: string;
  readonly after: string;
}

export class ValueObserver implements Observer {
  readonly #slots: Slots;
  readonly #answers: Answers;
  readonly #onOpen: (what: string) => void;

  constructor(slots: Slots, answers: Answers, onOpen: (what: string) => void) {
    this.#slots = slots;
    this.#answers = answers;
    this.#onOpen = onOpen;
  }

  open(what: string): void {
    this.#onOpen(what);
  }

  tested(value: Plain): void {
    const text = textOf(value);
    if (text !== undefined)
      for (const key of this.#slots.keysIn(text)) this.#answers.add(key, EMPTY);
    else if (value instanceof List) this.#emptied(value.origin);
  }

  ranged(value: Plain): void {
    const text = textOf(value);
    if (text !== undefined) for (const key of this.#slots.keysIn(text)) this.#several(key);
    else if (value instanceof List) this.#emptied(value.origin);
  }

  called(called: string, args: readonly Value[]): void {
    const values = args.map(unbox);
    const [first, second] = values;
    const key = textOf(first);
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

  /** A parameter that is used as a list: two values, and none where a body can have that. */
  #several(key: string): void {
    const items = [this.#slots.value(key), this.#slots.value(key, 1)];
    const [one, two] = items;
    if (one === undefined || two === undefined) return;
    this.#answers.add(key, listOf([one, two]));
    this.#emptied(key);
  }

  #emptied(key: string): void {
    if (key.startsWith(BODY_PREFIX) || key.startsWith('claims.')) this.#answers.add(key, NO_ITEMS);
  }

  #compared(a: Plain, b: Plain): void {
    const [one, other] = [this.#around(a), this.#around(b)];
    const [text, constantText] = one === undefined ? [other, textOf(a)] : [one, textOf(b)];
    if (text === undefined || constantText === undefined) return;
    if (one !== undefined && other !== undefined) {
      if (one.before + one.after + other.before + other.after !== '')
        this.open('a comparison of two parameters');
      else this.#answers.add(one.key, sameAs(other.key, this.#slots.value(other.key)!));
      return;
    }
    const { key, before, after } = text;
    const length = constantText.length - before.length - after.length;
    if (length >= 0 && constantText.startsWith(before) && constantText.endsWith(after))
      this.#answers.add(key, constantOf(constantText.slice(before.length, before.length + length)));
  }

  /** A value before, equal to and after the constant; the slot itself comes after all ordinary text. */
  #ordered(a: Plain, b: Plain): void {
    const [one, other] = [this.#around(a), this.#around(b)];
    const [text, bound] = one === undefined ? [other, textOf(a)] : [one, textOf(b)];
    if (text === undefined || bound === undefined) return;
    if ((one !== undefined && other !== undefined) || text.before + text.after !== '')
      this.open('the order of two parameters');
    else
      for (const value of ['', bound, `${bound} `]) this.#answers.add(text.key, constantOf(value));
  }

  #counted(value: Plain): void {
    const text = textOf(value);
    if (text === undefined) return;
    for (const key of this.#slots.keysIn(text))
      this.#answers.add(key, number(this.#slots.number(key)));
  }

  #divided(value: Plain, separator: string): void {
    const text = this.#around(value);
    if (text === undefined) return;
    const { key, before, after } = text;
    const [one, two] = [this.#slots.value(key), this.#slots.value(key, 1)];
    if (separator === '' || before + after !== '' || one === undefined || two === undefined)
      this.open(`the parts of \`${key}\``);
    else this.#answers.add(key, parts([one, two], separator));
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
    const simple = !/%[^sv%]/.test(format) && this.#slots.keysIn(format).length === 0;
    if (!simple) for (const value of values) this.#changed('printf', value);
  }

  #changed(called: string, value: Plain): void {
    const text = textOf(value);
    if (text === undefined) return;
    for (const key of this.#slots.keysIn(text)) this.open(`\`${key}\` as changed by ${called}`);
  }

  /** The one slot in a text, undefined for a text without any. */
  #around(value: Plain): Around | undefined {
    const text = textOf(value);
    if (text === undefined) return undefined;
    const [slot, another] = this.#slots.in(text).filter(({ kind }) => kind === 'value');
    if (slot === undefined) return undefined;
    if (another !== undefined) this.open('a comparison of a text made of several values');
    return { key: slot.key, before: text.slice(0, slot.start), after: text.slice(slot.end) };
  }
}

function constantOf(text: string) {
  return text === '' ? EMPTY : constant(text);
}
