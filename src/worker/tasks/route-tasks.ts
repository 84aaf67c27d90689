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
import type { WorkerSettings } from '../../messages/worker-settings.js';

/** The parts of a worker that it needs; `databases` has the aliases of the configuration. */
export interface RouteParts {
  readonly settings: Pick<WorkerSettings, 'defaultAlias'>;
  readonly databases: Pick<ReadonlySet<string>, 'has'>;
  readonly scripts: RoutedScripts;
  readonly log: Logger;
}

export class RouteTasks {
  readonly #parts: RouteParts;
  #routed: readonly RoutedScript[] = [];
  #list: RouteList = { version: newVersion(), routes: [] };
  #logged: ReadonlySet<string> = new Set();

  constructor(parts: RouteParts) {
    this.#parts = parts;
  }

  /** list gives the current list; undefined when it is still that of `version`. Rejects with ServiceError `busy`. */
  async list(version: string): Promise<RouteList | undefined> {
    const { scripts, settings } = this.#parts;
    const routed = await scripts.routed(settings.defaultAlias, performance.now());
    if (routed !== this.#routed && !isSame(routed, this.#routed)) this.#update(routed);
    this.#routed = routed;
    return this.#list.version === version ? undefined : this.#list;
  }

  #update(routed: readonly RoutedScript[]): void {
    const { settings, databases, log } = this.#parts;
    const served = routed.filter(({ alias }) => alias === undefined || databases.has(alias));
    const { routes, conflicts } = routesOf(served, settings.defaultAlias);
    this.#list = { version: newVersion(), routes };
    const messages = new Set(conflicts.map(({ message }) => message));
    for (const message of messages) if (!this.#logged.has(message)) log.error(message);
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
