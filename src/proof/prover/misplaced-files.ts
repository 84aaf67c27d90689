/**
 * Files that were meant to be scripts and cannot be served because of their names or places: logged once each, as they are
 * saved.
 */
import type { Logger } from '../../observe/log.js';
import { misplacedFiles } from '../../script/files/script-files.js';

export class MisplacedFiles {
  readonly #location: string;
  readonly #log: Logger;
  /** Undefined before the first look: the report of the start has those that are there then. */
  #known: ReadonlySet<string> | undefined;

  /** `location` is the directory of scripts, absolute. */
  constructor(location: string, log: Logger) {
    this.#location = location;
    this.#log = log;
  }

  /** look logs what was not there the last time. */
  async look(): Promise<void> {
    const found = new Map<string, string>();
    try {
      for (const { file, message } of await misplacedFiles(this.#location))
        found.set(file, message);
    } catch {
      return; // logged by those that read the scripts
    }
    for (const [file, message] of found)
      if (this.#known?.has(file) === false)
        this.#log.warn({ served: 'script', script: file }, `not served: ${file}: ${message}`);
    this.#known = new Set(found.keys());
  }
}
