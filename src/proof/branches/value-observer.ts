/**
 * Finds out what a template depends on besides whether a parameter was sent: the constants it compares a value with, whether
 * it is empty, how many values there are. Each becomes a further option of the parameter; what has no such option is open.
 */
import { BODY_PREFIX } from '../../script/body/request-body.js';
import { List, MapValue, type Plain, type Value } from '../../template/container.js';
import { Tainted } from '../../template/kinds.js';
import type { Observer } from '../../template/observer.js';
import { textOf, unbox } from '../../template/value.js';
import type { Answers } from './answers.js';
import { Comparisons } from './comparisons.js';
import type { Domain } from './domain.js';
import { listOf, name, NO_ITEMS, number, parts } from './option.js';
import type { Slots } from './slots.js';

export class ValueObserver implements Observer {
  readonly #domain: Domain;
  readonly #slots: Slots;
  readonly #answers: Answers;
  readonly #comparisons: Comparisons;
  readonly #onOpen: (what: string) => void;

  constructor(domain: Domain, answers: Answers, onOpen: (what: string) => void) {
    this.#domain = domain;
    this.#slots = domain.slots;
    this.#answers = answers;
    this.#comparisons = new Comparisons(domain, answers, onOpen);
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
      this.#answers.become(slot.key, text.slice(slot.start, slot.end), '');
    this.#comparisons.paired(value);
  }

  ranged(value: Plain): void {
    if (value instanceof List && value.length > 0) this.#comparisons.paired(value.at(0));
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
        for (const other of values.slice(1)) this.#comparisons.compared(first, other);
        break;
      case 'lt':
      case 'le':
      case 'gt':
      case 'ge':
        this.#comparisons.ordered(first, second);
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
}

/** Whether a request can have a list of no value, or of one. */
function hasLists(key: string): boolean {
  return key.startsWith(BODY_PREFIX) || key.startsWith('claims.');
}

export const EVERYTHING = 'all parameters or headers of the request';
