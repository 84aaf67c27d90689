/**
 * The databases besides `pg`: entries of `[[databases]]`, and pairs of DATABASE_ALIAS_n and DATABASE_URL_n. Each
 * becomes an alias with the keys of `pg` that it overrides. Refuses half a pair and an alias repeated in one source; no
 * message contains a URL.
 */
import { checkedValues } from './checked-values.js';
import { databaseAlias, type Issues } from './kind.js';
import { KEYS, type Config, type KeyName } from './schema.js';
import type { Entries, Entry } from './sources.js';
import type { Item } from './tables.js';

/** Members of an entry, and the keys that they override. */
const FIELDS = {
  url: 'pg.url',
  host: 'pg.host',
  port: 'pg.port',
  user: 'pg.user',
  pass: 'pg.pass',
  database: 'pg.database',
  replicas: 'pg.replicas',
  maxopenconn: 'pg.maxopenconn',
  maxidleconn: 'pg.maxidleconn',
} as const satisfies Readonly<Record<string, KeyName>>;

const SSL_FIELDS = {
  mode: 'pg.ssl.mode',
  cert: 'pg.ssl.cert',
  key: 'pg.ssl.key',
  rootcert: 'pg.ssl.rootcert',
} as const satisfies Readonly<Record<string, KeyName>>;

/** The keys of server, database and user, which all come from the same source. */
const TARGET: readonly KeyName[] = [
  'pg.url',
  'pg.host',
  'pg.port',
  'pg.user',
  'pg.pass',
  'pg.database',
  'pg.replicas',
];

/** A further database: its alias, and the keys of `pg` that it overrides. */
export type DatabaseEntry = { readonly alias: string } & Partial<Config>;

export function fileEntries(written: Entry | undefined, issues: Issues): DatabaseEntry[] {
  if (written === undefined) return [];
  const { value, at, base } = written;
  const items = (KEYS.databases.kind.read(value, at, issues) ?? []) as readonly Item[];
  const entries: DatabaseEntry[] = [];
  const positions = new Map<string, string>();
  items.forEach((item, i) => {
    const values = checkedValues(keysOf(item, `${at}[${i}]`, base), issues);
    addEntry(item['alias'], `${at}[${i}].alias`, values, { entries, positions, issues });
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
  const positions = new Map<string, string>();
  for (const n of [...new Set(numbers)].sort((a, b) => Number(a) - Number(b))) {
    const [alias, url] = [`DATABASE_ALIAS_${n}`, `DATABASE_URL_${n}`] as const;
    const missing = [alias, url].find((name) => !env[name]);
    if (missing !== undefined) {
      const present = missing === alias ? url : alias;
      issues.errors.push(`${present}: ${missing} is missing; the two make one database together`);
      continue;
    }
    const written: Entries = new Map([['pg.url', { value: env[url], at: url, base: cwd }]]);
    const values = checkedValues(written, issues);
    const name = databaseAlias().read(env[alias], alias, issues);
    addEntry(name, alias, values, { entries, positions, issues });
  }
  return entries;
}

/**
 * mergedEntries merges the environment's entries into the file's. Under the same alias, the environment selects server,
 * database and user; TLS and numbers of connections of the file's entry apply where the URL does not contain them.
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

/** The keys that an item of the list overrides. */
function keysOf(item: Item, at: string, base: string): Entries {
  const entries: Entries = new Map();
  const add = (table: Item, fields: Readonly<Record<string, KeyName>>, prefix: string): void => {
    for (const [field, name] of Object.entries(fields))
      if (table[field] !== undefined)
        entries.set(name, { value: table[field], at: `${prefix}.${field}`, base });
  };
  add(item, FIELDS, at);
  add((item['ssl'] ?? {}) as Item, SSL_FIELDS, `${at}.ssl`);
  return entries;
}

/** Adds an entry unless its alias is invalid or repeated; `positions` has the places of the aliases so far. */
function addEntry(
  alias: unknown,
  at: string,
  values: Partial<Record<KeyName, unknown>>,
  to: { entries: DatabaseEntry[]; positions: Map<string, string>; issues: Issues },
): void {
  if (typeof alias !== 'string') return;
  const before = to.positions.get(alias);
  if (before !== undefined) {
    to.issues.errors.push(`${at}: the same alias as in ${before}`);
    return;
  }
  to.positions.set(alias, at);
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  to.entries.push({ alias, ...(Object.fromEntries(set) as Partial<Config>) });
}
