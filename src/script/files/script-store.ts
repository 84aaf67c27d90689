/**
 * The scripts of a directory, compiled and cached. A script in use is checked for changes a few times a second, beside the
 * requests and never by them; one that was not used for a while is checked before it is served. Bounded: scripts (and
 * names without a script) that are not requested any more are forgotten.
 */
import type { Logger } from '../../observe/log.js';
import { recent } from '../../base/recent.js';
import { CachedScript } from './cached-script.js';
import { ScriptScan } from './script-scan.js';
import type { Listed, ReadableScript, RoutedScript, Scripts, UsableScript } from '../scripts.js';

/** Scripts that are kept compiled. */
const KEPT = 4_000;

export class ScriptStore implements Scripts {
  readonly #location: string;
  readonly #log: Logger;
  readonly #recent = recent<CachedScript>({ entries: KEPT });
  readonly #scan: ScriptScan;

  /** `location` is the directory, absolute. */
  constructor(location: string, log: Logger) {
    this.#location = location;
    this.#log = log;
    this.#scan = new ScriptScan(location, log);
  }

  /** find gives a script, the same for every database; its members throw when there is no such script. */
  find(
    _alias: string,
    folder: string,
    name: string,
    now: number,
  ): CachedScript | Promise<CachedScript> {
    const path = `${folder}/${name}`;
    let script = this.#recent.get(path);
    if (script === undefined) {
      script = new CachedScript(this.#location, folder, name, this.#log);
      this.#recent.set(path, script);
    }
    return script.current(now);
  }

  /** readable lists the scripts for reads, the same for every database. */
  readable(_alias: string, now: number): Listed<ReadableScript> {
    return this.#scan.readable(now);
  }

  /** routed lists the scripts with paths of their own, which run on the default database. */
  routed(_alias: string, now: number): Listed<RoutedScript> {
    return this.#scan.routed(now);
  }

  /** usable lists the texts for all verbs, the same for every database. */
  usable(_alias: string, now: number): Listed<UsableScript> {
    return this.#scan.usable(now);
  }
}
