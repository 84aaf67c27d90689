/**
 * The routes that scripts declare, as a worker lists them: fetched when a path has no other route, and refreshed beside the
 * requests while they are in use. After a failure the last ones stay; without any, requests are refused with `busy`.
 */
import { ServiceError } from '../../../base/errors.js';
import { Refresh } from '../../../base/refresh.js';
import type { RouteList } from '../../../messages/tasks.js';
import { RouteTrie } from './route-trie.js';

/** From one refresh to the next, ms, and the intervals after which a request waits for one. */
const INTERVAL = 250;
const EXPIRY = 4;

const NOT_LOADED = 'the paths of scripts cannot be read now, try again later';

export class ScriptRoutes {
  readonly #list: (version: string) => Promise<RouteList | undefined>;
  readonly #refresh = new Refresh(
    () => this.#load(),
    () => INTERVAL,
    EXPIRY,
  );
  #version = '';
  #trie: RouteTrie | undefined;

  /** `list` gives the list, undefined while it has that version. */
  constructor(list: (version: string) => Promise<RouteList | undefined>) {
    this.#list = list;
  }

  /** current gives the routes; `now` is performance.now(). Throws, or rejects with, ServiceError `busy`. */
  current(now: number): RouteTrie | Promise<RouteTrie> {
    if (this.#refresh.isUsable(now)) return this.#loaded();
    return this.#refresh.run().then(() => this.#loaded());
  }

  #loaded(): RouteTrie {
    if (this.#trie === undefined) throw new ServiceError('busy', NOT_LOADED);
    return this.#trie;
  }

  async #load(): Promise<void> {
    let list: RouteList | undefined;
    try {
      list = await this.#list(this.#version);
    } catch {
      return; // the worker has logged why, or died
    }
    if (list === undefined) return;
    this.#trie = new RouteTrie(list.routes);
    this.#version = list.version;
  }
}
