/**
 * All stored scripts as they were at one time, immutable. Requests find theirs by name, the next load finds unchanged
 * records by id.
 */
import type { FoundScripts } from '../../messages/tasks.js';
import {
  byPath,
  named,
  type Named,
  type ReadableScript,
  type RoutedScript,
  type UsableScript,
} from '../../script/scripts.js';
import { inSlices } from '../../base/slices.js';
import type { ScriptText } from '../../script/script-text.js';
import { VERBS, type Verb } from '../../script/verb.js';
import type { StoredScript } from './stored-script.js';

type ByPath = Map<string, StoredScript>;

export class ScriptSnapshot {
  /** Identifies what was in the table, or a state before that: another digest means that the table may have changed. */
  readonly digest: string;
  readonly #records: ReadonlyMap<string, StoredScript>;
  /** The scripts for all databases, and each database's by its alias. */
  readonly #common: ByPath = new Map();
  readonly #own = new Map<string, ByPath>();
  readonly #readable = new Map<string, Promise<readonly ReadableScript[]>>();
  readonly #usable = new Map<string, Promise<readonly UsableScript[]>>();
  #routed: Promise<readonly RoutedScript[]> | undefined;

  constructor(digest: string, scripts: ReadonlyMap<string, StoredScript>) {
    this.digest = digest;
    this.#records = scripts;
    for (const script of scripts.values())
      if (script.path !== undefined) this.#of(script.database).set(script.path, script);
  }

  get size(): number {
    return this.#records.size;
  }

  /** find gives the script `<folder>/<name>` of a database: its own, else the one for all databases. */
  find(alias: string, path: string): StoredScript | undefined {
    return this.#own.get(alias)?.get(path) ?? this.#common.get(path);
  }

  /**
   * readable gives the scripts for reads of a database, by path. Texts that were not requested yet are compiled, a few at
   * a time, so that other requests do not wait for all of them.
   */
  readable(alias: string): Promise<readonly ReadableScript[]> {
    let scripts = this.#readable.get(alias);
    if (scripts === undefined) {
      scripts = this.#list(alias, ['read'], (script, { template, head }) => ({
        ...script,
        template,
        head,
      }));
      this.#readable.set(alias, scripts);
    }
    return scripts;
  }

  /**
   * routed gives the scripts with paths of their own: on the default database those that it would find, on others their
   * own. Compiles as readable does.
   */
  routed(defaultAlias: string): Promise<readonly RoutedScript[]> {
    return (this.#routed ??= this.#withRoutes(defaultAlias));
  }

  /** found counts the texts that can be served, and those that cannot, which compiling logs. Compiles as readable does. */
  async found(): Promise<FoundScripts> {
    const found = { count: 0, broken: 0, problems: [] };
    await inSlices(this.#records.values(), (script) => {
      for (const verb of VERBS) {
        const usable = script.isUsable(verb);
        if (usable !== undefined) found[usable ? 'count' : 'broken']++;
      }
    });
    return found;
  }

  /** usable gives the texts for all verbs of a database, by path and verb. Compiles as readable does. */
  usable(alias: string): Promise<readonly UsableScript[]> {
    let scripts = this.#usable.get(alias);
    if (scripts === undefined) {
      scripts = this.#list(alias, VERBS, (script, text) => ({ ...script, text }));
      this.#usable.set(alias, scripts);
    }
    return scripts;
  }

  async #list<Item extends Named>(
    alias: string,
    verbs: readonly Verb[],
    itemOf: (script: Named, text: ScriptText) => Item,
  ): Promise<readonly Item[]> {
    const items: Item[] = [];
    await inSlices(this.#visible(alias), ([path, script]) => {
      for (const verb of verbs) {
        const text = script.usableText(verb);
        if (text !== undefined) items.push(itemOf(named(path), text));
      }
    });
    return items.sort(byPath);
  }

  async #withRoutes(defaultAlias: string): Promise<readonly RoutedScript[]> {
    const scripts: RoutedScript[] = [];
    for (const alias of new Set([defaultAlias, ...[...this.#own.keys()].sort()])) {
      const found = alias === defaultAlias ? this.#visible(alias) : this.#own.get(alias)!;
      await inSlices(found, ([path, script]) => {
        for (const verb of VERBS) {
          const routes = script.routes(verb);
          if (routes.length === 0) continue;
          const { database } = script;
          const alias = database === '' ? undefined : database;
          scripts.push({ alias, ...named(path), verb, routes, broken: !script.isUsable(verb) });
        }
      });
    }
    return scripts;
  }

  /** The scripts that requests for a database find. */
  #visible(alias: string): ByPath {
    return new Map([...this.#common, ...(this.#own.get(alias) ?? [])]);
  }

  /** The scripts of all databases that requests can name. */
  *scripts(): Generator<StoredScript> {
    for (const own of [this.#common, ...this.#own.values()]) yield* own.values();
  }

  /** exact gives the script of a database, or with an empty alias the one for all databases. */
  exact(database: string, path: string): StoredScript | undefined {
    return database === '' ? this.#common.get(path) : this.#own.get(database)?.get(path);
  }

  /** byId gives a record if it is of that version. */
  byId(id: string, version: string): StoredScript | undefined {
    const script = this.#records.get(id);
    return script?.version === version ? script : undefined;
  }

  #of(database: string): ByPath {
    if (database === '') return this.#common;
    const own = this.#own.get(database) ?? new Map<string, StoredScript>();
    this.#own.set(database, own);
    return own;
  }
}
