/**
 * What the table of pREST's keys is made of: how a value is read, pREST's own default, and a rule that says what becomes of
 * it. Holds no key itself.
 */
import { resolve } from 'node:path';
import type { KeyName } from '../config/schema.js';
import type { Draft } from './draft.js';
import type { Reader } from './reader.js';
import type { Given, PrestSource } from './source.js';

/** How the tables of pREST are taken over: under their names, or copied into tables of this service. */
export type TablesMode = 'adopt' | 'copy';

/** Scene is what a rule works with. */
export interface Scene {
  readonly source: PrestSource;
  readonly draft: Draft;
  readonly mode: TablesMode;
  /** value gives what counts for a key in pREST, its default included. */
  readonly value: (key: string) => unknown;
  /** given gives the place of what is set for a key and could be read. */
  readonly given: (key: string) => Given | undefined;
}

/** PrestKey is one key of pREST 2.4.2. */
export interface PrestKey {
  readonly reader: Reader;
  /** pREST's default; undefined for none. */
  readonly fallback: unknown;
  /** Undefined for a key that is looked at together with others. */
  readonly rule: ((key: KeyName, scene: Scene) => void) | undefined;
}

/** same is a key that means the same here. */
export function same(reader: Reader, fallback?: unknown): PrestKey {
  return { reader, fallback, rule: (key, scene) => void takeOver(key, scene) };
}

/** unused is a key of something that is not here. */
export function unused(reader: Reader, why: string, fallback?: unknown): PrestKey {
  return {
    reader,
    fallback,
    rule(key, { draft, given }) {
      const at = given(key)?.at;
      if (at !== undefined) draft.add('unused', at, why);
    },
  };
}

/** adapted is a key whose value may have to become another one: `adapt` gives it, and what there is to say. */
export function adapted(
  reader: Reader,
  fallback: unknown,
  adapt: (value: never, scene: Scene) => Adapted,
): PrestKey {
  return {
    reader,
    fallback,
    rule(key, scene) {
      const given = scene.given(key);
      if (given === undefined) return;
      const [value, say] = adapt(scene.value(key) as never, scene);
      if (value !== undefined) scene.draft.take(key, value, given, say);
      else scene.draft.add('differs', given.at, `not taken over: ${say!}`);
    },
  };
}

/** A value, or undefined for none, and what there is to say. */
export type Adapted = readonly [value: unknown, say?: string];

/** together is a key that is looked at with others, in a place of its own. */
export function together(reader: Reader, fallback?: unknown): PrestKey {
  return { reader, fallback, rule: undefined };
}

/** takeOver takes a value over as it is, and tells whether there was one. A path becomes absolute. */
export function takeOver(key: KeyName, { source, draft, value, given }: Scene): boolean {
  const place = given(key);
  if (place === undefined) return false;
  const written = value(key);
  const isPath = PATHS.has(key);
  draft.take(key, isPath ? resolve(source.base, written as string) : written, place);
  return true;
}

/** Keys whose values are paths. */
const PATHS: ReadonlySet<string> = new Set<KeyName>([
  'pg.ssl.cert',
  'pg.ssl.key',
  'pg.ssl.rootcert',
  'https.cert',
  'https.key',
  'queries.location',
  'pluginpath',
]);
