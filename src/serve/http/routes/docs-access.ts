/**
 * `/_docs/access`: what the page may show its user besides an OpenAPI document: the databases whose scripts they may run, and
 * whether they may see the SQL of those.
 */
import { JSON_BODY } from '../../../messages/batch.js';
import type { HandlerParts } from './handler-parts.js';
import { setPrivate } from '../transport/response-head.js';
import type { Route, RouteSource } from '../transport/route.js';
import type { SqlHandler } from './sql-handler.js';

/** docsAccess shows no caller SQL without `sql`. */
export function docsAccess(
  { requests, pool, gate }: HandlerParts,
  sql: SqlHandler | undefined,
): RouteSource {
  const handle: Route['handle'] = (request, caller) => {
    setPrivate(request.response);
    if (!requests.allowsMethod(request, ['GET', 'HEAD'])) return;
    const shows = sql?.shows(caller) ?? false;
    requests.whenDone(request, pool.ask('databases', gate.readerOf(caller)), (databases) => {
      const body = JSON.stringify({ default: databases[0], databases, sql: shows });
      requests.respond(request, 200, JSON_BODY, body);
    });
  };
  return { routes: { '/_docs/access': { token: 'optional', handle } } };
}
