/**
 * All stored scripts as they were at one time, immutable. Requests find theirs by name, the next load finds unchanged
 * records by id.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { byPath, type ReadableScript } from '../script/scripts.js';
import type { StoredScript } from './stored-script.js';

/** How long the thread compiles before it yields, ms. */
const SLICE = 5;

type ByPath = Map<string, StoredScript>;

export class ScriptSnapshot {
  /** Identifies what was in the table, or a state before that: another digest means that the table may have changed. */
  readonly digest: string;
  readonly #records: ReadonlyMap<string, StoredScript>;
  /** The scripts for all databases, and those of each database by its alias. */
  readonly #common: ByPath = new Map();
  readonly #own = new Map<string, ByPath>();
  readonly #readable = new Map<string, Promise<readonly ReadableScript[]>>();

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
    if (scripts === undefined) this.#readable.set(alias, (scripts = this.#compiled(alias)));
    return scripts;
  }

  async #compiled(alias: string): Promise<readonly ReadableScript[]> {
    const scripts: ReadableScript[] = [];
    let began = performance.now();
    for (const [path, script] of new Map([...this.#common, ...(this.#own.get(alias) ?? [])])) {
      const text = script.readText();
      if (text !== undefined) {
        const [folder = '', name = ''] = path.split('/');
        scripts.push({ folder, name, template: text.template, head: text.head });
      }
      if (performance.now() - began < SLICE) continue;
      await setImmediate();
      began = performance.now();
    }
    return scripts.sort(byPath);
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
