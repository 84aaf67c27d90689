/**
 * All scripts of a directory that read, for who wants a list of them. The directory is looked at beside the requests, a
 * few times a second at most and only while somebody asks; of its files only those are read that have changed. One that
 * cannot be used is left out, with a word in the log; a directory that cannot be read leaves the list as it was.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import { byPath, type ReadableScript } from './scripts.js';
import { readFileNames, type ReadFileName } from './script-files.js';
import { SETTLED, VerbFile } from './verb-file.js';

/** Look again after this long, beside the request, ms; and before the answer when nobody has asked for twice as long. */
const FRESH = 750;

/** A look takes no more than one part in so many of the time. */
const SHARE = 20;

/** Looks that a request waits for, SETTLED / 2 apart. */
const MOST_LOOKS = 4;

/** Files looked at side by side: others wait for the same disk. */
const LANES = 8;

interface Listed {
  readonly file: VerbFile;
  /** What it is in the list, as long as its text is the same. */
  script: ReadableScript | undefined;
}

export class ReadableFiles {
  readonly #location: string;
  readonly #log: Logger;
  readonly #files = new Map<string, Listed>();
  #list: readonly ReadableScript[] = [];
  #checked = -Infinity;
  #interval = FRESH;
  #looking: Promise<void> | undefined;
  #trouble: string | undefined;

  /** `location` is the directory, absolute. */
  constructor(location: string, log: Logger) {
    this.#location = location;
    this.#log = log;
  }

  /** readable gives the list, by path: the same array as long as nothing has changed. */
  readable(now: number): readonly ReadableScript[] | Promise<readonly ReadableScript[]> {
    const age = now - this.#checked;
    if (age > 2 * this.#interval) return this.#settle().then(() => this.#list);
    if (age > this.#interval) void this.#look();
    return this.#list;
  }

  /** Looks until it is known of what was just written, or has gone, what becomes of it, but not for ever. */
  async #settle(): Promise<void> {
    for (let looks = 1; ; looks++) {
      await this.#look();
      const open = [...this.#files.values()].some(({ file }) => file.open);
      if (!open || looks === MOST_LOOKS) return;
      await sleep(SETTLED / 2);
    }
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const began = performance.now();
    await this.#lookAtAll();
    this.#checked = performance.now();
    this.#interval = Math.max(FRESH, (this.#checked - began) * SHARE);
    if ([...this.#files.values()].some(({ file }) => !file.settled))
      setTimeout(() => void this.#look(), SETTLED / 2).unref();
  }

  async #lookAtAll(): Promise<void> {
    let names: readonly ReadFileName[];
    try {
      names = await readFileNames(this.#location);
      this.#trouble = undefined;
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? String(error);
      if (reason !== this.#trouble)
        this.#log.error({ reason }, 'the directory of scripts cannot be read');
      this.#trouble = reason;
      return;
    }
    for (const { folder, name } of names) {
      const path = `${folder}/${name}`;
      if (this.#files.has(path)) continue;
      const file = new VerbFile(this.#location, folder, name, 'read', this.#log);
      this.#files.set(path, { file, script: undefined });
    }
    // Those that are not there any more are looked at too: they are gone once that has settled.
    const all = this.#files.entries();
    await Promise.all(Array.from({ length: LANES }, () => this.#lane(all)));
    this.#renew(new Set(names.map(({ folder, name }) => `${folder}/${name}`)));
  }

  async #lane(files: IterableIterator<[string, Listed]>): Promise<void> {
    for (const [, { file }] of files) await file.look();
  }

  /** Makes another list when a text of it is another one. */
  #renew(there: ReadonlySet<string>): void {
    let changed = false;
    for (const [path, listed] of this.#files) {
      const { compiled, settled } = listed.file;
      const template = compiled instanceof ServiceError ? undefined : compiled;
      if (template !== listed.script?.template) {
        changed = true;
        const [folder = '', name = ''] = path.split('/');
        listed.script = template && { folder, name, template };
      }
      if (compiled === undefined && settled && !there.has(path)) this.#files.delete(path);
    }
    if (!changed) return;
    const scripts = [...this.#files.values()].map(({ script }) => script);
    this.#list = scripts.filter((script) => script !== undefined).sort(byPath);
  }
}
