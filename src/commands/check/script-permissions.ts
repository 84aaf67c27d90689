/**
 * The permissions on scripts, for `check`: for everybody, and for each user with their own entries. Entries that match more
 * than one script, or none, cause warnings. Pure functions.
 */
import { DELETE, isWildcard, READ, ScriptAccess, WRITE } from '../../access/script-access.js';
import type { ScriptAccessSettings, ScriptEntry } from '../../messages/access-settings.js';
import type { ListedScript } from '../../script/files/script-listing.js';
import type { Verb } from '../../script/verb.js';

/** Permissions of one subject on one script. */
export interface PermissionRow {
  readonly database: string;
  readonly folder: string;
  readonly name: string;
  /** Name of a user; null for everybody else with a token. */
  readonly user: string | null;
  /** The scopes of the token, separated by spaces; absent for a token with none that an entry requires. */
  readonly scope?: string;
  /** Those of read, write and delete that are permitted and for which the script has a text. */
  readonly permissions: readonly string[];
}

export interface ScriptPermissions {
  readonly rows: readonly PermissionRow[];
  readonly warnings: readonly string[];
}

/** The permission for each verb. */
const NEEDED: Readonly<Record<Verb, number>> = {
  read: READ,
  write: WRITE,
  update: WRITE,
  delete: DELETE,
};

const WORDS = [
  [READ, 'read'],
  [WRITE, 'write'],
  [DELETE, 'delete'],
] as const;

interface Script {
  readonly folder: string;
  readonly name: string;
  /** Bits of the permissions that its texts need. */
  bits: number;
}

/** scriptPermissions returns a row for each database, script and subject. */
export function scriptPermissions(
  settings: ScriptAccessSettings,
  listed: readonly ListedScript[],
  aliases: readonly string[],
): ScriptPermissions {
  const scripts = grouped(listed);
  const access = new ScriptAccess(settings);
  const subjects = subjectsOf(settings);
  const rows = aliases.flatMap((database) =>
    scripts.flatMap(({ folder, name, bits }) =>
      subjects.map(({ user, scopes }): PermissionRow => {
        const holder = { name: user ?? '', scopes: new Set(scopes) };
        const permitted = access.permissions(holder, database, folder, name) & bits;
        const permissions = WORDS.filter(([bit]) => permitted & bit).map(([, word]) => word);
        const scope = scopes.length === 0 ? {} : { scope: scopes.join(' ') };
        return { database, folder, name, user, ...scope, permissions };
      }),
    ),
  );
  return { rows, warnings: entryWarnings(settings, scripts, aliases) };
}

/** Everybody and the users with entries: without scopes, and with those of each entry that requires some. */
function subjectsOf({ scripts, users }: ScriptAccessSettings): readonly Subject[] {
  const subjects = new Map<string, Subject>();
  const add = (user: string | null, scopes: readonly string[] = []): void =>
    void subjects.set(JSON.stringify([user, scopes]), { user, scopes });
  add(null);
  for (const { scope } of scripts) add(null, scope);
  for (const { name, scripts: own } of users) {
    add(name);
    for (const { scope } of [...scripts, ...own]) add(name, scope);
  }
  return [...subjects.values()];
}

interface Subject {
  /** Null for everybody else with a token. */
  readonly user: string | null;
  readonly scopes: readonly string[];
}

/** Groups the texts by script. */
function grouped(listed: readonly ListedScript[]): Script[] {
  const scripts = new Map<string, Script>();
  for (const { folder, name, verb } of listed) {
    const path = `${folder}/${name}`;
    const script = scripts.get(path) ?? { folder, name, bits: 0 };
    script.bits |= NEEDED[verb];
    scripts.set(path, script);
  }
  return [...scripts.values()];
}

function entryWarnings(
  { scripts: everybody, users }: ScriptAccessSettings,
  scripts: readonly Script[],
  aliases: readonly string[],
): string[] {
  const warnings: string[] = [];
  let unscoped = 0;
  const check = (entry: ScriptEntry, at: string, subject: string): void => {
    const { database, location, name } = entry;
    const found = scripts.filter(
      (script) => matches(location, script.folder) && matches(name, script.name),
    );
    const anywhere = aliases.some((alias) => matches(database, alias));
    if (found.length === 0 || !anywhere) {
      const why = anywhere ? '' : `: no database is named ${database}`;
      warnings.push(`${at}: for ${subject}, matches no script${why}`);
    } else if (isWildcard(location) || isWildcard(name)) {
      const script = isWildcard(name) ? 'any script' : `the script ${name}`;
      const folder = isWildcard(location) ? 'any folder' : `the folder ${location}`;
      const where = isWildcard(database) ? 'any database' : `the database ${database}`;
      const words = entry.permissions.join(' ') || 'nothing';
      warnings.push(
        `${at}: ${words} for ${subject} on ${script} of ${folder} in ${where}: now ${found.length} of ${scripts.length}, and those still to come`,
      );
    } else if (isWildcard(database)) unscoped += 1;
  };
  everybody.forEach((entry, i) => check(entry, `queries.scripts[${i}]`, 'everybody'));
  users.forEach(({ name, scripts: own }, i) =>
    own.forEach((entry, j) =>
      check(entry, `queries.users[${i}].scripts[${j}]`, `user ${JSON.stringify(name)}`),
    ),
  );
  if (unscoped > 0)
    warnings.push(
      `queries: entries that name no database count for all of them (${aliases.join(', ')}): ${unscoped}`,
    );
  return warnings;
}

function matches(member: string | undefined, name: string): boolean {
  return isWildcard(member) || member === name;
}
