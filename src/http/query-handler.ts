/**
 * What workers run in a database: scripts (`/_QUERIES`, and paths that scripts declare) and listings (`/databases`,
 * `/schemas`, `/tables`).
 */
import type { Caller } from '../auth/caller.js';
import { packRequest } from '../batch.js';
import { ServiceError } from '../errors.js';
import type { QueryPool } from '../pool/query-pool.js';
import type { ExposeSettings, HttpSettings } from '../settings.js';
import type { Gate } from './gate.js';
import type { ConcurrencyLimit, HttpRequest } from './http-request.js';
import type { ScriptPath } from './path.js';
import { withPathValues } from './path-values.js';
import type { RequestTable } from './request-table.js';
import type { Route, TokenRule } from './route.js';
import type { OtherMethods, RouteTrie } from './route-trie.js';
import type { ScriptRoutes } from './script-routes.js';

const TOO_MANY_REQUESTS = 'too many requests wait for this database already';

export class QueryHandler {
  readonly #settings: HttpSettings;
  readonly #requests: RequestTable;
  readonly #pool: QueryPool;
  readonly #gate: Gate;
  readonly #routes: ScriptRoutes;
  readonly #aliases: ReadonlySet<string>;
  /** Whether workers use a caller's claims. */
  readonly #claims: boolean;
  /** One limit for each database; undefined when there is only one database. */
  readonly #limits: ReadonlyMap<string, ConcurrencyLimit> | undefined;

  constructor(
    settings: HttpSettings,
    requests: RequestTable,
    pool: QueryPool,
    gate: Gate,
    routes: ScriptRoutes,
  ) {
    const { databases, claims, claimSettings, access } = settings.worker;
    this.#settings = settings;
    this.#requests = requests;
    this.#pool = pool;
    this.#gate = gate;
    this.#routes = routes;
    this.#aliases = new Set(databases.map(({ alias }) => alias));
    this.#claims = claims || claimSettings || access.restrict;
    if (this.#aliases.size > 1)
      this.#limits = new Map(Array.from(this.#aliases, (alias) => [alias, { size: 0 }]));
  }

  script(path: ScriptPath, token: TokenRule): Route {
    const { alias = this.#settings.worker.defaultAlias, folder, name } = path;
    const registered = this.#aliases.has(alias);
    return {
      token,
      handle: (request, caller) => {
        this.#gate.checkOrigin(request);
        const role = this.#gate.admitToScript(caller, request.method, alias, folder, name);
        if (!registered)
          throw new ServiceError('unknown_database', `database not registered: ${alias}`);
        const { query, headers } = request;
        this.#submit(request, alias, folder, name, query, headers, caller, role);
      },
    };
  }

  /** declared serves a path that a script may declare; `segments` are as sent. Other paths are `not_found`. */
  declared(segments: readonly string[], token: TokenRule): Route {
    return {
      token,
      handle: (request, caller) => {
        const routes = this.#routes.current(performance.now());
        if (!(routes instanceof Promise)) this.#route(request, caller, routes, segments);
        else
          this.#requests.whenDone(request, routes, (loaded) =>
            this.#route(request, caller, loaded, segments),
          );
      },
    };
  }

  #route(
    request: HttpRequest,
    caller: Caller | undefined,
    routes: RouteTrie,
    segments: readonly string[],
  ): void {
    const { method } = request;
    const found = routes.find(method, segments);
    if (found === undefined) {
      this.#requests.reject(request, 'not_found');
      return;
    }
    this.#gate.checkOrigin(request);
    if ('methods' in found) {
      this.#admitToAny(caller, method, found);
      this.#requests.allowsMethod(request, found.methods);
      return;
    }
    const { alias, folder, name } = found.script;
    const role = this.#gate.admitToScript(caller, method, alias, folder, name);
    const query = withPathValues(request.query, found.values);
    this.#submit(request, alias, folder, name, query, request.headers, caller, role);
  }

  /** Throws unless the caller may run one of the scripts with the method. */
  #admitToAny(caller: Caller | undefined, method: string, { scripts }: OtherMethods): void {
    const failures: unknown[] = [];
    for (const { alias, folder, name } of scripts)
      try {
        this.#gate.admitToScript(caller, method, alias, folder, name);
        return;
      } catch (error) {
        failures.push(error);
      }
    throw failures[0];
  }

  listing(name: keyof ExposeSettings, token: TokenRule): Route {
    const { expose, worker } = this.#settings;
    return {
      token,
      handle: (request, caller) => {
        const role = this.#gate.admit(caller);
        if (!expose[name]) throw new ServiceError('listing_hidden');
        if (this.#requests.allowsMethod(request, ['GET', 'HEAD']))
          this.#submit(request, worker.defaultAlias, '', name, request.query, '', caller, role);
      },
    };
  }

  #submit(
    request: HttpRequest,
    alias: string,
    folder: string,
    name: string,
    query: string,
    headers: string,
    caller: Caller | undefined,
    role: string,
  ): void {
    const { id, method, requestId } = request;
    const limit = this.#limits?.get(alias);
    if (limit !== undefined && !this.#requests.join(request, limit))
      throw new ServiceError('busy', TOO_MANY_REQUESTS);
    const claims = this.#claims && caller !== undefined ? caller.claims : '';
    request.worker = this.#pool.submit(
      packRequest(id, method, alias, folder, name, query, headers, requestId, role, claims),
    );
  }
}
