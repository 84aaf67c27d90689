/**
 * `/_QUERIES/openapi.json` and `/_QUERIES/client.ts`, also after an alias: passes requests to a worker, with the caller's
 * name and rights. No caller is refused; the response has only the operations that the caller may run.
 */
import type { Caller } from '../../../access/caller.js';
import { JSON_BODY, NO_BODY } from '../../../messages/batch.js';
import { ServiceError } from '../../../base/errors.js';
import type { QueryPool } from '../../pool/query-pool.js';
import type { HttpSettings } from '../../../messages/http-settings.js';
import type { OpenApiForm, OpenApiResponse } from '../../../messages/tasks.js';
import type { Gate } from '../transport/gate.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { OpenApiPath } from '../transport/path.js';
import type { RequestTable } from '../transport/request-table.js';
import { NO_STORE, TYPED } from '../transport/response-head.js';
import { RouteName } from '../transport/route-name.js';
import type { Route, RouteSource } from '../transport/route.js';

/** What its requests are counted under. */
const NAME = new RouteName('/_QUERIES/openapi.json');

export class OpenApiHandler implements RouteSource {
  readonly #aliases: ReadonlySet<string>;
  readonly #requests: RequestTable;
  readonly #pool: QueryPool;
  readonly #gate: Gate;

  constructor({ worker }: HttpSettings, requests: RequestTable, pool: QueryPool, gate: Gate) {
    this.#aliases = new Set(worker.databases.map(({ alias }) => alias));
    this.#requests = requests;
    this.#pool = pool;
    this.#gate = gate;
  }

  readonly named = {
    openapi: (path: OpenApiPath): Route => ({
      token: 'optional',
      name: NAME,
      handle: (request, caller) => this.#handle(request, path, caller),
    }),
  };

  /** Throws ServiceError: `unknown_database`, `busy`. */
  #handle(request: HttpRequest, { alias, form }: OpenApiPath, caller: Caller | undefined): void {
    if (alias !== undefined && !this.#aliases.has(alias))
      throw new ServiceError('unknown_database', `database not registered: ${alias}`);
    if (!this.#requests.allowsMethod(request, ['GET', 'HEAD'])) return;
    const reader = this.#gate.readerOf(caller);
    const { ifNoneMatch } = request;
    const response = this.#pool.ask('openapi', { form, database: alias, reader, ifNoneMatch });
    this.#requests.whenDone(request, response, (result) => this.#respond(request, form, result));
  }

  /** A document may be cached, unlike other responses to requests with a token, but only by the client. */
  #respond(request: HttpRequest, form: OpenApiForm, { text, etag }: OpenApiResponse): void {
    const { response } = request;
    response.lines = response.lines.replace(NO_STORE, '');
    response.addHeader('Cache-Control', 'private, no-cache');
    response.addHeader('Vary', 'Authorization');
    response.addHeader('ETag', etag);
    if (text === undefined) this.#requests.respond(request, 304, NO_BODY, '');
    else if (form === 'json') this.#requests.respond(request, 200, JSON_BODY, text);
    else {
      response.addHeader('Content-Type', 'text/plain; charset=utf-8');
      this.#requests.respond(request, 200, TYPED, text);
    }
  }
}
