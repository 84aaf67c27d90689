/**
 * The data a template is rendered with: plain JSON-like values, or an object that implements TemplateMap (what the
 * service passes). Only own properties of plain data count, so that names such as __proto__ and constructor are ordinary
 * keys. A leaf: imports nothing.
 */
/** ValueMap is a map as a template sees it. A JavaScript Map is one. */
export interface ValueMap {
  /** A value, a list of values, a nested object or map, a Refused in place of any of these; undefined when absent. */
  get(key: string): unknown;
  /** The keys, in any order. */
  keys(): Iterable<string>;
}

/** TemplateMap is what a request gives a template: the root map, and what the SQL functions ask for. */
export interface TemplateMap extends ValueMap {
  /** raw is the value to bind, never screened; `header.<Name>` names a header. Undefined when absent. */
  raw(key: string): unknown;
  /** isSent tells whether the caller sent the parameter. */
  isSent(key: string): boolean;
  /** claim is one of the caller's claims, to be bound and nothing else. Undefined when absent. */
  claim?(name: string): unknown;
  /** Whether what becomes SQL text is checked; then `screen` must be there. */
  readonly screened?: boolean;
  /** screen tells whether text may become SQL text. */
  screen?(text: string): boolean;
}

/** Screening is how a rendering asks whether text made from values may become SQL text. */
export type Screening = (text: string) => boolean;

/** PlainData gives plain data the form of a TemplateMap. Nothing in it is screened. */
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

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
