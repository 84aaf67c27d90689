/** Provisional: replaced by the store being written. */
import { readFileSync } from 'node:fs';
import type { Logger } from '../log.js';
import { compile, type Template } from '../template/template.js';
import { methodNotAllowed, scriptNotFound } from './script-error.js';
import { allowHeader, fileName, VERBS, verbOf, type Verb } from './verb.js';

export interface Script {
  readonly allow: string;
  select(method: string): { verb: Verb; template: Template };
}

export class ScriptStore {
  readonly #cache = new Map<string, Script>();
  constructor(private_: string, _log: Logger) {
    this.#location = private_;
  }
  readonly #location: string;
  find(folder: string, name: string): Script | Promise<Script> {
    const path = `${folder}/${name}`;
    let s = this.#cache.get(path);
    if (s) return s;
    const templates = new Map<Verb, Template>();
    for (const verb of VERBS) {
      try {
        templates.set(
          verb,
          compile(
            readFileSync(`${this.#location}/${folder}/${fileName(name, verb)}`, 'utf8'),
            path,
          ),
        );
      } catch {
        // absent
      }
    }
    if (templates.size === 0) throw scriptNotFound(path);
    const allow = allowHeader((v) => templates.has(v));
    s = {
      allow,
      select(method) {
        const verb = verbOf(method);
        const template = verb && templates.get(verb);
        if (!template) throw methodNotAllowed(allow);
        return { verb, template };
      },
    };
    this.#cache.set(path, s);
    return s;
  }
}
