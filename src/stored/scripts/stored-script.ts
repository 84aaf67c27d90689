/**
 * One record of the table of scripts: a text for each verb, compiled at its first request. A verb without a text is not
 * looked up in another record.
 */
import { ServiceError } from '../../base/errors.js';
import type { RoutePattern } from '../../script/head/route-pattern.js';
import type { Logger } from '../../observe/log.js';
import { logCompiled } from '../../script/warnings/text-warnings.js';
import { methodNotAllowed, scriptNotFound, scriptNotUsable } from '../../script/script-error.js';
import {
  compileText,
  routesOfText,
  type Compiled,
  type ScriptText,
} from '../../script/script-text.js';
import type { FoundScript } from '../../script/scripts.js';
import { allowHeader, VERBS, verbOf, type Verb } from '../../script/verb.js';

/** A text as it was read; `refused` says why it was not. */
export type ReadText = string | { readonly refused: string } | undefined;

export interface ScriptRow {
  readonly id: string;
  /** Changes with every update of the record. */
  readonly version: string;
  /** Alias; empty for all databases. */
  readonly database: string;
  /** `<location>/<name>`; undefined when it is invalid in a path. */
  readonly path: string | undefined;
  /** In the order of VERBS. */
  readonly texts: readonly ReadText[];
}

interface StoredText {
  readonly text: Exclude<ReadText, undefined>;
  compiled: Compiled | undefined;
}

export class StoredScript implements FoundScript {
  readonly id: string;
  readonly version: string;
  readonly database: string;
  readonly path: string | undefined;
  readonly #texts: readonly (StoredText | undefined)[];
  readonly #log: Logger;

  /** Reuses the compiled texts of `before`, the same script until now, where the texts are equal. */
  constructor(row: ScriptRow, before: StoredScript | undefined, log: Logger) {
    this.id = row.id;
    this.version = row.version;
    this.database = row.database;
    this.path = row.path;
    this.#log = log;
    this.#texts = row.texts.map((text, i) => {
      if (text === undefined) return undefined;
      const old = before === undefined ? undefined : before.#texts[i];
      return old?.text === text ? old : { text, compiled: undefined };
    });
  }

  get allow(): string {
    if (this.#texts.every((text) => text === undefined)) throw scriptNotFound(this.path!);
    return allowHeader((verb) => this.#texts[VERBS.indexOf(verb)] !== undefined);
  }

  select(method: string): ScriptText {
    const verb = verbOf(method);
    const text = verb && this.#texts[VERBS.indexOf(verb)];
    if (verb === undefined || text === undefined) throw methodNotAllowed(this.allow);
    const compiled = this.#compiled(verb, text);
    if (compiled instanceof ServiceError) throw compiled;
    return compiled;
  }

  /** compiled gives the text for a verb, or the error for requests; undefined without a text. */
  compiled(verb: Verb): Compiled | undefined {
    const text = this.#texts[VERBS.indexOf(verb)];
    return text && this.#compiled(verb, text);
  }

  /** usableText gives the text for a verb; undefined without one, or if it cannot be used. */
  usableText(verb: Verb): ScriptText | undefined {
    const compiled = this.compiled(verb);
    return compiled instanceof ServiceError ? undefined : compiled;
  }

  /** isUsable compiles a text; undefined without one, or if no request can name the script. */
  isUsable(verb: Verb): boolean | undefined {
    const text = this.#texts[VERBS.indexOf(verb)];
    if (text === undefined || this.path === undefined) return undefined;
    return !(this.#compiled(verb, text) instanceof ServiceError);
  }

  /** routes gives the paths that a text declares. Texts without a path are not compiled. */
  routes(verb: Verb): readonly RoutePattern[] {
    const text = this.#texts[VERBS.indexOf(verb)];
    if (typeof text?.text !== 'string' || !text.text.includes('@path')) return [];
    return routesOfText(this.#compiled(verb, text), verb);
  }

  #compiled(verb: Verb, text: StoredText): Compiled {
    return (text.compiled ??= this.#compile(verb, text.text));
  }

  #compile(verb: Verb, text: StoredText['text']): Compiled {
    const path = this.path!;
    const compiled =
      typeof text === 'string'
        ? compileText(text, path, verb)
        : scriptNotUsable(path, text.refused);
    const { database } = this;
    logCompiled(this.#log, path, verb, compiled, database === '' ? {} : { database });
    return compiled;
  }
}
