/**
 * The scripts of a directory, compiled and cached. A script in use is looked at a few times a second, beside the
 * requests and never by them; one that was not used for a while is looked at before it is served. Bounded: scripts (and
 * names that are none) that are not asked for any more are forgotten.
 */
import type { Logger } from '../log.js';
import { ScriptEntry } from './script-entry.js';
import { ReadableFiles } from './readable-files.js';
import type { ReadableScript, Scripts } from './scripts.js';

/** Look again after this long, beside the request, ms. */
const FRESH = 250;
/** Look before serving after this long, ms. */
const STALE = 750;
/** Scripts of one generation. */
const GENERATION = 2_000;

export class ScriptStore implements Scripts {
  readonly #location: string;
  readonly #log: Logger;
  #young = new Map<string, ScriptEntry>();
  #old = new Map<string, ScriptEntry>();
  readonly #readable: ReadableFiles;

  /** `location` is the directory, absolute. */
  constructor(location: string, log: Logger) {
    this.#location = location;
    this.#log = log;
    this.#readable = new ReadableFiles(location, log);
  }

  /** find gives a script, the same for every database. What comes back may turn out to be none: its members say so. */
  find(
    _alias: string,
    folder: string,
    name: string,
    now: number,
  ): ScriptEntry | Promise<ScriptEntry> {
    const entry = this.#entry(folder, name);
    const age = now - entry.checked;
    if (age > STALE) return entry.settle().then(() => entry);
    if (age > FRESH) void entry.look();
    return entry;
  }

  /** readable lists the scripts that read, the same for every database. */
  readable(
    _alias: string,
    now: number,
  ): readonly ReadableScript[] | Promise<readonly ReadableScript[]> {
    return this.#readable.readable(now);
  }

  #entry(folder: string, name: string): ScriptEntry {
    const key = `${folder}/${name}`;
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const entry = this.#old.get(key) ?? new ScriptEntry(this.#location, folder, name, this.#log);
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, entry);
    return entry;
  }
}
