/**
 * Watches plugin libraries that are loaded, in development mode: one that was built again is read anew by HTTP processes
 * that replace the current ones, as after a reload.
 */
import { basename } from 'node:path';
import type { Logger } from '../../observe/log.js';
import { Poller } from '../../base/poller.js';
import type { PluginLibraries } from './plugin-libraries.js';

/** How often the files are polled (milliseconds). A change counts once two polls in a row have found the same. */
const INTERVAL = 250;

export class PluginWatch {
  readonly #libraries: Pick<PluginLibraries, 'changed' | 'forget'>;
  readonly #rebuilt: () => void;
  readonly #log: Logger;
  /** What the last poll found: the stamps of changed files. */
  #last: ReadonlyMap<string, string> = new Map();
  readonly #poller = new Poller(
    () => this.#poll(),
    () => INTERVAL,
  );

  /** `rebuilt` is called after libraries were forgotten. */
  constructor(
    libraries: Pick<PluginLibraries, 'changed' | 'forget'>,
    rebuilt: () => void,
    log: Logger,
  ) {
    this.#libraries = libraries;
    this.#rebuilt = rebuilt;
    this.#log = log;
    this.#poller.wait();
  }

  stop(): void {
    this.#poller.stop();
  }

  async #poll(): Promise<void> {
    const changed = await this.#libraries.changed();
    if (this.#poller.stopped) return;
    const settled = [...changed].filter(([file, stamp]) => this.#last.get(file) === stamp);
    this.#last = changed;
    if (settled.length === 0) return;
    for (const [file] of settled) {
      this.#libraries.forget(file);
      this.#log.info(
        { file },
        `the plugin ${basename(file, '.so')} was rebuilt: it is loaded again`,
      );
    }
    this.#rebuilt();
  }
}
