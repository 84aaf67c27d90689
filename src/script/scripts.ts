/**
 * Scripts, whether they are files or stored in a table: the query runner finds one by database, folder and name, MCP lists
 * those with a text for reads, HTTP processes those with paths of their own, and the OpenAPI document has all of them.
 */
import type { Head } from './head/head.js';
import type { RoutePattern } from './head/route-pattern.js';
import type { Template } from '../template/template.js';
import { compareText } from '../base/text.js';
import type { ScriptText } from './script-text.js';
import type { Verb } from './verb.js';

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

/** A script by its path, `<folder>/<name>`. */
export interface Named {
  readonly folder: string;
  readonly name: string;
}

/** The same array as long as nothing in it has changed. */
export type Listed<Item> = readonly Item[] | Promise<readonly Item[]>;

/** A script with a usable text for reads. */
export interface ReadableScript extends Named {
  /** The same object as long as the text is the same. */
  readonly template: Template;
  readonly head: Head;
}

export interface ReadableScripts {
  /**
   * readable lists the scripts for reads on a database, by path. `now` is performance.now(). Throws, or rejects with,
   * ServiceError `busy`.
   */
  readable(alias: string, now: number): Listed<ReadableScript>;
}

/** A text that declares paths of its own. */
export interface RoutedScript extends Named {
  /** The database of a stored script; undefined: the default one. */
  readonly alias: string | undefined;
  readonly verb: Verb;
  readonly routes: readonly RoutePattern[];
  /** For a text that cannot be used: its paths are those that no other one declares. */
  readonly broken?: boolean;
}

export interface RoutedScripts {
  /**
   * routed lists the texts with paths of their own, for other databases than the default one if they are stored for
   * that database. `now` is performance.now(). Throws, or rejects with, ServiceError `busy`.
   */
  routed(defaultAlias: string, now: number): Listed<RoutedScript>;
}

/** A usable text for any verb. */
export interface UsableScript extends Named {
  /** The same object as long as the text is the same. */
  readonly text: ScriptText;
}

export interface UsableScripts {
  /**
   * usable lists the texts that requests for a database find, by path and verb. `now` is performance.now(). Throws, or
   * rejects with, ServiceError `busy`.
   */
  usable(alias: string, now: number): Listed<UsableScript>;
}

export interface Scripts extends ReadableScripts, RoutedScripts, UsableScripts {
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

/** named gives a script by its path, `<folder>/<name>`. */
export function named(path: string): Named {
  const [folder = '', name = ''] = path.split('/');
  return { folder, name };
}

export function byPath(a: Named, b: Named): number {
  return compareText(a.folder, b.folder) || compareText(a.name, b.name);
}
