/**
 * Scripts, whether they are files or stored in a table: the query runner finds one by database, folder and name, and MCP
 * lists those with a text for reads.
 */
import type { Head } from '../head/head.js';
import type { Template } from '../template/template.js';
import type { ScriptText } from './script-text.js';

/** The script of a request; its members throw when it does not exist or cannot be used. */
export interface FoundScript {
  /** The methods with a text, as an Allow header. Throws ServiceError: `script_not_found`. */
  readonly allow: string;
  /**
   * select gives the text for a method (upper case). Throws ServiceError: `script_not_found`, `method_not_allowed`,
   * `script_not_usable`, `invalid_script_path`.
   */
  select(method: string): ScriptText;
}

/** A script with a usable text for reads. */
export interface ReadableScript {
  readonly folder: string;
  readonly name: string;
  /** The same object as long as the text is the same. */
  readonly template: Template;
  readonly head: Head;
}

export interface ReadableScripts {
  /**
   * readable lists the scripts for reads on a database, by path: the same array as long as nothing has changed. `now` is
   * performance.now(). Throws, or rejects with, ServiceError `busy`.
   */
  readable(
    alias: string,
    now: number,
  ): readonly ReadableScript[] | Promise<readonly ReadableScript[]>;
}

export interface Scripts extends ReadableScripts {
  /**
   * find gives the script for a database (its alias); folder and name are identifiers, `now` is performance.now(). Throws,
   * or rejects with, ServiceError: `script_not_found`, `busy`.
   */
  find(
    alias: string,
    folder: string,
    name: string,
    now: number,
  ): FoundScript | Promise<FoundScript>;
}

export function byPath(a: ReadableScript, b: ReadableScript): number {
  return compare(a.folder, b.folder) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
