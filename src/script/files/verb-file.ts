/**
 * The file of a script's text for one verb, as it is served. A change takes effect when it has settled, as a file that was
 * written a moment ago may be half a file, and one that is missing may be about to be replaced; until then the version
 * before is served. The owner decides when the file is checked.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { LogOnce } from '../../base/log-once.js';
import { scriptNotUsable } from '../script-error.js';
import { logCompiled } from '../warnings/text-warnings.js';
import { ABSENT, readScript, stampOf } from './script-file.js';
import type { Compiled } from '../script-text.js';
import { fileName, type Verb } from '../verb.js';
import { systemErrorText } from '../../base/text.js';

/** How long a file must be unchanged to be read, ms. */
export const SETTLED = 400;

/** System errors of a process, or a system, without descriptors or memory. */
const EXHAUSTED = /^E(?:MFILE|NFILE|NOMEM)$/;

export class VerbFile {
  readonly #verb: Verb;
  readonly #path: string;
  readonly #root: string;
  /** `<folder>/<name>` */
  readonly #script: string;
  readonly #log: Logger;
  #compiled: Compiled | undefined;
  /** Stamp of the version that is served; undefined before the first check. */
  #stamp: string | undefined;
  /** Stamp of a version that has not settled, and when it was seen first. */
  #next: string | undefined;
  #since = 0;
  readonly #trouble = new LogOnce();

  /** `root` is the directory of the folders. */
  constructor(root: string, folder: string, name: string, verb: Verb, log: Logger) {
    this.#verb = verb;
    this.#path = `${root}/${folder}/${fileName(name, verb)}`;
    this.#root = root;
    this.#script = `${folder}/${name}`;
    this.#log = log;
  }

  /** compiled is the text that is served, undefined without a file. */
  get compiled(): Compiled | undefined {
    return this.#compiled;
  }

  /** settled is false while a change has yet to settle. */
  get settled(): boolean {
    return this.#next === undefined;
  }

  /** unknown is true while there is a file, and no version of it that can be served. */
  get unknown(): boolean {
    return this.#stamp === undefined && this.#next !== undefined;
  }

  /** open tells whether a request waits until the change has settled: a missing file may be missing for long. */
  get open(): boolean {
    return this.unknown || this.#next === ABSENT;
  }

  /** check compares the file with the version served, and serves a newer one that has settled. */
  async check(): Promise<void> {
    try {
      const { stamp, written } = await stampOf(this.#path);
      if (stamp === this.#stamp) {
        this.#next = undefined;
        this.#trouble.end();
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
      const read = await readScript(this.#path, this.#script, this.#verb, this.#root);
      if (read?.stamp !== stamp) return; // it changed again: the next check begins anew
      this.#compiled = read.compiled;
      logCompiled(this.#log, this.#script, this.#verb, read.compiled);
    }
    this.#stamp = stamp;
    this.#next = undefined;
    this.#trouble.end();
  }

  /** The disk failed: the served text stays; a script that never was served is not usable, or not now. */
  #unreadable(error: unknown): void {
    const reason = systemErrorText(error);
    if (this.#trouble.isNew(reason)) {
      const fields = { script: this.#script, verb: this.#verb, reason };
      this.#log.error(fields, 'a script cannot be read');
    }
    this.#next = undefined;
    this.#compiled ??= EXHAUSTED.test(reason)
      ? new ServiceError('busy', `script ${this.#script} cannot be read now`)
      : scriptNotUsable(this.#script, `the file cannot be read (${reason})`);
  }
}
