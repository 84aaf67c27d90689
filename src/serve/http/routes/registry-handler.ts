/**
 * `/_QUERIES/registry`: passes requests of the registrars named in the configuration to a worker. Rejects all others
 * before anything depends on whether a script exists.
 */
import type { Caller } from '../../../access/caller.js';
import { FINAL, JSON_BODY, NO_BODY } from '../../../messages/batch.js';
import { ServiceError } from '../../../base/errors.js';
import type { QueryPool } from '../../pool/query-pool.js';
import type { HttpSettings } from '../../../messages/http-settings.js';
import type { RegistryResponse } from '../../../messages/tasks.js';
import type { BodyBudget } from '../transport/body-budget.js';
import type { Gate } from '../transport/gate.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { RegistryPath } from '../transport/path.js';
import type { RequestTable } from '../transport/request-table.js';
import { RouteName } from '../transport/route-name.js';
import type { BodyRule, Route, RouteSource } from '../transport/route.js';

/** Largest body (bytes), where `http.max_body` is not less. */
const REGISTRY_BODY = 1 << 20;

/** What its requests are counted under. */
const NAME = new RouteName('/_QUERIES/registry');

const LIST_METHODS = ['GET', 'HEAD', 'POST'];
const SCRIPT_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

export class RegistryHandler implements RouteSource {
  readonly #context: string;
  readonly #aliases: ReadonlySet<string>;
  readonly #requests: RequestTable;
  readonly #pool: QueryPool;
  readonly #gate: Gate;
  readonly #budget: BodyBudget;
  readonly #body: BodyRule;

  constructor(
    { context, maxBody, worker }: HttpSettings,
    requests: RequestTable,
    pool: QueryPool,
    gate: Gate,
    budget: BodyBudget,
  ) {
    this.#context = context;
    this.#aliases = new Set(worker.databases.map(({ alias }) => alias));
    this.#requests = requests;
    this.#pool = pool;
    this.#gate = gate;
    this.#budget = budget;
    this.#body = {
      methods: ['POST', 'PUT'],
      limit: Math.min(maxBody, REGISTRY_BODY),
      keep: (caller) => gate.isRegistrar(caller),
    };
  }

  readonly named = {
    /** A token is required even where `jwt.whitelist` matches the path. */
    registry: (path: RegistryPath): Route => ({
      token: 'required',
      name: NAME,
      body: this.#body,
      handle: (request, caller) => this.#handle(request, path, caller),
    }),
  };

  /** Throws ServiceError: `token_missing`, `registration_denied`, `unknown_database`, `busy`. */
  #handle(request: HttpRequest, { alias, script }: RegistryPath, caller: Caller | undefined): void {
    if (caller === undefined) throw new ServiceError('token_missing');
    if (!this.#gate.isRegistrar(caller)) throw new ServiceError('registration_denied');
    if (alias !== undefined && !this.#aliases.has(alias))
      throw new ServiceError('unknown_database', `database not registered: ${alias}`);
    const methods = script === undefined ? LIST_METHODS : SCRIPT_METHODS;
    if (!this.#requests.allowsMethod(request, methods)) return;
    const { method, query, requestId, ifMatch, ifNoneMatch, body } = request;
    const size = body?.byteLength ?? 0;
    // Counted a second time: the worker has a copy for as long as it takes, even if the client disconnects.
    if (!this.#budget.reserve(size, true)) throw new ServiceError('busy');
    const response = this.#pool
      .ask('registry', {
        method,
        database: alias,
        script,
        query,
        body: body && new Uint8Array(body), // a Buffer may be part of a larger one, all of which would be sent
        ifMatch,
        ifNoneMatch,
        user: caller.name,
        requestId,
      })
      .finally(() => this.#budget.release(size));
    this.#requests.whenDone(request, response, (result) => this.#respond(request, result));
  }

  #respond(request: HttpRequest, { status, body, headers, final }: RegistryResponse): void {
    for (const [name, value] of headers)
      request.response.addHeader(name, name === 'Location' ? this.#context + value : value);
    const type = (body === '' ? NO_BODY : JSON_BODY) + (final ? FINAL : 0);
    this.#requests.respond(request, status, type, body);
  }
}
