/**
 * The data of a request that is not there: each question of the template about a parameter is answered when it is asked. It
 * answers as src/script/request/request-data.ts does, whose rules it follows, and its observer finds out what else matters about a
 * value than that it was sent.
 */
import { BODY_PREFIX } from '../../script/body/request-body.js';
import { CREDENTIAL_NAMES } from '../../script/request/header-fields.js';
import { screen } from '../../native/screen.js';
import { isReservedKey, PARAMETER_DEFAULTS } from '../../script/request/request-data.js';
import { Refused, type TemplateMap, type ValueMap } from '../../template/template.js';
import type { Answers } from './answers.js';
import type { Domain } from './domain.js';
import { NULL } from './option.js';
import { EVERYTHING, ValueObserver } from './value-observer.js';

const HEADER_PREFIX = 'header.';
const CLAIMS_PREFIX = 'claims.';

export class LazyData implements TemplateMap {
  readonly screened = true;
  readonly observer: ValueObserver;
  readonly #domain: Domain;
  readonly #answers: Answers;
  readonly #headers: ValueMap;

  /** `onOpen` is called with what cannot be decided. */
  constructor(domain: Domain, answers: Answers, onOpen: (what: string) => void) {
    this.#domain = domain;
    this.#answers = answers;
    this.observer = new ValueObserver(domain, answers, onOpen);
    this.#headers = {
      get: (name) => this.#header(HEADER_PREFIX + name),
      keys: () => this.keys(),
    };
  }

  get(key: string): unknown {
    if (key === 'header') return this.#headers;
    if (key.startsWith(BODY_PREFIX) && this.#isKnown(key)) this.#answers.add(key, NULL);
    if (key.startsWith(HEADER_PREFIX)) return this.#header(key);
    const value = this.#value(key) ?? undefined;
    return value === this.fallback(key) ? value : this.#checked(value, new Refused(key));
  }

  /** What is made of them is open; how many they are does not matter as long as nothing does. */
  keys(): string[] {
    return [this.#domain.slots.everything];
  }

  raw(key: string): unknown {
    return this.#value(key);
  }

  isSent(key: string): boolean {
    if (key === 'header') return true;
    return this.#sent(key) !== undefined && !CREDENTIAL_NAMES.has(key);
  }

  fallback(key: string): string | readonly string[] | undefined {
    return this.#domain.declared.get(key)?.fallback;
  }

  claim(name: string): unknown {
    if (this.#domain.slots.in(name).length > 0) {
      this.observer.open('a claim whose name the caller sends');
      return undefined;
    }
    return this.#answers.answer(CLAIMS_PREFIX + name).option.raw;
  }

  /** Slots are words. */
  screen(text: string): boolean {
    return screen(this.#domain.slots.plain(text));
  }

  /** Headers that the screen refuses are blank. */
  #header(key: string): unknown {
    return this.#checked(this.#value(key) ?? undefined, '');
  }

  #checked(value: unknown, refused: Refused | string): unknown {
    if (typeof value === 'string') return this.screen(value) ? value : refused;
    if (Array.isArray(value)) return value.map((one) => this.#checked(one, refused));
    return value;
  }

  #isKnown(key: string): boolean {
    return this.#domain.canBeSent(key) && this.#domain.slots.in(key).length === 0;
  }

  #value(key: string): unknown {
    const sent = this.#sent(key);
    return sent === undefined ? (this.fallback(key) ?? PARAMETER_DEFAULTS.get(key)) : sent;
  }

  #sent(key: string): unknown {
    if (key.startsWith(CLAIMS_PREFIX)) return undefined;
    const [slot] = this.#domain.slots.in(key);
    if (slot !== undefined) {
      const isMap = key.endsWith(this.#domain.slots.everything);
      this.observer.open(isMap ? EVERYTHING : 'a parameter whose name the caller sends');
      return undefined;
    }
    if (isReservedKey(key) && !this.#domain.canBeSent(key) && !CREDENTIAL_NAMES.has(key))
      return undefined;
    return this.#answers.answer(key).option.raw;
  }
}
