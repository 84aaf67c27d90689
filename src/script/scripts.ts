/**
 * What the query runner knows of scripts, wherever they are kept: it asks for one by the database it is to run on, its
 * folder and its name, and gets the text for a method. And all of them that read, for those who list them.
 */
import type { Template } from '../template/template.js';
import type { Verb } from './verb.js';

/** A script that a request found; what is looked for may still turn out to be none, or not to be usable. */
export interface FoundScript {
  /** The methods it has texts for, as an Allow header. Throws ServiceError: `script_not_found`. */
  readonly allow: string;
  /**
   * select gives the template for a method (upper case). Throws ServiceError: `script_not_found`, `method_not_allowed`,
   * `script_not_usable`, `invalid_script_path`.
   */
  select(method: string): { readonly verb: Verb; readonly template: Template };
}

/** A script that has a usable text for reads. */
export interface ReadableScript {
  readonly folder: string;
  readonly name: string;
  /** The same as long as its text is. */
  readonly template: Template;
}

/** ReadableScripts lists scripts. */
export interface ReadableScripts {
  /**
   * readable gives the scripts that can be read on a database, by path: the same array as long as nothing has changed.
   * `now` is the time of the monotonic clock, ms. Throws, or rejects with, ServiceError `busy`.
   */
  readable(
    alias: string,
    now: number,
  ): readonly ReadableScript[] | Promise<readonly ReadableScript[]>;
}

/** Scripts is where they are kept. */
export interface Scripts extends ReadableScripts {
  /**
   * find gives the script for a database (its alias); folder and name are identifiers, `now` is the time of the
   * monotonic clock, ms. Throws, or rejects with, ServiceError: `script_not_found`, `busy`.
   */
  find(
    alias: string,
    folder: string,
    name: string,
    now: number,
  ): FoundScript | Promise<FoundScript>;
}

/** byPath orders scripts by folder and name. */
export function byPath(a: ReadableScript, b: ReadableScript): number {
  return compare(a.folder, b.folder) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
