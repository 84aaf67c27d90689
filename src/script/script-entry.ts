/** One script as it lies on disk, a file for each verb, looked at again while it is in use. */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Template } from '../template/template.js';
import { methodNotAllowed, scriptNotFound } from './script-error.js';
import type { Compiled } from './script-text.js';
import type { FoundScript } from './scripts.js';
import { SETTLED, VerbFile } from './verb-file.js';
import { allowHeader, VERBS, verbOf, type Verb } from './verb.js';

/** Looks that a request waits for at most, SETTLED / 4 apart: a file may be written without end. */
const MOST_LOOKS = 20;

/** ScriptEntry is what a request finds: the compiled text for its method. */
export class ScriptEntry implements FoundScript {
  /** When it was looked at last, ms of the monotonic clock; not before there was something to go by. */
  checked = -Infinity;
  readonly #script: string;
  readonly #files: readonly VerbFile[];
  #looking: Promise<void> | undefined;

  /** `script` is `<folder>/<name>` below the directory `root`. */
  constructor(root: string, folder: string, name: string, log: Logger) {
    this.#script = `${folder}/${name}`;
    this.#files = VERBS.map((verb) => new VerbFile(root, folder, name, verb, log));
  }

  /** exists tells whether there is a text for any verb. */
  get exists(): boolean {
    return this.#files.some((file) => file.compiled !== undefined);
  }

  /** allow lists the methods it has texts for. */
  get allow(): string {
    if (!this.exists) throw scriptNotFound(this.#script);
    return allowHeader((verb) => this.#compiled(verb) !== undefined);
  }

  /** select gives the template for a method. */
  select(method: string): { readonly verb: Verb; readonly template: Template } {
    const verb = verbOf(method);
    const compiled = verb && this.#compiled(verb);
    if (verb === undefined || compiled === undefined) throw methodNotAllowed(this.allow);
    if (compiled instanceof ServiceError) throw compiled;
    return { verb, template: compiled };
  }

  #compiled(verb: Verb): Compiled | undefined {
    return this.#files[VERBS.indexOf(verb)]!.compiled;
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
      if (!this.#files.some((file) => file.open)) return;
      await new Promise((resolve) => setTimeout(resolve, SETTLED / 4));
    }
  }

  async #lookOnce(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.look()));
    const unknown = this.#files.some((file) => file.unknown);
    // The first requests all wait, or the second one would find no script.
    if (!unknown || this.checked !== -Infinity) this.checked = performance.now();
    if (this.#files.some((file) => !file.settled)) {
      // What has not settled is looked at again, whether or not the script is asked for.
      setTimeout(() => void this.look(), SETTLED / 2).unref();
    }
  }
}
