/** One script of a database as the prover lets it be served: for each verb the newest text that it has found good. */
import { ServiceError } from '../base/errors.js';
import type { ServedProof } from '../messages/proofs.js';
import { methodNotAllowed, scriptNotProved, scriptNotFound } from './script-error.js';
import { compileText, type Compiled, type ScriptText } from './script-text.js';
import {
  named,
  type FoundScript,
  type Named,
  type ReadableScript,
  type RoutedScript,
  type UsableScript,
} from './scripts.js';
import { allowHeader, verbOf, type Verb } from './verb.js';

/** A text that is served, compiled at its first use; the prover has logged its warnings. */
export class ProvedText {
  readonly text: string;
  readonly own: string | undefined;
  readonly verb: Verb;
  readonly #script: string;
  readonly #named: Named;
  #compiled: Compiled | undefined;
  #readable: ReadableScript | undefined;
  #routed: RoutedScript | undefined;
  #usable: UsableScript | undefined;

  constructor({ script, verb, own }: ServedProof, text: string) {
    this.text = text;
    this.own = own;
    this.verb = verb as Verb;
    this.#script = script;
    this.#named = named(script);
  }

  get compiled(): Compiled {
    return (this.#compiled ??= compileText(this.text, this.#script, this.verb));
  }

  /** readable is undefined for other verbs than `read`. */
  get readable(): ReadableScript | undefined {
    const { verb, compiled } = this;
    if (verb !== 'read' || compiled instanceof ServiceError) return undefined;
    const { template, head } = compiled;
    return (this.#readable ??= { ...this.#named, template, head });
  }

  /** usable is undefined for a text that cannot be compiled any more. */
  get usable(): UsableScript | undefined {
    const { compiled: text } = this;
    if (text instanceof ServiceError) return undefined;
    return (this.#usable ??= { ...this.#named, text });
  }

  /** routed is undefined for a text that declares no path. One without is not compiled. */
  get routed(): RoutedScript | undefined {
    if (!this.text.includes('@path')) return undefined;
    const { verb, compiled, own: alias } = this;
    if (compiled instanceof ServiceError || compiled.head.routes.length === 0) return undefined;
    const { routes } = compiled.head;
    return (this.#routed ??= { alias, ...this.#named, verb, routes });
  }
}

export class ProvedScript implements FoundScript {
  readonly #path: string;
  readonly #complete: () => boolean;
  /** Undefined for a text that never was good. */
  readonly texts = new Map<Verb, ProvedText | undefined>();
  /** Those of them that are not proved yet. */
  readonly unproved = new Set<Verb>();

  /** `complete` tells whether a verb that is not known has no text. */
  constructor(path: string, complete: () => boolean) {
    this.#path = path;
    this.#complete = complete;
  }

  get allow(): string {
    if (!this.#complete()) throw notYetProved();
    if (this.texts.size === 0) throw scriptNotFound(this.#path);
    return allowHeader((verb) => this.texts.has(verb));
  }

  select(method: string): ScriptText {
    const verb = verbOf(method);
    if (verb === undefined || !this.texts.has(verb)) throw methodNotAllowed(this.allow);
    const compiled = this.texts.get(verb)?.compiled;
    if (compiled === undefined)
      throw this.unproved.has(verb) ? notYetProved() : scriptNotProved(this.#path);
    if (compiled instanceof ServiceError) throw compiled;
    return compiled;
  }
}

export function notYetProved(): ServiceError {
  return new ServiceError('busy', 'the scripts are being proved, try again later');
}
