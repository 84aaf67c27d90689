/**
 * The routes of an HTTP process: all sources that its settings enable. A new handler of requests has its line here.
 */
import { Login } from '../../access/logins/login.js';
import { Passwords } from '../../access/logins/password.js';
import { TokenIssuer } from '../../access/tokens/token-issuer.js';
import type { HttpSettings } from '../../messages/http-settings.js';
import type { Logger } from '../../observe/log.js';
import type { DatabaseHealth } from '../pool/database-health.js';
import type { QueryPool } from '../pool/query-pool.js';
import { storedUsers } from '../pool/stored-users.js';
import type { Supervised } from './http-server.js';
import { RouteTable } from './route-table.js';
import { DocsAccess } from './routes/docs-access.js';
import { DocsPage } from './routes/docs-page.js';
import { HealthHandler } from './routes/health-handler.js';
import { LOGIN_PATH, loginSource } from './routes/login-handler.js';
import { MCP_PATH } from './routes/mcp-handler.js';
import { metricsSource } from './routes/metrics-handler.js';
import { OpenApiHandler } from './routes/openapi-handler.js';
import { QueryHandler } from './routes/query-handler.js';
import { RegistryHandler } from './routes/registry-handler.js';
import { ScriptRoutes } from './routes/script-routes.js';
import { SqlHandler } from './routes/sql-handler.js';
import { UnmatchedHandler } from './routes/unmatched-handler.js';
import type { BodyBudget } from './transport/body-budget.js';
import type { Gate } from './transport/gate.js';
import type { RequestTable } from './transport/request-table.js';
import type { Route, RouteSource } from './transport/route.js';

/** What the handlers of requests use. */
export interface HandlerParts {
  readonly settings: HttpSettings;
  readonly requests: RequestTable;
  readonly pool: QueryPool;
  readonly gate: Gate;
  readonly budget: BodyBudget;
  readonly health: DatabaseHealth;
  readonly supervised: Supervised;
  readonly log: Logger;
  /** The sources that do more than serve routes, where they are enabled. */
  readonly others: readonly (RouteSource | undefined)[];
}

/** routeTable puts the sources together. */
export function routeTable(parts: HandlerParts): RouteTable {
  const { settings, requests, pool, gate, budget, health, supervised, others } = parts;
  const { context, metricsToken, worker } = settings;
  const { debug, mcp } = worker;
  const unmatched = new UnmatchedHandler(requests);
  const queries = new QueryHandler(
    settings,
    requests,
    pool,
    gate,
    budget,
    new ScriptRoutes((version) => pool.ask('routes', version)),
  );
  const registry = settings.registry && new RegistryHandler(settings, requests, pool, gate, budget);
  const openapi = worker.openapi && new OpenApiHandler(settings, requests, pool, gate);
  const page = settings.page && new DocsPage(requests, settings.page.atRoot);
  const isSqlShown = page !== undefined && (debug || registry !== undefined);
  const sql = isSqlShown ? new SqlHandler(queries, gate, debug) : undefined;
  const disabled = (path: string): Route => unmatched.notFound(gate.tokenFor(path));
  const sources = [
    ...others,
    queries,
    new HealthHandler(settings, requests, health, pool.proofs),
    loginSource(settings, requests, loginOf(parts), disabled(LOGIN_PATH)),
    page,
    page && openapi && new DocsAccess(requests, pool, gate, sql),
    sql,
    openapi,
    registry,
    mcp === undefined ? { routes: { [MCP_PATH]: disabled(MCP_PATH) } } : undefined,
    metricsToken === undefined
      ? undefined
      : metricsSource(metricsToken, requests, supervised.scrapes),
  ];
  const enabled = sources.filter((source) => source !== undefined);
  return new RouteTable(context, enabled, gate, unmatched);
}

/** Undefined when logins are disabled. */
function loginOf({ settings, pool, supervised, log }: HandlerParts): Login | undefined {
  const { auth } = settings;
  if (auth?.login === undefined) return undefined;
  const tokens = new TokenIssuer(auth.tokens);
  const users = storedUsers(pool);
  return new Login(auth.login, users, supervised.attempts, new Passwords(), tokens, log);
}
