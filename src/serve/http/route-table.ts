/**
 * Finds the route of a raw path: one map lookup for fixed paths and for those that were resolved before. Only paths of
 * scripts and plugin functions are remembered, up to a bound; the path rules bound their length. Paths that scripts declare
 * are not: each value of a parameter makes another one.
 */
import type { HttpSettings } from '../../messages/settings.js';
import type { DocsAccess } from './routes/docs-access.js';
import type { DocsPage } from './routes/docs-page.js';
import type { HealthHandler } from './routes/health-handler.js';
import { LOGIN_PATH, loginBody } from './routes/login-handler.js';
import type { McpHandler } from './routes/mcp-handler.js';
import type { OpenApiHandler } from './routes/openapi-handler.js';
import {
  parsePath,
  type DeclaredPath,
  type OptionalRoutes,
  type ScriptPath,
} from './transport/path.js';
import type { PluginHandler } from './routes/plugin-handler.js';
import type { QueryHandler } from './routes/query-handler.js';
import type { RegistryHandler } from './routes/registry-handler.js';
import type { ResourceMetadata } from './routes/resource-metadata.js';
import { RouteName } from './transport/route-name.js';
import type { Route, TokenRule } from './transport/route.js';
import type { SqlHandler } from './routes/sql-handler.js';
import type { UnmatchedHandler } from './routes/unmatched-handler.js';
import { Whitelist } from '../../access/whitelist.js';

/** Undefined where a route is not configured. */
export interface Handlers {
  readonly page: DocsPage | undefined;
  readonly metrics: Route | undefined;
  readonly health: HealthHandler;
  readonly login: Route | undefined;
  readonly queries: QueryHandler;
  readonly mcp: McpHandler | undefined;
  readonly metadata: ResourceMetadata | undefined;
  readonly plugins: PluginHandler;
  readonly registry: RegistryHandler | undefined;
  readonly openapi: OpenApiHandler | undefined;
  readonly access: DocsAccess | undefined;
  readonly sql: SqlHandler | undefined;
  readonly unmatched: UnmatchedHandler;
}

const REMEMBERED = 4_096;

/** What requests for the metadata of the MCP endpoint are counted under. */
const METADATA = new RouteName('/.well-known/oauth-protected-resource');

/** What requests to the registry and for OpenAPI documents are counted under. */
const REGISTRY = new RouteName('/_QUERIES/registry');
const OPENAPI = new RouteName('/_QUERIES/openapi.json');
const SQL = new RouteName('/_docs/sql');

export class RouteTable {
  readonly #context: string;
  readonly #defaultAlias: string;
  readonly #whitelist: Whitelist;
  readonly #handlers: Handlers;
  readonly #optional: OptionalRoutes;
  readonly #fixed: ReadonlyMap<string, Route>;
  /** The fixed routes, and those remembered. */
  #known: Map<string, Route>;

  constructor({ context, auth, maxBody, worker }: HttpSettings, handlers: Handlers) {
    this.#context = context;
    this.#defaultAlias = worker.defaultAlias;
    this.#whitelist = new Whitelist(auth?.whitelist ?? []);
    this.#handlers = handlers;
    const { page, metrics, access, health, login, queries, mcp, metadata, unmatched } = handlers;
    const { registry, openapi, sql } = handlers;
    this.#optional = {
      registry: registry !== undefined,
      openapi: openapi !== undefined,
      sql: sql !== undefined,
    };
    const token = (path: string): TokenRule => this.#token(path);
    const routes: Readonly<Record<string, Route>> = {
      ...page?.routes,
      ...access?.routes,
      ...(metrics && { '/metrics': metrics }),
      '/_health': health.live,
      '/_ready': health.ready,
      [LOGIN_PATH]: login ?? {
        ...unmatched.notFound(token(LOGIN_PATH)),
        body: loginBody(maxBody, false),
      },
      '/_mcp':
        mcp?.route(token('/_mcp'), metadata?.challenge) ?? unmatched.notFound(token('/_mcp')),
      '/databases': queries.listing('databases', token('/databases')),
      '/schemas': queries.listing('schemas', token('/schemas')),
      '/tables': queries.listing('tables', token('/tables')),
    };
    this.#fixed = new Map([
      ...Object.entries(routes).map(([path, route]): [string, Route] => [
        `${context}${path}`,
        { ...route, name: new RouteName(path) },
      ]),
      ...Object.entries(metadata?.routes ?? {}).map(([path, route]): [string, Route] => [
        path,
        { ...route, name: METADATA },
      ]),
    ]);
    this.#known = new Map(this.#fixed);
  }

  resolve(raw: string): Route {
    return this.#known.get(raw) ?? this.#parse(raw);
  }

  #parse(raw: string): Route {
    const { queries, plugins, registry, openapi, sql, unmatched } = this.#handlers;
    const path = parsePath(raw, this.#context, this.#optional);
    switch (path.kind) {
      case 'script': {
        const route = queries.script(path, this.#callToken(path));
        return this.#remember(raw, {
          ...route,
          name: new RouteName('/_QUERIES', this.#scriptName(path)),
        });
      }
      case 'plugin': {
        const name = `/_PLUGIN/${path.file}/${path.func}`;
        const route = plugins.route(path, this.#token(name));
        return this.#remember(raw, { ...route, name: new RouteName('/_PLUGIN', name) });
      }
      case 'registry':
        return { ...registry!.route(path), name: REGISTRY };
      case 'openapi':
        return { ...openapi!.route(path), name: OPENAPI };
      case 'declared':
        return queries.declared(path.segments, this.#callToken(path));
      case 'sql':
        return { ...sql!.route(path.call, this.#callToken(path.call)), name: SQL };
      case 'not_found':
        return unmatched.notFound(this.#rawToken(raw));
      case 'rejected':
        return unmatched.rejected(path.code);
      case 'redirect':
        return unmatched.redirect(path.location);
    }
  }

  /** The path of a script in metrics: with the alias of its database unless that is the default one. */
  #scriptName({ alias, folder, name }: ScriptPath): string {
    const database = alias === undefined || alias === this.#defaultAlias ? '' : `${alias}/`;
    return `/_QUERIES/${database}${folder}/${name}`;
  }

  /** `path` is decoded and without the context. */
  #token(path: string): TokenRule {
    return this.#whitelist.has(path) ? 'optional' : 'required';
  }

  #callToken(path: ScriptPath | DeclaredPath): TokenRule {
    if (path.kind === 'declared') return this.#segmentsToken(path.segments);
    const segments = [path.alias, path.folder, path.name].filter((part) => part !== undefined);
    return this.#token(`/_QUERIES/${segments.join('/')}`);
  }

  /** Encoded paths that name neither script nor function always need a token. */
  #rawToken(raw: string): TokenRule {
    const { length } = this.#context;
    if (raw.includes('%') || !raw.startsWith(`${this.#context}/`)) return 'required';
    return this.#token(raw.slice(length));
  }

  /** The segments of the path as the whitelist sees them: decoded, but for slashes, which would make it another path. */
  #segmentsToken(segments: readonly string[]): TokenRule {
    try {
      const path = segments.map((one) =>
        one.includes('%') ? decodeURIComponent(one).replaceAll('/', '%2F') : one,
      );
      return this.#token(`/${path.join('/')}`);
    } catch {
      return 'required';
    }
  }

  #remember(raw: string, route: Route): Route {
    // Starting over is cheap: paths in use are resolved again at once.
    if (this.#known.size === REMEMBERED) this.#known = new Map(this.#fixed);
    this.#known.set(raw, route);
    return route;
  }
}
