/**
 * The options that each parameter of a script has to begin with. Others are added where the template asks for more than
 * whether the parameter was sent.
 */
import { BODY_PREFIX, WHOLE_BODY, type BodyUse } from '../../script/body/request-body.js';
import type { DeclaredParameter } from '../../script/head/declared-parameter.js';
import { canonicalName } from '../../base/headers.js';
import { CREDENTIAL_NAMES } from '../../script/request/header-fields.js';
import { isReservedKey, type DeclaredParameters } from '../../script/request/request-data.js';
import {
  ABSENT,
  anyValue,
  constant,
  EMPTY,
  listOf,
  listWith,
  number,
  type Option,
} from './option.js';
import { Slots } from './slots.js';

export class Domain {
  readonly slots: Slots;
  readonly declared: DeclaredParameters;
  readonly #body: BodyUse;
  readonly #options = new Map<string, readonly Option[]>();
  /** The constants that come before or after the values of parameters. */
  readonly #bounds = new Map<string, string>();

  /** `text` is the script's; `declared` are the parameters that it declares. */
  constructor(text: string, declared: DeclaredParameters, body: BodyUse) {
    this.slots = new Slots(text);
    this.declared = declared;
    this.#body = body;
  }

  /** optionsOf gives at least one option. */
  optionsOf(key: string): Option[] {
    let options = this.#options.get(key);
    if (options === undefined) this.#options.set(key, (options = this.#optionsOf(key)));
    return [...options];
  }

  #optionsOf(key: string): readonly Option[] {
    if (CREDENTIAL_NAMES.has(key)) return [{ ...this.asSent(key, EMPTY), says: 'is withheld' }];
    const any = this.slots.value(key);
    if (any === undefined || !this.canBeSent(key)) return [ABSENT];
    const declared = this.declared.get(key);
    const values = declared === undefined ? [anyValue(any)] : this.#valuesOf(declared, any);
    const others = key === WHOLE_BODY ? [this.asSent(key, EMPTY)] : [ABSENT];
    return [...values, ...others].filter((option) => this.allows(key, option));
  }

  /** canBeSent tells whether a request can have a value for a parameter at all. */
  canBeSent(key: string): boolean {
    if (key.startsWith('claims.')) return true;
    if (key.startsWith(BODY_PREFIX)) return this.#body === 'members';
    if (key === WHOLE_BODY) return this.#body !== 'none';
    if (CREDENTIAL_NAMES.has(key)) return false;
    if (key.startsWith('header.')) {
      const header = key.slice('header.'.length);
      return canonicalName(header) === header && !UNSENT.has(header);
    }
    return !isReservedKey(key);
  }

  /** asSent is the option as the script gets it: one value of a list is a list too. */
  asSent(key: string, option: Option): Option {
    const { raw } = option;
    const isList = typeof raw === 'string' && this.declared.get(key)?.list === true;
    return isList ? listWith([raw]) : option;
  }

  /** isOnlyBound tells whether a parameter is put in order with no other constant. */
  isOnlyBound(key: string, constant: string): boolean {
    const known = this.#bounds.get(key);
    if (known === undefined) this.#bounds.set(key, constant);
    return known === undefined || known === constant;
  }

  /** pairsOf are lists of two values of an enum. */
  pairsOf(key: string): Option[] {
    const { list, values } = this.declared.get(key) ?? {};
    if (list !== true || values === undefined || values.length > MOST_PAIRED) return [];
    return values.flatMap((one) => values.map((other) => listWith([one, other])));
  }

  /** allows tells whether a request with this option passes the declaration of the parameter. */
  allows(key: string, { raw }: Option): boolean {
    // A body is sent once.
    if (key === WHOLE_BODY && Array.isArray(raw) && (raw.length > 1 || !this.declared.has(key)))
      return false;
    const declared = this.declared.get(key);
    if (declared === undefined) return true;
    if (raw === undefined || raw === null) return !declared.required;
    // A header that the screen refuses is blank.
    if (raw === '' && key.startsWith('header.') && FREE.has(declared.type)) return true;
    if (typeof raw === 'string') return this.#accepts(declared, raw);
    return declared.list && raw.every((one) => one === null || this.#accepts(declared, one));
  }

  /** A slot stands for a value that the declaration allows. */
  #accepts(declared: DeclaredParameter, value: string): boolean {
    if (declared.values === undefined && this.slots.keysIn(value).includes(declared.name))
      return true;
    return declared.isValid(value);
  }

  #valuesOf({ name, type, values, list }: DeclaredParameter, any: string): Option[] {
    if (INTEGERS.has(type) && !list) return [number(this.slots.number(name))];
    if (values === undefined)
      return list ? [listOf([any]), listOf([any, this.slots.value(name, 1)!])] : [anyValue(any)];
    if (!list) return values.map(constant);
    // Each value alone, and with another one.
    return values.flatMap((value, i) => {
      const other = values[i === 0 ? 1 : 0] ?? value;
      return [listWith([value]), listWith([value, other])];
    });
  }
}

/** Most values of an enum of which all pairs are tried. */
const MOST_PAIRED = 8;

/** Declared types with values that the screen refuses. */
const FREE: ReadonlySet<string> = new Set(['text', 'json']);

/** Declared types of which a slot is no value, but a number is. */
const INTEGERS: ReadonlySet<string> = new Set(['integer', 'bigint']);

/** Headers that templates never see. */
const UNSENT: ReadonlySet<string> = new Set(['Host', 'Content-Length']);
