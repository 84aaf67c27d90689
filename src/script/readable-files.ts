/**
 * The list of all scripts of a directory that have a text for reads. The directory is checked beside the requests, a few
 * times a second at most and only while the list is used; only changed files are read. A file that cannot be used is
 * skipped and logged; while the directory cannot be read, the list stays as it was.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import { LogOnce } from '../log-once.js';
import { Refresh } from '../refresh.js';
import { systemErrorText } from '../text.js';
import { byPath, type ReadableScript } from './scripts.js';
import { readFileNames, type ReadFileName } from './script-files.js';
import { SETTLED, VerbFile } from './verb-file.js';

/** From one check to the next, ms; longer when checks take long: no more than one part in SHARE of the time. */
const INTERVAL = 750;
const SHARE = 20;

/** Intervals after which a request waits for a check, and the most checks it waits for, SETTLED / 2 apart. */
const EXPIRY = 2;
const MOST_CHECKS = 4;

/** Files checked in parallel: others wait for the same disk. */
const PARALLEL = 8;

interface Listed {
  readonly file: VerbFile;
  /** Its entry in the list, the same as long as its text is. */
  script: ReadableScript | undefined;
}

export class ReadableFiles {
  readonly #location: string;
  readonly #log: Logger;
  readonly #trouble = new LogOnce();
  readonly #refresh = new Refresh(
    () => this.#check(),
    (took) => Math.max(INTERVAL, took * SHARE),
    EXPIRY,
  );
  readonly #files = new Map<string, Listed>();
  #list: readonly ReadableScript[] = [];

  /** `location` is the directory, absolute. */
  constructor(location: string, log: Logger) {
    this.#location = location;
    this.#log = log;
  }

  /** readable gives the list, by path: the same array as long as nothing has changed. */
  readable(now: number): readonly ReadableScript[] | Promise<readonly ReadableScript[]> {
    return this.#refresh.isUsable(now) ? this.#list : this.#settled();
  }

  /** The list once recent changes have settled, or after MOST_CHECKS. */
  async #settled(): Promise<readonly ReadableScript[]> {
    for (let checks = 1; ; checks++) {
      await this.#refresh.run();
      const open = [...this.#files.values()].some(({ file }) => file.open);
      if (!open || checks === MOST_CHECKS) return this.#list;
      await sleep(SETTLED / 2);
    }
  }

  async #check(): Promise<void> {
    let names: readonly ReadFileName[];
    try {
      names = await readFileNames(this.#location);
      this.#trouble.end();
    } catch (error) {
      const reason = systemErrorText(error);
      if (this.#trouble.isNew(reason))
        this.#log.error({ reason }, 'the directory of scripts cannot be read');
      return;
    }
    for (const { folder, name } of names) {
      const path = `${folder}/${name}`;
      if (this.#files.has(path)) continue;
      const file = new VerbFile(this.#location, folder, name, 'read', this.#log);
      this.#files.set(path, { file, script: undefined });
    }
    // Files that are missing now are checked too: they are removed once that has settled.
    const all = this.#files.entries();
    await Promise.all(Array.from({ length: PARALLEL }, () => this.#checkFiles(all)));
    this.#update(new Set(names.map(({ folder, name }) => `${folder}/${name}`)));
    if ([...this.#files.values()].some(({ file }) => !file.settled))
      setTimeout(() => void this.#refresh.run(), SETTLED / 2).unref();
  }

  async #checkFiles(files: IterableIterator<[string, Listed]>): Promise<void> {
    for (const [, { file }] of files) await file.check();
  }

  /** Makes a new list when a text has changed. */
  #update(existing: ReadonlySet<string>): void {
    let changed = false;
    for (const [path, listed] of this.#files) {
      const { compiled, settled } = listed.file;
      const text = compiled instanceof ServiceError ? undefined : compiled;
      if (text?.template !== listed.script?.template) {
        changed = true;
        const [folder = '', name = ''] = path.split('/');
        listed.script = text && { folder, name, template: text.template, head: text.head };
      }
      if (compiled === undefined && settled && !existing.has(path)) this.#files.delete(path);
    }
    if (!changed) return;
    const scripts = [...this.#files.values()].map(({ script }) => script);
    this.#list = scripts.filter((script) => script !== undefined).sort(byPath);
  }
}
