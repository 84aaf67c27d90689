/**
 * The texts of all scripts of a directory: lists of the usable ones, of those for reads, of those with paths of their own, and
 * of all. The directory is checked beside the requests, a few times a second at most and only while a list is used; only changed files
 * are read. A file that cannot be used is skipped and logged; while the directory cannot be read, the lists stay as they
 * were.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { LogOnce } from '../../base/log-once.js';
import { Refresh } from '../../base/refresh.js';
import { systemErrorText } from '../../base/text.js';
import {
  byPath,
  type Listed,
  type Named,
  type ReadableScript,
  type RoutedScript,
  type UsableScript,
} from '../scripts.js';
import { scriptFileNames, type ListedScript } from './script-files.js';
import { routesOfText, type Compiled, type ScriptText } from '../script-text.js';
import { fileName, VERBS, type Verb } from '../verb.js';
import { SETTLED, VerbFile } from './verb-file.js';

/**
 * From one check to the next, ms; longer when checks take long: no more than one part in SHARE of the time. The next check
 * after one that read files is shorter.
 */
const INTERVAL = 500;
const SHARE = 20;

/** Intervals after which a request waits for a check, and the most checks it waits for, SETTLED / 2 apart. */
const EXPIRY = 3;
const MOST_CHECKS = 4;

/** Files checked in parallel: others wait for the same disk. */
const PARALLEL = 8;

interface Scanned {
  readonly script: ListedScript;
  readonly file: VerbFile;
  compiled: Compiled | undefined;
  /** Undefined while it declares no path. */
  routed: RoutedScript | undefined;
}

/** The text of a script for one verb, or the error for requests when it cannot be used. */
export interface ScannedText extends ListedScript {
  /** The same object as long as the file is the same. */
  readonly compiled: Compiled;
}

export class ScriptScan {
  readonly #location: string;
  readonly #log: Logger;
  readonly #trouble = new LogOnce();
  readonly #refresh = new Refresh(
    () => this.#check(),
    (took) => Math.max(INTERVAL, this.#changed ? took : took * SHARE),
    EXPIRY,
  );
  readonly #files = new Map<string, Scanned>();
  /** Whether the last check found a change. */
  #changed = false;
  /** Why the directory could not be read at the last check. */
  unreadable: string | undefined;
  #readable: readonly ReadableScript[] = [];
  #routed: readonly RoutedScript[] = [];
  /** Undefined until it is wanted, and after a change. */
  #usable: readonly UsableScript[] | undefined;

  /** `location` is the directory, absolute. */
  constructor(location: string, log: Logger) {
    this.#location = location;
    this.#log = log;
  }

  /** readable lists the scripts for reads, by path. */
  readable(now: number): Listed<ReadableScript> {
    return this.#current(now, () => this.#readable);
  }

  /** routed lists the scripts with paths of their own, by path. */
  routed(now: number): Listed<RoutedScript> {
    return this.#current(now, () => this.#routed);
  }

  /** usable lists the texts for all verbs, by path and verb. */
  usable(now: number): Listed<UsableScript> {
    return this.#current(now, () => (this.#usable ??= this.#allUsable()));
  }

  /** Of one script, texts are in the order of their verbs. */
  #allUsable(): readonly UsableScript[] {
    const itemOf = ({ folder, name }: Named, text: ScriptText) => ({ folder, name, text });
    return VERBS.flatMap((verb) => this.#list(verb, itemOf)).sort(byPath);
  }

  #current<Item>(now: number, list: () => readonly Item[]): Listed<Item> {
    return this.#refresh.isUsable(now) ? list() : this.#settled().then(list);
  }

  /** texts lists all texts, those that cannot be used too; undefined while the directory cannot be read. */
  async texts(): Promise<readonly ScannedText[] | undefined> {
    await this.#settled();
    if (this.unreadable !== undefined) return undefined;
    const texts: ScannedText[] = [];
    for (const { script, file } of this.#files.values())
      if (file.compiled !== undefined) texts.push({ ...script, compiled: file.compiled });
    return texts.sort(byPath);
  }

  /** How long the last check took, ms. */
  get took(): number {
    return this.#refresh.ended - this.#refresh.began;
  }

  /** Waits until recent changes have settled, or for MOST_CHECKS. */
  async #settled(): Promise<void> {
    for (let checks = 1; ; checks++) {
      await this.#refresh.run();
      const open = [...this.#files.values()].some(({ file }) => file.open);
      if (!open || checks === MOST_CHECKS) return;
      await sleep(SETTLED / 2);
    }
  }

  async #check(): Promise<void> {
    let scripts: readonly ListedScript[];
    try {
      scripts = await scriptFileNames(this.#location);
      this.#trouble.end();
      this.unreadable = undefined;
    } catch (error) {
      const reason = (this.unreadable = systemErrorText(error));
      if (this.#trouble.isNew(reason))
        this.#log.error({ reason }, 'the directory of scripts cannot be read');
      return;
    }
    const existing = new Set<string>();
    for (const script of scripts) {
      const { folder, name, verb } = script;
      const path = `${folder}/${fileName(name, verb)}`;
      existing.add(path);
      if (this.#files.has(path)) continue;
      const file = new VerbFile(this.#location, folder, name, verb, this.#log);
      this.#files.set(path, { script, file, compiled: undefined, routed: undefined });
    }
    // Files that are missing now are checked too: they are removed once that has settled.
    const all = this.#files.values();
    await Promise.all(Array.from({ length: PARALLEL }, () => this.#checkFiles(all)));
    this.#update(existing);
    if ([...this.#files.values()].some(({ file }) => !file.settled))
      setTimeout(() => void this.#refresh.run(), SETTLED / 2).unref();
  }

  async #checkFiles(files: IterableIterator<Scanned>): Promise<void> {
    for (const { file } of files) await file.check();
  }

  /** Makes a new list when a text in it has changed. */
  #update(existing: ReadonlySet<string>): void {
    this.#changed = false;
    let readable = false;
    let routed = false;
    for (const [path, scanned] of this.#files) {
      const { compiled, settled } = scanned.file;
      if (compiled !== scanned.compiled) {
        this.#changed = true;
        if (scanned.script.verb === 'read') readable = true;
        const own = routedScript(scanned.script, compiled);
        if ((own ?? scanned.routed) !== undefined) routed = true;
        scanned.compiled = compiled;
        scanned.routed = own;
      }
      if (compiled === undefined && settled && !existing.has(path)) this.#files.delete(path);
    }
    if (this.#changed) this.#usable = undefined;
    if (readable)
      this.#readable = this.#list('read', ({ folder, name }, { template, head }) => ({
        folder,
        name,
        template,
        head,
      }));
    if (routed)
      this.#routed = [...this.#files.values()].flatMap((one) => one.routed ?? []).sort(byPath);
  }

  #list<Item extends Named>(
    verb: Verb,
    itemOf: (script: Named, text: ScriptText) => Item,
  ): readonly Item[] {
    const items: Item[] = [];
    for (const { script, compiled } of this.#files.values()) {
      const isUsable = compiled !== undefined && !(compiled instanceof ServiceError);
      if (isUsable && script.verb === verb) items.push(itemOf(script, compiled));
    }
    return items.sort(byPath);
  }
}

function routedScript(
  { folder, name, verb }: ListedScript,
  compiled: Compiled | undefined,
): RoutedScript | undefined {
  const routes = routesOfText(compiled, verb);
  if (routes.length === 0) return undefined;
  const broken = compiled instanceof ServiceError;
  return { alias: undefined, folder, name, verb, routes, broken };
}
