/**
 * Who may run which scripts (`queries.restrict`). Nobody may run anything unless an entry says so. A user's own entries
 * that match a script decide over those for everybody; among them the most exact one, then the last.
 */
import type { ScriptAccessSettings, ScriptEntry } from '../protocol.js';

/** What may be done with a script, as bits of a number. */
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

/** permissionFor gives the bits of which a method needs one: those that run nothing, OPTIONS among them, need any. */
export function permissionFor(method: string): number {
  return METHODS.get(method) ?? READ | WRITE | DELETE;
}

/** isWildcard tells whether a member of an entry matches any name. */
export function isWildcard(member: string | undefined): boolean {
  return member === undefined || member === '*';
}

/** ScriptAccess answers for every caller and script. */
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
   * permissions gives the bits of what a caller may do with a script, 0 for nothing. `user` is the caller's name, empty
   * for one without; `alias` the database the script runs on.
   */
  permissions(user: string, alias: string, folder: string, script: string): number {
    const own = user === '' ? undefined : this.#users.get(user);
    const rule =
      best(own ?? [], alias, folder, script) ?? best(this.#everybody, alias, folder, script);
    return rule?.bits ?? 0;
  }
}

/** Rule is one entry. */
class Rule {
  readonly bits: number;
  /** The more members are exact, the higher; the database counts most. */
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

/** The rule that decides: of the highest rank that matches, the last. */
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
