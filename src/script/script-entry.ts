/**
 * One script as it lies on disk, a file for each verb, looked at again while it is in use. A change counts when it has
 * settled: a file that was written a moment ago may be half a file, and one that is gone may be about to be replaced;
 * until then the version before is served.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Template } from '../template/template.js';
import { methodNotAllowed, scriptNotFound, scriptNotUsable } from './script-error.js';
import { ABSENT, readScript, stampOf } from './script-file.js';
import { warnUnusable, type Compiled } from './script-text.js';
import type { FoundScript } from './scripts.js';
import { allowHeader, fileName, VERBS, verbOf, type Verb } from './verb.js';

/** How long a file must be unchanged to be read, ms. */
const SETTLED = 400;

/** Looks that a request waits for at most, SETTLED / 4 apart: a file may be written without end. */
const MOST_LOOKS = 20;

/** A script's text for one verb. */
interface VerbFile {
  readonly verb: Verb;
  readonly path: string;
  /** Stamp of the version that is served; undefined before the first look. */
  stamp: string | undefined;
  compiled: Compiled | undefined;
  /** A version seen that has not settled, and when it was seen first. */
  next: string | undefined;
  since: number;
  /** Why the disk could not give it at the last look, so that it is said once. */
  trouble: string | undefined;
}

/** ScriptEntry is what a request finds: the compiled text for its method. */
export class ScriptEntry implements FoundScript {
  /** When it was looked at last, ms of the monotonic clock; not before there was something to go by. */
  checked = -Infinity;
  readonly #script: string;
  readonly #root: string;
  readonly #log: Logger;
  readonly #files: readonly VerbFile[];
  #looking: Promise<void> | undefined;

  /** `script` is `<folder>/<name>` below the directory `root`. */
  constructor(root: string, folder: string, name: string, log: Logger) {
    this.#script = `${folder}/${name}`;
    this.#root = root;
    this.#log = log;
    this.#files = VERBS.map((verb) => ({
      verb,
      path: `${root}/${folder}/${fileName(name, verb)}`,
      stamp: undefined,
      compiled: undefined,
      next: undefined,
      since: 0,
      trouble: undefined,
    }));
  }

  /** exists tells whether there is a text for any verb. */
  get exists(): boolean {
    return this.#files.some((file) => file.compiled !== undefined);
  }

  /** allow lists the methods it has texts for. */
  get allow(): string {
    if (!this.exists) throw scriptNotFound(this.#script);
    return allowHeader((verb) => this.#files[VERBS.indexOf(verb)]!.compiled !== undefined);
  }

  /** select gives the template for a method. */
  select(method: string): { readonly verb: Verb; readonly template: Template } {
    const verb = verbOf(method);
    const compiled = verb && this.#files[VERBS.indexOf(verb)]!.compiled;
    if (verb === undefined || compiled === undefined) throw methodNotAllowed(this.allow);
    if (compiled instanceof ServiceError) throw compiled;
    return { verb, template: compiled };
  }

  /** look compares the files with what is served and takes over what has settled. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** settle looks until there is something to go by: for a script that was not looked at for a while. */
  async settle(): Promise<void> {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      await this.look();
      // Before the first look nothing can be served; a file that has gone may have gone long ago.
      const open = this.#files.some(
        ({ stamp, next }) => next !== undefined && (stamp === undefined || next === ABSENT),
      );
      if (!open) return;
      await new Promise((resolve) => setTimeout(resolve, SETTLED / 4));
    }
  }

  async #lookOnce(): Promise<void> {
    await Promise.all(this.#files.map((file) => this.#lookAt(file)));
    const unknown = this.#files.some(
      ({ stamp, next }) => stamp === undefined && next !== undefined,
    );
    // The first requests all wait, or the second one would find no script.
    if (!unknown || this.checked !== -Infinity) this.checked = performance.now();
    if (this.#files.some((file) => file.next !== undefined)) {
      // What has not settled is looked at again, whether or not the script is asked for.
      setTimeout(() => void this.look(), SETTLED / 2).unref();
    }
  }

  async #lookAt(file: VerbFile): Promise<void> {
    try {
      const { stamp, written } = await stampOf(file.path);
      if (stamp === file.stamp) {
        file.next = undefined;
        file.trouble = undefined;
        return;
      }
      const now = performance.now();
      if (stamp !== file.next) {
        file.next = stamp;
        file.since = now;
      }
      const old = written !== undefined && Date.now() - written > SETTLED;
      const never = stamp === ABSENT && file.stamp === undefined;
      if (old || never || now - file.since > SETTLED) await this.#take(file, stamp);
    } catch (error) {
      this.#unreadable(file, error);
    }
  }

  async #take(file: VerbFile, stamp: string): Promise<void> {
    if (stamp === ABSENT) {
      file.compiled = undefined;
    } else {
      const read = await readScript(file.path, this.#script, this.#root);
      if (read?.stamp !== stamp) return; // it changed again: the next look begins anew
      file.compiled = read.compiled;
      if (read.compiled instanceof ServiceError)
        warnUnusable(this.#log, this.#script, file.verb, read.compiled);
    }
    file.stamp = stamp;
    file.next = undefined;
    file.trouble = undefined;
  }

  /** The disk failed: what is served goes on being served; what never was, is not usable. */
  #unreadable(file: VerbFile, error: unknown): void {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    if (reason !== file.trouble) {
      this.#log.error({ script: this.#script, verb: file.verb, reason }, 'a script cannot be read');
    }
    file.trouble = reason;
    file.next = undefined;
    file.compiled ??= scriptNotUsable(this.#script, `the file cannot be read (${reason})`);
  }
}
