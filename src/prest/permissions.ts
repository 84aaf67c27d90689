/**
 * Who may do what with tables and scripts: the lists of entries. An entry that would permit more here than in pREST is left
 * out or narrowed, and a line says so.
 */
import type { KeyName } from '../config/schema.js';
import { isTable } from './reader.js';
import type { Scene } from './rule.js';

type Entry = Readonly<Record<string, unknown>>;

const WORDS = ['read', 'write', 'delete'];

/** permissions takes `access` and the entries of `queries` over. */
export function permissions(scene: Scene): void {
  const scripts = (entry: Entry, at: string): Entry | undefined => scriptEntry(scene, entry, at);
  const tables = (entry: Entry, at: string): Entry | undefined => tableEntry(scene, entry, at);
  lists(scene, 'queries.scripts', 'queries.users', 'scripts', scripts);
  lists(scene, 'access.tables', 'access.users', 'tables', tables);
  ignoredTables(scene);
}

/** The list for everybody, and those of single users. */
function lists(
  { draft, value, given }: Scene,
  everybody: KeyName,
  users: KeyName,
  field: string,
  convert: (entry: Entry, at: string) => Entry | undefined,
): void {
  const one = (entry: unknown, at: string): Entry | undefined => {
    if (isTable(entry)) return convert(entry, at);
    draft.problems.push(`${at}: found something else than a table; put it right, or take it out`);
    return undefined;
  };
  const all = (entries: unknown, at: string): Entry[] =>
    sorted(
      (Array.isArray(entries) ? entries : [entries])
        .map((entry, i) => one(entry, `${at}[${i}]`))
        .filter((entry) => entry !== undefined),
    );
  const ordered = (entries: Entry[], at: string): Entry[] => {
    if (field === 'scripts') outranked(draft, entries, at);
    return entries;
  };
  const said = given(everybody);
  if (said !== undefined)
    draft.take(everybody, ordered(all(value(everybody), said.at), said.at), said);
  const own = given(users);
  if (own === undefined) return;
  const byName = new Map<string, Entry[]>();
  for (const [i, user] of (value(users) as Entry[]).entries()) {
    const at = `${own.at}[${i}]`;
    const { name } = user;
    if (typeof name !== 'string' || name === '') {
      draft.add('unused', at, 'pREST never uses it, for it names no user');
      continue;
    }
    // Of several lists of one user the first that matches counts in pREST; here the last entry does.
    const entries = all(user[field] ?? [], `${at}.${field}`);
    byName.set(name, ordered([...entries, ...(byName.get(name) ?? [])], at));
  }
  const converted = [...byName].map(([name, entries]) => ({ name, [field]: entries }));
  draft.take(users, converted, own);
}

/** Of the entries that match a script pREST takes the last one, this service the most exact one. */
function outranked(draft: Scene['draft'], entries: readonly Entry[], at: string): void {
  const matches = (wide: unknown, exact: unknown): boolean =>
    wide === undefined || wide === '*' || wide === exact;
  for (const [i, wide] of entries.entries()) {
    const exact = entries
      .slice(0, i)
      .find(
        (entry) =>
          entry['database'] === wide['database'] &&
          matches(wide['location'], entry['location']) &&
          matches(wide['name'], entry['name']) &&
          (wide['location'] !== entry['location'] || wide['name'] !== entry['name']) &&
          String(wide['permissions']) !== String(entry['permissions']),
      );
    if (exact === undefined) continue;
    const [location, name] = [exact['location'] ?? '*', exact['name'] ?? '*'] as string[];
    draft.add(
      'differs',
      at,
      `for ${location}/${name} its own entry counts here, in pREST a wider one after it: leave out the one that must not count`,
    );
  }
}

/** Of two entries for one table the last counts here, and the one with a schema in pREST. */
function sorted(entries: Entry[]): Entry[] {
  const named = (entry: Entry): number => Number((entry['name'] as string).includes('.'));
  return 'fields' in (entries[0] ?? {}) ? entries.toSorted((a, b) => named(a) - named(b)) : entries;
}

function scriptEntry({ draft }: Scene, entry: Entry, at: string): Entry | undefined {
  const { database, location, name } = entry;
  if (database === '*') {
    draft.add(
      'unused',
      at,
      'left out: pREST takes * for the name of a database, so it never matches',
    );
    return undefined;
  }
  if (typeof database === 'string' && database !== '')
    draft.add(
      'differs',
      at,
      `here it counts for ${database} also where a path names no database and that is pg.database`,
    );
  return {
    ...present({ database, location, name }),
    permissions: words(draft, entry, at, ['database', 'location', 'name']),
  };
}

function tableEntry(scene: Scene, entry: Entry, at: string): Entry | undefined {
  const { draft, value } = scene;
  const { database, schema, name, fields } = entry;
  if (typeof name !== 'string' || name === '' || name.includes('.')) {
    draft.add('unused', at, 'left out: no table of a request has such a name in pREST');
    return undefined;
  }
  if (typeof database === 'string' && database !== '') {
    if (database !== value('pg.database') || (value('databases') as unknown[]).length > 0) {
      draft.add(
        'unsupported',
        at,
        `left out: an entry cannot be for one database (${database}) alone; without it the table is denied under access.restrict`,
      );
      return undefined;
    }
    if (typeof schema !== 'string' || schema === '') {
      draft.add('unused', at, 'left out: with a database and no schema it never matches in pREST');
      return undefined;
    }
  }
  const qualified = typeof schema === 'string' && schema !== '' ? `${schema}.${name}` : name;
  if (qualified === name)
    draft.add(
      'differs',
      at,
      `${name} means public.${name} here, in pREST that table in every schema; add an entry SCHEMA.${name} for others`,
    );
  return {
    name: qualified,
    permissions: words(draft, entry, at, ['database', 'schema', 'name', 'fields']),
    // Without fields there are none in pREST, and all here.
    fields: strings(fields),
  };
}

function ignoredTables({ draft, value, given }: Scene): void {
  const said = given('access.ignore_table');
  if (said === undefined) return;
  const names = value('access.ignore_table') as string[];
  const usable = names.filter((name) => !name.includes('.'));
  for (const name of names)
    if (!usable.includes(name))
      draft.add('unused', said.at, `${name} is left out: it matches no table in pREST`);
  const say =
    usable.length > 0 ? 'each is the table of public here, in pREST of every schema' : undefined;
  draft.take('access.ignore_table', usable, said, say);
}

/** The permissions of an entry; what is none, and members that are unknown, permit nothing. */
function words(
  draft: Scene['draft'],
  entry: Entry,
  at: string,
  known: readonly string[],
): string[] {
  for (const name of Object.keys(entry))
    if (name !== 'permissions' && !known.includes(name))
      draft.add('unused', `${at}.${name}`, 'pREST does not know it');
  const permitted = strings(entry['permissions']);
  for (const word of permitted.filter((word) => !WORDS.includes(word)))
    draft.add(
      'unused',
      `${at}.permissions`,
      `${word} permits nothing: it is none of ${WORDS.join(', ')}`,
    );
  return permitted.filter((word) => WORDS.includes(word));
}

/** A list of texts; pREST splits a text at commas. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : value.split(',');
  return Array.isArray(value) ? value.map(String) : [];
}

/** What is there of an entry: an empty text is as if it were not. */
function present(members: Entry): Entry {
  return Object.fromEntries(
    Object.entries(members).filter(([, member]) => member !== undefined && member !== ''),
  );
}
