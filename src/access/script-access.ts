/**
 * Permissions for scripts (`queries.restrict`). Everything is denied unless an entry permits it. If entries of the user
 * match a script, they override those for everybody; of matching entries the most specific one decides, then the last.
 */
import type { ScriptAccessSettings, ScriptEntry } from '../messages/access-settings.js';

/** Permissions for a script, as a bit mask. */
export const READ = 1;
export const WRITE = 2;
export const DELETE = 4;

const BITS: Readonly<Record<string, number>> = { read: READ, write: WRITE, delete: DELETE };

const METHODS: ReadonlyMap<string, number> = new Map([
  ['GET', READ],
  ['HEAD', READ],
  ['POST', WRITE],
  ['PUT', WRITE],
  ['PATCH', WRITE],
  ['DELETE', DELETE],
]);

/** permissionFor returns the bits of which a method needs one; methods that run nothing, such as OPTIONS, need any. */
export function permissionFor(method: string): number {
  return METHODS.get(method) ?? READ | WRITE | DELETE;
}

/** isWildcard tells whether a member of an entry matches every name. */
export function isWildcard(member: string | undefined): boolean {
  return member === undefined || member === '*';
}

export class ScriptAccess {
  readonly #everybody: readonly Rule[];
  readonly #users = new Map<string, Rule[]>();

  constructor(settings: ScriptAccessSettings) {
    this.#everybody = settings.scripts.map((entry) => new Rule(entry));
    for (const { name, scripts } of settings.users) {
      const before = this.#users.get(name) ?? [];
      this.#users.set(name, [...before, ...scripts.map((entry) => new Rule(entry))]);
    }
  }

  /**
   * permissions returns a caller's permission bits for a script, 0 for none. `user` is the caller's name, empty for a
   * caller without a name; `alias` is the database that the script runs on.
   */
  permissions(user: string, alias: string, folder: string, script: string): number {
    const own = user === '' ? undefined : this.#users.get(user);
    const rule =
      best(own ?? [], alias, folder, script) ?? best(this.#everybody, alias, folder, script);
    return rule?.bits ?? 0;
  }
}

class Rule {
  readonly bits: number;
  /** The more specific the entry, the higher; the database counts most. */
  readonly rank: number;
  readonly #database: string | undefined;
  readonly #location: string | undefined;
  readonly #name: string | undefined;

  constructor({ database, location, name, permissions }: ScriptEntry) {
    this.bits = permissions.reduce((bits, word) => bits | (BITS[word] ?? 0), 0);
    this.#database = isWildcard(database) ? undefined : database;
    this.#location = isWildcard(location) ? undefined : location;
    this.#name = isWildcard(name) ? undefined : name;
    const exact = [this.#name, this.#location, this.#database];
    this.rank = exact.reduce((rank, member, i) => rank + (member === undefined ? 0 : 1 << i), 0);
  }

  matches(alias: string, folder: string, script: string): boolean {
    return (
      (this.#name === undefined || this.#name === script) &&
      (this.#location === undefined || this.#location === folder) &&
      (this.#database === undefined || this.#database === alias)
    );
  }
}

/** The last of the matching rules with the highest rank. */
function best(
  rules: readonly Rule[],
  alias: string,
  folder: string,
  script: string,
): Rule | undefined {
  let found: Rule | undefined;
  for (const rule of rules)
    if ((found === undefined || rule.rank >= found.rank) && rule.matches(alias, folder, script))
      found = rule;
  return found;
}
