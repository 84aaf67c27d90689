/**
 * All stored scripts as they were at one time. Requests find theirs by name, the next loading what is unchanged by number;
 * nothing in it ever changes.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { byPath, type ReadableScript } from '../script/scripts.js';
import type { StoredScript } from './stored-script.js';

/** How long is compiled at a time, ms. */
const SLICE = 5;

type ByPath = Map<string, StoredScript>;

export class ScriptSnapshot {
  /** Identifies what was in the table, or what came before it: another digest means that it may have changed. */
  readonly digest: string;
  readonly #byId: ReadonlyMap<string, StoredScript>;
  /** The scripts of all databases, and those of one each by its alias. */
  readonly #common: ByPath = new Map();
  readonly #own = new Map<string, ByPath>();
  /** What readable gave before. */
  readonly #readable = new Map<string, Promise<readonly ReadableScript[]>>();

  constructor(digest: string, scripts: ReadonlyMap<string, StoredScript>) {
    this.digest = digest;
    this.#byId = scripts;
    for (const script of scripts.values())
      if (script.path !== undefined) this.#of(script.database).set(script.path, script);
  }

  /** size is how many records there are. */
  get size(): number {
    return this.#byId.size;
  }

  /** find gives what a request for `<folder>/<name>` gets on a database: its own script, else the common one. */
  find(alias: string, path: string): StoredScript | undefined {
    return this.#own.get(alias)?.get(path) ?? this.#common.get(path);
  }

  /**
   * readable gives the scripts of a database that read, by path. Texts that nobody asked for yet are compiled, a few at a
   * time: whoever waits for something else does not wait for all.
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
      const template = script.readTemplate();
      if (template !== undefined) {
        const [folder = '', name = ''] = path.split('/');
        scripts.push({ folder, name, template });
      }
      if (performance.now() - began < SLICE) continue;
      await setImmediate();
      began = performance.now();
    }
    return scripts.sort(byPath);
  }

  /** exact gives the script of a database, or with an empty alias that of all. */
  exact(database: string, path: string): StoredScript | undefined {
    return database === '' ? this.#common.get(path) : this.#own.get(database)?.get(path);
  }

  /** held gives the record of that number if it is of that version. */
  held(id: string, version: string): StoredScript | undefined {
    const script = this.#byId.get(id);
    return script?.version === version ? script : undefined;
  }

  #of(database: string): ByPath {
    if (database === '') return this.#common;
    const own = this.#own.get(database) ?? new Map<string, StoredScript>();
    this.#own.set(database, own);
    return own;
  }
}
