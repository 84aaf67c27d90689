/**
 * Permissions for scripts (`queries.restrict`). Everything is denied unless an entry permits it. If entries of the user
 * match a script, they override those for everybody; of matching entries the most specific one decides, then the last. To
 * what it permits, entries that are as specific and require scopes add what they permit to tokens with these scopes.
 */
import type { ScriptAccessSettings, ScriptEntry } from '../messages/access-settings.js';
import type { Holder } from './caller.js';

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
  /** Whether a permission depends on scopes. */
  readonly usesScopes: boolean;

  constructor(settings: ScriptAccessSettings) {
    this.#everybody = settings.scripts.map((entry) => new Rule(entry));
    for (const { name, scripts } of settings.users) {
      const before = this.#users.get(name) ?? [];
      this.#users.set(name, [...before, ...scripts.map((entry) => new Rule(entry))]);
    }
    const all = [this.#everybody, ...this.#users.values()].flat();
    this.usesScopes = all.some(({ scopes }) => scopes !== undefined);
  }

  /**
   * permissions returns a caller's permission bits for a script, 0 for none. `alias` is the database that the script runs
   * on.
   */
  permissions(holder: Holder, alias: string, folder: string, script: string): number {
    const own = holder.name === '' ? undefined : this.#users.get(holder.name);
    return (
      (own && permitted(own, holder, alias, folder, script)) ??
      permitted(this.#everybody, holder, alias, folder, script) ??
      0
    );
  }

  /** scopeFor gives the scopes with which a caller would have one of the permissions `needed`, separated by spaces. */
  scopeFor(
    { name, scopes }: Holder,
    needed: number,
    alias: string,
    folder: string,
    script: string,
  ): string | undefined {
    if (!this.usesScopes) return undefined;
    for (const rule of [...(this.#users.get(name) ?? []), ...this.#everybody]) {
      const isUseful = (rule.bits & needed) !== 0 && rule.matches(alias, folder, script);
      if (rule.scopes === undefined || !isUseful) continue;
      const more = { name, scopes: new Set([...scopes, ...rule.scopes]) };
      if ((this.permissions(more, alias, folder, script) & needed) !== 0)
        return rule.scopes.join(' ');
    }
    return undefined;
  }
}

class Rule {
  readonly bits: number;
  /** The more specific the entry, the higher; the database counts most. */
  readonly rank: number;
  /** Required scopes; undefined for none. */
  readonly scopes: readonly string[] | undefined;
  readonly #database: string | undefined;
  readonly #location: string | undefined;
  readonly #name: string | undefined;

  constructor({ database, location, name, permissions, scope }: ScriptEntry) {
    this.scopes = scope;
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

/**
 * What the most specific of the matching rules permit; undefined when none matches. The scopes are read for rules that
 * require some only: an MCP call parses the claims for them.
 */
function permitted(
  rules: readonly Rule[],
  holder: Holder,
  alias: string,
  folder: string,
  script: string,
): number | undefined {
  let rank = -1;
  let bits = 0;
  let added = 0;
  for (const rule of rules) {
    if (rule.rank < rank || !rule.matches(alias, folder, script)) continue;
    if (rule.rank > rank) {
      rank = rule.rank;
      bits = 0;
      added = 0;
    }
    if (rule.scopes === undefined) bits = rule.bits;
    else if (rule.scopes.every((scope) => holder.scopes.has(scope))) added |= rule.bits;
  }
  return rank < 0 ? undefined : bits | added;
}
