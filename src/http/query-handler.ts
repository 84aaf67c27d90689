/** What workers run in a database: scripts (`/_QUERIES`) and listings (`/databases`, `/schemas`, `/tables`). */
import type { Caller } from '../auth/caller.js';
import { packRequest } from '../batch.js';
import { ServiceError } from '../errors.js';
import type { QueryPool } from '../pool/query-pool.js';
import type { ExposeSettings, HttpSettings } from '../settings.js';
import type { Gate } from './gate.js';
import type { ConcurrencyLimit, HttpRequest } from './http-request.js';
import type { ScriptPath } from './path.js';
import type { RequestTable } from './request-table.js';
import type { Route, TokenRule } from './route.js';

const TOO_MANY_REQUESTS = 'too many requests wait for this database already';

export class QueryHandler {
  readonly #settings: HttpSettings;
  readonly #requests: RequestTable;
  readonly #pool: QueryPool;
  readonly #gate: Gate;
  readonly #aliases: ReadonlySet<string>;
  /** Whether workers use a caller's claims. */
  readonly #claims: boolean;
  /** One limit for each database; undefined when there is only one database. */
  readonly #limits: ReadonlyMap<string, ConcurrencyLimit> | undefined;

  constructor(settings: HttpSettings, requests: RequestTable, pool: QueryPool, gate: Gate) {
    const { databases, claims, claimSettings, access } = settings.worker;
    this.#settings = settings;
    this.#requests = requests;
    this.#pool = pool;
    this.#gate = gate;
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
        this.#submit(request, alias, folder, name, request.headers, caller, role);
      },
    };
  }

  listing(name: keyof ExposeSettings, token: TokenRule): Route {
    const { expose, worker } = this.#settings;
    return {
      token,
      handle: (request, caller) => {
        const role = this.#gate.admit(caller);
        if (!expose[name]) throw new ServiceError('listing_hidden');
        if (this.#requests.allowsMethod(request, ['GET', 'HEAD']))
          this.#submit(request, worker.defaultAlias, '', name, '', caller, role);
      },
    };
  }

  #submit(
    request: HttpRequest,
    alias: string,
    folder: string,
    name: string,
    headers: string,
    caller: Caller | undefined,
    role: string,
  ): void {
    const { id, method, query, requestId } = request;
    const limit = this.#limits?.get(alias);
    if (limit !== undefined && !this.#requests.join(request, limit))
      throw new ServiceError('busy', TOO_MANY_REQUESTS);
    const claims = this.#claims && caller !== undefined ? caller.claims : '';
    request.worker = this.#pool.submit(
      packRequest(id, method, alias, folder, name, query, headers, requestId, role, claims),
    );
  }
}
