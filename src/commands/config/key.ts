/**
 * The definition of a configuration key: its kind, its default (fixed, or derived from other keys) and its documentation.
 * The keys themselves are in keys-*.ts.
 */
import type { Kind } from './kind.js';

/** Values that are set so far, by key, from which a default can be derived. */
export type Values = Readonly<Record<string, unknown>>;

/** A configuration key whose value has type T. */
export interface Key<T> {
  readonly kind: Kind<unknown>;
  readonly fallback: (values: Values) => T;
  /** Whether `fallback` depends on other keys. */
  readonly derived: boolean;
  /** The default in the documentation. */
  readonly shown: string;
  readonly meaning: string;
  /** Never in a message, and refused on the command line, where other users could see it. */
  readonly secret: boolean;
  /** Another spelling of the key. */
  readonly alias: string | undefined;
}

export interface Marks {
  readonly secret?: true;
  readonly alias?: string;
}

export function fixed<T>(
  kind: Kind<T>,
  value: NoInfer<T>,
  meaning: string,
  marks: Marks = {},
): Key<T> {
  const shown = marks.secret === true ? 'as in the text' : `\`${kind.show(value)}\``;
  return key(kind, () => value, false, shown, meaning, marks);
}

/** derived defines a key whose default is derived from other keys; `shown` describes it. */
export function derived<T>(
  kind: Kind<T>,
  shown: string,
  fallback: (values: Values) => NoInfer<T>,
  meaning: string,
  marks: Marks = {},
): Key<T> {
  return key(kind, fallback, true, shown, meaning, marks);
}

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
