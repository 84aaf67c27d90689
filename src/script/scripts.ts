/**
 * What the query runner knows of scripts, wherever they are kept: it asks for one by the database it is to run on, its
 * folder and its name, and gets the text for a method.
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

export interface Scripts {
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
