/**
 * The routes of scripts as a task of a worker: the list for the HTTP process, made anew only when a path has changed. Paths
 * that two scripts declare are logged, once.
 */
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Logger } from '../../observe/log.js';
import { routesOf } from '../../script/route-list.js';
import type { RoutedScript, RoutedScripts } from '../../script/scripts.js';
import type { RouteList } from '../../messages/tasks.js';

export class RouteTasks {
  readonly #scripts: RoutedScripts;
  readonly #aliases: ReadonlySet<string>;
  readonly #defaultAlias: string;
  readonly #log: Logger;
  #routed: readonly RoutedScript[] = [];
  #list: RouteList = { version: newVersion(), routes: [] };
  #logged: ReadonlySet<string> = new Set();

  /** `aliases` are the databases of the configuration. */
  constructor(
    scripts: RoutedScripts,
    aliases: ReadonlySet<string>,
    defaultAlias: string,
    log: Logger,
  ) {
    this.#scripts = scripts;
    this.#aliases = aliases;
    this.#defaultAlias = defaultAlias;
    this.#log = log;
  }

  /** list gives the current list; undefined when it is still that of `version`. Rejects with ServiceError `busy`. */
  async list(version: string): Promise<RouteList | undefined> {
    const routed = await this.#scripts.routed(this.#defaultAlias, performance.now());
    if (routed !== this.#routed && !isSame(routed, this.#routed)) this.#update(routed);
    this.#routed = routed;
    return this.#list.version === version ? undefined : this.#list;
  }

  #update(routed: readonly RoutedScript[]): void {
    const { routes, conflicts } = routesOf(
      routed.filter(({ alias }) => alias === undefined || this.#aliases.has(alias)),
      this.#defaultAlias,
    );
    this.#list = { version: newVersion(), routes };
    const messages = new Set(conflicts.map(({ message }) => message));
    for (const message of messages) if (!this.#logged.has(message)) this.#log.error(message);
    this.#logged = messages;
  }
}

function newVersion(): string {
  return randomBytes(12).toString('hex');
}

/** Whether two lists have the same paths; texts that have not changed keep theirs. */
function isSame(some: readonly RoutedScript[], others: readonly RoutedScript[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ alias, folder, name, routes }, i) => {
      const other = others[i]!;
      return (
        routes === other.routes &&
        name === other.name &&
        folder === other.folder &&
        alias === other.alias
      );
    })
  );
}
