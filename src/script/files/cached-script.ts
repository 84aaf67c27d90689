/** One script on disk, a file for each verb, compiled and cached, and checked for changes while it is in use. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { Refresh } from '../../base/refresh.js';
import { methodNotAllowed, scriptNotFound } from '../script-error.js';
import type { Compiled, ScriptText } from '../script-text.js';
import type { FoundScript } from '../scripts.js';
import { SETTLED, VerbFile } from './verb-file.js';
import { allowHeader, VERBS, verbOf, type Verb } from '../verb.js';

/** From one check to the next, ms, and the intervals after which a request waits for one. */
const INTERVAL = 250;
const EXPIRY = 3;

/** Most checks that a request waits for, SETTLED / 4 apart: a file may be written without end. */
const MOST_CHECKS = 20;

export class CachedScript implements FoundScript {
  readonly #script: string;
  readonly #files: readonly VerbFile[];
  readonly #refresh = new Refresh(
    () => this.#check(),
    () => INTERVAL,
    EXPIRY,
  );
  /** Whether a check has found what to serve. Until then all requests wait, or the second would find no script. */
  #known = false;

  /** `root` is the directory of the folders. */
  constructor(root: string, folder: string, name: string, log: Logger) {
    this.#script = `${folder}/${name}`;
    this.#files = VERBS.map((verb) => new VerbFile(root, folder, name, verb, log));
  }

  get allow(): string {
    if (this.#files.every((file) => file.compiled === undefined))
      throw scriptNotFound(this.#script);
    return allowHeader((verb) => this.#compiled(verb) !== undefined);
  }

  select(method: string): ScriptText {
    const verb = verbOf(method);
    const compiled = verb && this.#compiled(verb);
    if (verb === undefined || compiled === undefined) throw methodNotAllowed(this.allow);
    if (compiled instanceof ServiceError) throw compiled;
    return compiled;
  }

  #compiled(verb: Verb): Compiled | undefined {
    return this.#files[VERBS.indexOf(verb)]!.compiled;
  }

  /** current gives the script, checked if it was not used for a while. `now` is performance.now(). */
  current(now: number): this | Promise<this> {
    return this.#refresh.isUsable(now) && this.#known ? this : this.#settled();
  }

  async #settled(): Promise<this> {
    for (let checks = 0; checks < MOST_CHECKS; checks++) {
      await this.#refresh.run();
      if (!this.#files.some((file) => file.open)) break;
      await sleep(SETTLED / 4);
    }
    return this;
  }

  async #check(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.check()));
    this.#known ||= !this.#files.some((file) => file.unknown);
    // Changes that have not settled are checked again, whether or not the script is requested.
    if (this.#files.some((file) => !file.settled))
      setTimeout(() => void this.#refresh.run(), SETTLED / 2).unref();
  }
}
