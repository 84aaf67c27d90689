/**
 * Converts the permissions on tables and scripts. An entry that would grant more here than in pREST is left out or narrowed,
 * with a finding.
 */
import type { KeyName } from '../config/schema.js';
import { isTable } from './reader.js';
import type { RuleContext } from './rule.js';

type Entry = Readonly<Record<string, unknown>>;

const WORDS = ['read', 'write', 'delete'];

/** convertPermissions converts `access`, and the entries of `queries`. */
export function convertPermissions(context: RuleContext): void {
  const scripts = (entry: Entry, at: string): Entry | undefined => scriptEntry(context, entry, at);
  const tables = (entry: Entry, at: string): Entry | undefined => tableEntry(context, entry, at);
  convertLists(context, 'queries.scripts', 'queries.users', 'scripts', scripts);
  convertLists(context, 'access.tables', 'access.users', 'tables', tables);
  convertIgnoredTables(context);
}

function convertLists(
  { draft, value, given }: RuleContext,
  everybody: KeyName,
  users: KeyName,
  field: string,
  convert: (entry: Entry, at: string) => Entry | undefined,
): void {
  const one = (entry: unknown, at: string): Entry | undefined => {
    if (isTable(entry)) return convert(entry, at);
    draft.problems.push(`${at}: found something other than a table; fix or remove it`);
    return undefined;
  };
  const all = (entries: unknown, at: string): Entry[] =>
    schemaLast(
      (Array.isArray(entries) ? entries : [entries])
        .map((entry, i) => one(entry, `${at}[${i}]`))
        .filter((entry) => entry !== undefined),
    );
  const ordered = (entries: Entry[], at: string): Entry[] => {
    if (field === 'scripts') reportOutranked(draft, entries, at);
    return entries;
  };
  const setting = given(everybody);
  if (setting !== undefined)
    draft.set(everybody, ordered(all(value(everybody), setting.at), setting.at), setting);
  const own = given(users);
  if (own === undefined) return;
  const byName = new Map<string, Entry[]>();
  for (const [i, user] of (value(users) as Entry[]).entries()) {
    const at = `${own.at}[${i}]`;
    const { name } = user;
    if (typeof name !== 'string' || name === '') {
      draft.unused(at, 'pREST never uses it, for it names no user');
      continue;
    }
    // In pREST the first matching list of a user counts; here the last entry does.
    const entries = all(user[field] ?? [], `${at}.${field}`);
    byName.set(name, ordered([...entries, ...(byName.get(name) ?? [])], at));
  }
  const converted = [...byName].map(([name, entries]) => ({ name, [field]: entries }));
  draft.set(users, converted, own);
}

/** Reports entries with another precedence: in pREST the last match counts, here the most specific one. */
function reportOutranked(draft: RuleContext['draft'], entries: readonly Entry[], at: string): void {
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
    draft.differs(
      at,
      `for ${location}/${name} its own entry counts here, in pREST a wider one after it: leave out the one that must not count`,
    );
  }
}

/** Of two entries for one table, the last counts here, and the one with a schema in pREST. */
function schemaLast(entries: Entry[]): Entry[] {
  const named = (entry: Entry): number => Number((entry['name'] as string).includes('.'));
  return 'fields' in (entries[0] ?? {}) ? entries.toSorted((a, b) => named(a) - named(b)) : entries;
}

function scriptEntry({ draft }: RuleContext, entry: Entry, at: string): Entry | undefined {
  const { database, location, name } = entry;
  if (database === '*') {
    draft.unused(at, 'left out: pREST takes * for the name of a database, so it never matches');
    return undefined;
  }
  if (typeof database === 'string' && database !== '')
    draft.differs(
      at,
      `here it counts for ${database} also where a path names no database and that is pg.database`,
    );
  return {
    ...withoutEmpty({ database, location, name }),
    permissions: validPermissions(draft, entry, at, ['database', 'location', 'name']),
  };
}

function tableEntry(context: RuleContext, entry: Entry, at: string): Entry | undefined {
  const { draft, value } = context;
  const { database, schema, name, fields } = entry;
  if (typeof name !== 'string' || name === '' || name.includes('.')) {
    draft.unused(at, 'left out: no table of a request has such a name in pREST');
    return undefined;
  }
  if (typeof database === 'string' && database !== '') {
    if (database !== value('pg.database') || (value('databases') as unknown[]).length > 0) {
      draft.unsupported(
        at,
        `left out: an entry cannot be for one database (${database}) alone; without it the table is denied under access.restrict`,
      );
      return undefined;
    }
    if (typeof schema !== 'string' || schema === '') {
      draft.unused(at, 'left out: with a database and no schema it never matches in pREST');
      return undefined;
    }
  }
  const qualified = typeof schema === 'string' && schema !== '' ? `${schema}.${name}` : name;
  if (qualified === name)
    draft.differs(
      at,
      `${name} means public.${name} here, in pREST that table in every schema; add an entry SCHEMA.${name} for others`,
    );
  return {
    name: qualified,
    permissions: validPermissions(draft, entry, at, ['database', 'schema', 'name', 'fields']),
    // Without fields an entry permits no column in pREST, but all of them here.
    fields: strings(fields),
  };
}

function convertIgnoredTables({ draft, value, given }: RuleContext): void {
  const setting = given('access.ignore_table');
  if (setting === undefined) return;
  const names = value('access.ignore_table') as string[];
  const usable = names.filter((name) => !name.includes('.'));
  for (const name of names)
    if (!usable.includes(name))
      draft.unused(setting.at, `${name} is left out: it matches no table in pREST`);
  const say =
    usable.length > 0 ? 'each is the table of public here, in pREST of every schema' : undefined;
  draft.set('access.ignore_table', usable, setting, say);
}

/** The valid permissions of an entry; other words and unknown members are reported. */
function validPermissions(
  draft: RuleContext['draft'],
  entry: Entry,
  at: string,
  known: readonly string[],
): string[] {
  for (const name of Object.keys(entry))
    if (name !== 'permissions' && !known.includes(name))
      draft.unused(`${at}.${name}`, 'pREST does not know it');
  const permitted = strings(entry['permissions']);
  for (const word of permitted.filter((word) => !WORDS.includes(word)))
    draft.unused(
      `${at}.permissions`,
      `${word} permits nothing: it is not one of ${WORDS.join(', ')}`,
    );
  return permitted.filter((word) => WORDS.includes(word));
}

/** A list of strings; pREST splits a string at commas. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : value.split(',');
  return Array.isArray(value) ? value.map(String) : [];
}

/** The members that are set; an empty string counts as not set. */
function withoutEmpty(members: Entry): Entry {
  return Object.fromEntries(
    Object.entries(members).filter(([, member]) => member !== undefined && member !== ''),
  );
}
