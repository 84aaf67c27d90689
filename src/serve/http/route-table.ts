/**
 * Finds the route of a raw path: one map lookup for fixed paths and for those that were resolved before. Only paths of
 * scripts and plugin functions are remembered, up to a bound; the path rules bound their length. Paths that scripts declare
 * are not: each value of a parameter makes another one.
 */
import type { UnmatchedHandler } from './routes/unmatched-handler.js';
import type { Gate } from './transport/gate.js';
import { parsePath, type NamedPath, type OptionalRoutes } from './transport/path.js';
import { RouteMetrics } from './transport/route-metrics.js';
import type { NamedRoutes, Route, RouteSource, TokenRule } from './transport/route.js';

const REMEMBERED = 4_096;

export class RouteTable {
  readonly #context: string;
  readonly #gate: Gate;
  readonly #unmatched: UnmatchedHandler;
  readonly #named: NamedRoutes;
  readonly #optional: OptionalRoutes;
  readonly #fixed: ReadonlyMap<string, Route>;
  /** The fixed routes, and those remembered. */
  #known: Map<string, Route>;

  constructor(
    context: string,
    sources: readonly RouteSource[],
    gate: Gate,
    unmatched: UnmatchedHandler,
  ) {
    this.#context = context;
    this.#gate = gate;
    this.#unmatched = unmatched;
    this.#named = Object.assign({}, ...sources.map(({ named }) => named)) as NamedRoutes;
    const { registry, openapi, sql } = this.#named;
    this.#optional = {
      registry: registry !== undefined,
      openapi: openapi !== undefined,
      sql: sql !== undefined,
    };
    this.#fixed = new Map(
      sources.flatMap(({ routes = {}, rooted = {} }) => [
        ...Object.entries(routes).map(([path, route]): [string, Route] => [
          `${context}${path}`,
          { ...route, name: new RouteMetrics(path) },
        ]),
        ...Object.entries(rooted),
      ]),
    );
    this.#known = new Map(this.#fixed);
  }

  resolve(raw: string): Route {
    return this.#known.get(raw) ?? this.#parse(raw);
  }

  #parse(raw: string): Route {
    const path = parsePath(raw, this.#context, this.#optional);
    switch (path.kind) {
      case 'not_found':
        return this.#unmatched.notFound(this.#rawToken(raw));
      case 'rejected':
        return this.#unmatched.rejected(path.code);
      case 'redirect':
        return this.#unmatched.redirect(path.location);
      case 'script':
      case 'plugin':
        return this.#remember(raw, this.#route(path));
      default:
        return this.#route(path);
    }
  }

  #route(path: NamedPath): Route {
    return this.#named[path.kind]!(path as never);
  }

  /** Encoded paths that name neither script nor function always need a token. */
  #rawToken(raw: string): TokenRule {
    const { length } = this.#context;
    if (raw.includes('%') || !raw.startsWith(`${this.#context}/`)) return 'required';
    return this.#gate.tokenFor(raw.slice(length));
  }

  #remember(raw: string, route: Route): Route {
    // Starting over is cheap: paths in use are resolved again at once.
    if (this.#known.size === REMEMBERED) this.#known = new Map(this.#fixed);
    this.#known.set(raw, route);
    return route;
  }
}
