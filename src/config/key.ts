/**
 * What the tables of configuration keys are made of: a kind, a default (fixed, or worked out from other keys) and what
 * the documentation says. Holds no key itself.
 */
import type { Kind } from './kind.js';

/** Values settled so far, by key: what a default may be worked out from. */
export type Values = Readonly<Record<string, unknown>>;

/** Key is one configuration key whose value has type T. */
export interface Key<T> {
  readonly kind: Kind<unknown>;
  /** fallback is the value when nobody sets the key. */
  readonly fallback: (values: Values) => T;
  /** Whether `fallback` looks at other keys. */
  readonly derived: boolean;
  /** The default as the documentation shows it. */
  readonly shown: string;
  readonly meaning: string;
  /** Never shown in a message, and not taken from the command line, where other users could see it. */
  readonly secret: boolean;
  /** Another spelling of the key. */
  readonly alias: string | undefined;
}

/** Marks a key may have. */
export interface Marks {
  readonly secret?: true;
  readonly alias?: string;
}

/** fixed makes a key with a default of its own. */
export function fixed<T>(
  kind: Kind<T>,
  value: NoInfer<T>,
  meaning: string,
  marks: Marks = {},
): Key<T> {
  const shown = marks.secret === true ? 'as in the text' : `\`${kind.show(value)}\``;
  return key(kind, () => value, false, shown, meaning, marks);
}

/** derived makes a key whose default is worked out from other keys; `shown` says how. */
export function derived<T>(
  kind: Kind<T>,
  shown: string,
  fallback: (values: Values) => NoInfer<T>,
  meaning: string,
  marks: Marks = {},
): Key<T> {
  return key(kind, fallback, true, shown, meaning, marks);
}

/** unset makes a key that has no value unless somebody sets it. */
export function unset<T>(kind: Kind<T>, meaning: string, marks: Marks = {}): Key<T | undefined> {
  return key<T | undefined>(kind, () => undefined, false, 'none', meaning, marks);
}

function key<T>(
  kind: Kind<unknown>,
  fallback: (values: Values) => T,
  derived: boolean,
  shown: string,
  meaning: string,
  marks: Marks,
): Key<T> {
  return {
    kind,
    fallback,
    derived,
    shown,
    meaning,
    secret: marks.secret ?? false,
    alias: marks.alias,
  };
}
