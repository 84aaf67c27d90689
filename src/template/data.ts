/**
 * The data for rendering a template: plain JSON-like values, or an object that implements TemplateMap (as the service
 * passes). Only own properties of plain data count, so that names such as __proto__ and constructor are ordinary keys.
 */
import { isObject } from '../base/json.js';
import type { Observer } from './observer.js';

/** ValueMap is a map as a template sees it. A JavaScript Map is one. */
export interface ValueMap {
  /** A value, a list of values, a nested object or map, or a Refused instead of any of these; undefined if absent. */
  get(key: string): unknown;
  /** The keys, in any order. */
  keys(): Iterable<string>;
}

/** TemplateMap is the data of a request: the root map, and the methods that the SQL functions need. */
export interface TemplateMap extends ValueMap {
  /** raw is the value to bind, never screened; `header.<Name>` names a header. Undefined if absent. */
  raw(key: string): unknown;
  /** bytes is the value to bind as bytes. Undefined if `raw` has it. */
  bytes?(key: string): Uint8Array | undefined;
  /** isSent tells whether the caller sent the parameter. */
  isSent(key: string): boolean;
  /** fallback is the declared default of a parameter, which `raw` and `get` give too. Undefined without one. */
  fallback?(key: string): unknown;
  /** claim is one of the caller's claims, for binding only. Undefined if absent. */
  claim?(name: string): unknown;
  /** Whether interpolated text is screened; then `screen` is required. */
  readonly screened?: boolean;
  /** screen tells whether text may become SQL text. */
  screen?(text: string): boolean;
  /** Characters, or bytes, of the request's body: binding as many, some times, costs no steps. */
  readonly size?: number;
  /** interrupt is called now and then, and throws what ends the rendering. */
  interrupt?(): void;
  /** Receives what the template asks about its values. */
  readonly observer?: Observer;
}

/** Screening tells whether text made from values may become SQL text. */
export type Screening = (text: string) => boolean;

/** PlainData wraps plain data as a TemplateMap without screening. */
export class PlainData implements TemplateMap {
  readonly #data: Readonly<Record<string, unknown>>;

  constructor(data: unknown) {
    this.#data = isObject(data) ? data : {};
  }

  get(key: string): unknown {
    return ownValue(this.#data, key);
  }

  keys(): Iterable<string> {
    return Object.keys(this.#data);
  }

  raw(key: string): unknown {
    if (!key.startsWith('header.')) return this.get(key);
    const header = this.get('header');
    return isObject(header) ? ownValue(header, key.slice('header.'.length)) : undefined;
  }

  isSent(key: string): boolean {
    return Object.hasOwn(this.#data, key);
  }
}

/** isTemplateMap tells a TemplateMap from plain data, which holds no functions. */
export function isTemplateMap(data: unknown): data is TemplateMap {
  return isValueMap(data) && typeof (data as { raw?: unknown }).raw === 'function';
}

/** isValueMap tells a map with methods from plain data. */
export function isValueMap(data: unknown): data is ValueMap {
  return (
    typeof data === 'object' &&
    data !== null &&
    typeof (data as { get?: unknown }).get === 'function' &&
    typeof (data as { keys?: unknown }).keys === 'function'
  );
}

function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
