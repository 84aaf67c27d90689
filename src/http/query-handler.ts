/** What workers run in a database: scripts (`/_QUERIES`) and listings (`/databases`, `/schemas`, `/tables`). */
import type { Caller } from '../auth/caller.js';
import { BODY_METHODS, packRequest } from '../batch.js';
import { ServiceError } from '../errors.js';
import { fieldValue } from '../header-list.js';
import type { QueryPool } from '../pool/query-pool.js';
import type { ExposeSettings, HttpSettings } from '../settings.js';
import type { BodyBudget } from './body-budget.js';
import { ContentDecoder } from './content-decoder.js';
import type { Gate } from './gate.js';
import type { ConcurrencyLimit, HttpRequest } from './http-request.js';
import type { ScriptPath } from './path.js';
import type { RequestTable } from './request-table.js';
import type { KeepBody, Route, TokenRule } from './route.js';
import { ScriptBodies } from './script-bodies.js';

const TOO_MANY_REQUESTS = 'too many requests wait for this database already';

/** Largest body of a script (bytes), where `http.max_body` is not less: JavaScript has no longer text of its bytes in hex. */
const LARGEST_BODY = 255 << 20;

const BODY_DISCARDED = '199 - "the script uses no body: it was discarded"';

export class QueryHandler {
  readonly #settings: HttpSettings;
  readonly #requests: RequestTable;
  readonly #pool: QueryPool;
  readonly #gate: Gate;
  readonly #decoder: ContentDecoder;
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
    budget: BodyBudget,
  ) {
    const { databases, claims, claimSettings, access } = settings.worker;
    this.#settings = settings;
    this.#requests = requests;
    this.#pool = pool;
    this.#gate = gate;
    this.#decoder = new ContentDecoder(budget);
    this.#aliases = new Set(databases.map(({ alias }) => alias));
    this.#claims = claims || claimSettings || access.restrict;
    if (this.#aliases.size > 1)
      this.#limits = new Map(Array.from(this.#aliases, (alias) => [alias, { size: 0 }]));
  }

  script(path: ScriptPath, token: TokenRule): Route {
    const { alias = this.#settings.worker.defaultAlias, folder, name } = path;
    const registered = this.#aliases.has(alias);
    const bodies = new ScriptBodies(() => this.#pool.bodyMethods(alias, folder, name));
    const admit = (caller: Caller | undefined, request: HttpRequest): string => {
      this.#gate.checkOrigin(request);
      return this.#gate.admitToScript(caller, request.method, alias, folder, name);
    };
    const keep: KeepBody = (caller, request) => {
      try {
        admit(caller, request);
      } catch {
        return false; // the error is the response once the request is dispatched
      }
      return registered && bodies.uses(request.method);
    };
    const limit = Math.min(this.#settings.maxBody, LARGEST_BODY);
    return {
      token,
      body: { methods: BODY_METHODS, limit, keep },
      handle: (request, caller) => {
        const role = admit(caller, request);
        if (!registered)
          throw new ServiceError('unknown_database', `database not registered: ${alias}`);
        const { headers } = request;
        if (request.body === undefined || fieldValue(headers, 'content-encoding') === '')
          this.#submit(request, alias, folder, name, headers, caller, role);
        else this.#decode(request, limit, alias, folder, name, caller, role);
      },
    };
  }

  /** Decodes the body of a request by its Content-Encoding before it is submitted. */
  #decode(
    request: HttpRequest,
    limit: number,
    alias: string,
    folder: string,
    name: string,
    caller: Caller | undefined,
    role: string,
  ): void {
    const { headers } = request;
    const coding = fieldValue(headers, 'content-encoding');
    this.#requests.whenDone(request, this.#decoder.decode(request, coding, limit), (body) => {
      request.body = body;
      this.#submit(request, alias, folder, name, headers, caller, role);
    });
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
    const body = request.bodyDiscarded ? null : request.body?.toString('latin1');
    request.body = undefined; // the worker has it
    if (body === null && this.#settings.worker.debug)
      request.response.addHeader('Warning', BODY_DISCARDED);
    const claims = this.#claims && caller !== undefined ? caller.claims : '';
    request.worker = this.#pool.submit(
      packRequest(id, method, alias, folder, name, query, headers, requestId, role, claims, body),
    );
  }
}
