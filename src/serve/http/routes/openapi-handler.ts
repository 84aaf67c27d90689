/**
 * `/_QUERIES/openapi.json` and `/_QUERIES/client.ts`, also after an alias: passes requests to a worker, with the caller's
 * name and rights. No caller is refused; the response has only the operations that the caller may run.
 */
import { JSON_BODY, NO_BODY } from '../../../messages/batch.js';
import { ServiceError } from '../../../base/errors.js';
import type { OpenApiForm, OpenApiResponse } from '../../../messages/tasks.js';
import type { HandlerParts } from './handler-parts.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { OpenApiPath } from '../transport/path.js';
import type { RequestTable } from '../transport/request-table.js';
import { NO_STORE, TYPED } from '../transport/response-head.js';
import { RouteMetrics } from '../transport/route-metrics.js';
import type { Route, RouteSource } from '../transport/route.js';

/** What its requests are counted under. */
const NAME = new RouteMetrics('/_QUERIES/openapi.json');

/** openApiSource serves the documents of the databases. Its routes throw ServiceError: `unknown_database`, `busy`. */
export function openApiSource({ settings, requests, pool, gate }: HandlerParts): RouteSource {
  const aliases = new Set(settings.worker.databases.map(({ alias }) => alias));
  const openapi = ({ alias, form }: OpenApiPath): Route => ({
    token: 'optional',
    name: NAME,
    handle: (request, caller) => {
      if (alias !== undefined && !aliases.has(alias))
        throw new ServiceError('unknown_database', `database not registered: ${alias}`);
      if (!requests.allowsMethod(request, ['GET', 'HEAD'])) return;
      const reader = gate.readerOf(caller);
      const { ifNoneMatch } = request;
      const response = pool.ask('openapi', { form, database: alias, reader, ifNoneMatch });
      requests.whenDone(request, response, (result) => respond(requests, request, form, result));
    },
  });
  return { named: { openapi } };
}

/** A document may be cached, unlike other responses to requests with a token, but only by the client. */
function respond(
  requests: RequestTable,
  request: HttpRequest,
  form: OpenApiForm,
  { text, etag }: OpenApiResponse,
): void {
  const { response } = request;
  response.lines = response.lines.replace(NO_STORE, '');
  response.addHeader('Cache-Control', 'private, no-cache');
  response.addHeader('Vary', 'Authorization');
  response.addHeader('ETag', etag);
  if (text === undefined) requests.respond(request, 304, NO_BODY, '');
  else if (form === 'json') requests.respond(request, 200, JSON_BODY, text);
  else {
    response.addHeader('Content-Type', 'text/plain; charset=utf-8');
    requests.respond(request, 200, TYPED, text);
  }
}
