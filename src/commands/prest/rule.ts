/**
 * The definition of a key of pREST: how its value is read, pREST's default, and the rule for its conversion. The keys
 * themselves are in keys.ts.
 */
import { resolve } from 'node:path';
import type { KeyName } from '../config/schema.js';
import type { Draft } from './draft.js';
import type { Reader } from './reader.js';
import type { GivenValue, PrestSource } from './source.js';

/** Whether the tables of pREST are used under their names, or copied into tables of this service. */
export type TablesMode = 'adopt' | 'copy';

export interface RuleContext {
  readonly source: PrestSource;
  readonly draft: Draft;
  readonly mode: TablesMode;
  /** value returns the effective value of a key in pREST, including its default. */
  readonly value: (key: string) => unknown;
  /** given returns the valid value that is set for a key. */
  readonly given: (key: string) => GivenValue | undefined;
}

/** A key of pREST 2.4.2. */
export interface PrestKey {
  readonly reader: Reader;
  /** pREST's default; undefined for none. */
  readonly fallback: unknown;
  /** Undefined for a key that is converted together with others. */
  readonly rule: ((key: KeyName, context: RuleContext) => void) | undefined;
}

/** same defines a key with the same meaning here. */
export function same(reader: Reader, fallback?: unknown): PrestKey {
  return { reader, fallback, rule: (key, context) => void convertKey(key, context) };
}

/** unused defines a key of a feature that this service does not have. */
export function unused(reader: Reader, why: string): PrestKey {
  return {
    reader,
    fallback: undefined,
    rule(key, { draft, given }) {
      const at = given(key)?.at;
      if (at !== undefined) draft.unused(at, why);
    },
  };
}

/** adapted defines a key whose value may have to change; `adapt` returns the new value, undefined for none, and a note. */
export function adapted(
  reader: Reader,
  fallback: unknown,
  adapt: (value: never) => readonly [value: unknown, note?: string],
): PrestKey {
  return {
    reader,
    fallback,
    rule(key, context) {
      const given = context.given(key);
      if (given === undefined) return;
      const [value, note] = adapt(context.value(key) as never);
      if (value !== undefined) context.draft.set(key, value, given, note);
      else context.draft.differs(given.at, `not converted: ${note!}`);
    },
  };
}

/** combined defines a key that is converted together with others, by another module. */
export function combined(reader: Reader, fallback?: unknown): PrestKey {
  return { reader, fallback, rule: undefined };
}

/** convertKey copies a value, with paths made absolute, and tells whether there was one. */
export function convertKey(key: KeyName, { source, draft, value, given }: RuleContext): boolean {
  const place = given(key);
  if (place === undefined) return false;
  const written = value(key);
  const isPath = PATHS.has(key);
  draft.set(key, isPath ? resolve(source.base, written as string) : written, place);
  return true;
}

const PATHS: ReadonlySet<string> = new Set<KeyName>([
  'pg.ssl.cert',
  'pg.ssl.key',
  'pg.ssl.rootcert',
  'https.cert',
  'https.key',
  'queries.location',
  'pluginpath',
]);
