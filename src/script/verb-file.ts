/**
 * The file of a script's text for one verb, as it is served: a change counts when it has settled, for a file that was
 * written a moment ago may be half a file, and one that is gone may be about to be replaced; until then it is the version
 * before. Who holds it says when it is looked at.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import { scriptNotUsable } from './script-error.js';
import { ABSENT, readScript, stampOf } from './script-file.js';
import { warnUnusable, type Compiled } from './script-text.js';
import { fileName, type Verb } from './verb.js';

/** How long a file must be unchanged to be read, ms. */
export const SETTLED = 400;

export class VerbFile {
  readonly verb: Verb;
  readonly #path: string;
  readonly #root: string;
  /** `<folder>/<name>` */
  readonly #script: string;
  readonly #log: Logger;
  #compiled: Compiled | undefined;
  /** Stamp of the version that is served; undefined before the first look. */
  #stamp: string | undefined;
  /** A version seen that has not settled, and when it was seen first. */
  #next: string | undefined;
  #since = 0;
  /** Why the disk could not give it at the last look, so that it is said once. */
  #trouble: string | undefined;

  /** `root` is the directory of the folders. */
  constructor(root: string, folder: string, name: string, verb: Verb, log: Logger) {
    this.verb = verb;
    this.#path = `${root}/${folder}/${fileName(name, verb)}`;
    this.#root = root;
    this.#script = `${folder}/${name}`;
    this.#log = log;
  }

  /** compiled is what is served, undefined when there is no file. */
  get compiled(): Compiled | undefined {
    return this.#compiled;
  }

  /** settled tells whether no change was seen that has yet to settle. */
  get settled(): boolean {
    return this.#next === undefined;
  }

  /** unknown tells whether something was seen, and nothing that can be served. */
  get unknown(): boolean {
    return this.#stamp === undefined && this.#next !== undefined;
  }

  /** open tells whether a request waits for what was seen to settle: a file that has gone may have gone long ago. */
  get open(): boolean {
    return this.unknown || this.#next === ABSENT;
  }

  /** look compares the file with what is served and takes over what has settled. */
  async look(): Promise<void> {
    try {
      const { stamp, written } = await stampOf(this.#path);
      if (stamp === this.#stamp) {
        this.#next = undefined;
        this.#trouble = undefined;
        return;
      }
      const now = performance.now();
      if (stamp !== this.#next) {
        this.#next = stamp;
        this.#since = now;
      }
      const old = written !== undefined && Date.now() - written > SETTLED;
      const never = stamp === ABSENT && this.#stamp === undefined;
      if (old || never || now - this.#since > SETTLED) await this.#take(stamp);
    } catch (error) {
      this.#unreadable(error);
    }
  }

  async #take(stamp: string): Promise<void> {
    if (stamp === ABSENT) {
      this.#compiled = undefined;
    } else {
      const read = await readScript(this.#path, this.#script, this.#root);
      if (read?.stamp !== stamp) return; // it changed again: the next look begins anew
      this.#compiled = read.compiled;
      if (read.compiled instanceof ServiceError)
        warnUnusable(this.#log, this.#script, this.verb, read.compiled);
    }
    this.#stamp = stamp;
    this.#next = undefined;
    this.#trouble = undefined;
  }

  /** The disk failed: what is served goes on being served; what never was, is not usable. */
  #unreadable(error: unknown): void {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    if (reason !== this.#trouble) {
      this.#log.error({ script: this.#script, verb: this.verb, reason }, 'a script cannot be read');
    }
    this.#trouble = reason;
    this.#next = undefined;
    this.#compiled ??= scriptNotUsable(this.#script, `the file cannot be read (${reason})`);
  }
}
