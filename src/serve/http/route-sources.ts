/**
 * The routes of an HTTP process: all sources that its settings enable. A new handler of requests has its line here.
 */
import { RouteTable } from './route-table.js';
import { docsAccess } from './routes/docs-access.js';
import { docsPage } from './routes/docs-page.js';
import type { HandlerParts } from './routes/handler-parts.js';
import { healthSource } from './routes/health-handler.js';
import { LOGIN_PATH, loginSource } from './routes/login-handler.js';
import { MCP_PATH } from './routes/mcp-handler.js';
import { metricsSource } from './routes/metrics-handler.js';
import { openApiSource } from './routes/openapi-handler.js';
import { QueryHandler } from './routes/query-handler.js';
import { registrySource } from './routes/registry-handler.js';
import { SqlHandler } from './routes/sql-handler.js';
import { UnmatchedHandler } from './routes/unmatched-handler.js';
import type { Route, RouteSource } from './transport/route.js';

/** routeTable puts the sources together with `others`, which do more than serve routes. */
export function routeTable(
  parts: HandlerParts,
  others: readonly (RouteSource | undefined)[],
): RouteTable {
  const { settings, requests, gate, supervised } = parts;
  const { context, metricsToken, worker } = settings;
  const { debug, mcp } = worker;
  const unmatched = new UnmatchedHandler(requests);
  const disabled = (path: string): Route => unmatched.notFound(gate.tokenFor(path));
  const queries = new QueryHandler(parts);
  const page = settings.page && docsPage(requests, settings.page.atRoot);
  const isSqlShown = page !== undefined && (debug || settings.registry !== undefined);
  const sql = isSqlShown ? new SqlHandler(queries, gate, debug) : undefined;
  const sources = [
    ...others,
    queries,
    healthSource(parts),
    loginSource(parts, disabled(LOGIN_PATH)),
    page,
    page && worker.openapi && docsAccess(parts, sql),
    sql,
    worker.openapi && openApiSource(parts),
    settings.registry && registrySource(parts),
    mcp ? undefined : { routes: { [MCP_PATH]: disabled(MCP_PATH) } },
    metricsToken === undefined
      ? undefined
      : metricsSource(metricsToken, requests, supervised.scrapes),
  ];
  const enabled = sources.filter((source) => source !== undefined);
  return new RouteTable(context, enabled, gate, unmatched);
}
