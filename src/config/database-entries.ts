/**
 * The databases beside that of `pg`: the entries of `[[databases]]` and the pairs of DATABASE_ALIAS_n and DATABASE_URL_n.
 * Each becomes what it says otherwise than the keys of `pg`, by those keys. Refuses half a pair, and an alias that stands
 * twice in one place; never repeats a URL.
 */
import { checkedValues } from './checked-values.js';
import { databaseAlias, type Issues } from './kind.js';
import { KEYS, type Config, type KeyName } from './schema.js';
import type { Entries, Entry } from './sources.js';
import type { Item } from './tables.js';

/** Fields of an entry and the keys they stand for. */
const FIELDS = {
  url: 'pg.url',
  host: 'pg.host',
  port: 'pg.port',
  user: 'pg.user',
  pass: 'pg.pass',
  database: 'pg.database',
  maxopenconn: 'pg.maxopenconn',
  maxidleconn: 'pg.maxidleconn',
} as const satisfies Readonly<Record<string, KeyName>>;

const SSL_FIELDS = {
  mode: 'pg.ssl.mode',
  cert: 'pg.ssl.cert',
  key: 'pg.ssl.key',
  rootcert: 'pg.ssl.rootcert',
} as const satisfies Readonly<Record<string, KeyName>>;

/** What says which database it is, as whom: all of it comes from one place. */
const TARGET: readonly KeyName[] = [
  'pg.url',
  'pg.host',
  'pg.port',
  'pg.user',
  'pg.pass',
  'pg.database',
];

/** DatabaseEntry is one more database: its alias, and the keys of `pg` that are others for it. */
export type DatabaseEntry = { readonly alias: string } & Partial<Config>;

/** fileEntries reads `[[databases]]`. */
export function fileEntries(written: Entry | undefined, issues: Issues): DatabaseEntry[] {
  if (written === undefined) return [];
  const { value, at, base } = written;
  const items = (KEYS.databases.kind.read(value, at, issues) ?? []) as readonly Item[];
  const entries: DatabaseEntry[] = [];
  const places = new Map<string, string>();
  items.forEach((item, i) => {
    const values = checkedValues(keysOf(item, `${at}[${i}]`, base), issues);
    addEntry(item['alias'], `${at}[${i}].alias`, values, { entries, places, issues });
  });
  return entries;
}

/** environmentEntries reads the pairs of DATABASE_ALIAS_n and DATABASE_URL_n; an empty variable counts as not set. */
export function environmentEntries(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  issues: Issues,
): DatabaseEntry[] {
  const numbers = Object.keys(env).flatMap((name) => {
    const [, number] = /^DATABASE_(?:ALIAS|URL)_(\d+)$/.exec(name) ?? [];
    return number === undefined || env[name] === '' || env[name] === undefined ? [] : [number];
  });
  const entries: DatabaseEntry[] = [];
  const places = new Map<string, string>();
  for (const n of [...new Set(numbers)].sort((a, b) => Number(a) - Number(b))) {
    const [alias, url] = [`DATABASE_ALIAS_${n}`, `DATABASE_URL_${n}`] as const;
    const missing = [alias, url].find((name) => !env[name]);
    if (missing !== undefined) {
      const there = missing === alias ? url : alias;
      issues.errors.push(`${there}: ${missing} is missing; the two make one database together`);
      continue;
    }
    const written: Entries = new Map([['pg.url', { value: env[url], at: url, base: cwd }]]);
    const values = checkedValues(written, issues);
    const name = databaseAlias().read(env[alias], alias, issues);
    addEntry(name, alias, values, { entries, places, issues });
  }
  return entries;
}

/**
 * mergedEntries puts the environment's entries over the file's: one of the same alias says which database it is, and the
 * file's TLS and numbers of connections stay where the URL does not name them.
 */
export function mergedEntries(
  file: readonly DatabaseEntry[],
  environment: readonly DatabaseEntry[],
): readonly DatabaseEntry[] {
  const merged = new Map(file.map((entry) => [entry.alias, entry]));
  for (const entry of environment) {
    const kept = Object.entries(merged.get(entry.alias) ?? {}).filter(
      ([name]) => !(TARGET as readonly string[]).includes(name),
    );
    merged.set(entry.alias, { ...Object.fromEntries(kept), ...entry });
  }
  return [...merged.values()];
}

/** What an item of the list sets, by key. */
function keysOf(item: Item, at: string, base: string): Entries {
  const entries: Entries = new Map();
  const take = (table: Item, fields: Readonly<Record<string, KeyName>>, prefix: string): void => {
    for (const [field, name] of Object.entries(fields))
      if (table[field] !== undefined)
        entries.set(name, { value: table[field], at: `${prefix}.${field}`, base });
  };
  take(item, FIELDS, at);
  take((item['ssl'] ?? {}) as Item, SSL_FIELDS, `${at}.ssl`);
  return entries;
}

/** Adds an entry unless its alias was refused or is there already; `places` says where each one is. */
function addEntry(
  alias: unknown,
  at: string,
  values: Partial<Record<KeyName, unknown>>,
  to: { entries: DatabaseEntry[]; places: Map<string, string>; issues: Issues },
): void {
  if (typeof alias !== 'string') return;
  const before = to.places.get(alias);
  if (before !== undefined) {
    to.issues.errors.push(`${at}: the same alias as in ${before}`);
    return;
  }
  to.places.set(alias, at);
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  to.entries.push({ alias, ...(Object.fromEntries(set) as Partial<Config>) });
}
