/**
 * A route: what the requests to one path have in common. It is resolved once for a request (route-table.ts), from all sources
 * of routes (route-sources.ts).
 */
import type { Caller } from '../../../access/caller.js';
import type { RouteMetrics } from './route-metrics.js';
import type { HttpRequest } from './http-request.js';
import type { NamedPath } from './path.js';

/** A source of routes: the paths that a handler owns, each with its token rule and its body rule. */
export interface RouteSource {
  /** By path, without the context. */
  readonly routes?: Readonly<Record<string, Route>>;
  /** By path, whatever the context is. */
  readonly rooted?: Readonly<Record<string, Route>>;
  /** Makes the routes of paths with names in them, by their kind. */
  readonly named?: NamedRoutes;
}

export type NamedRoutes = {
  readonly [Kind in NamedPath['kind']]?: (path: Extract<NamedPath, { kind: Kind }>) => Route;
};

export interface Route {
  readonly token: TokenRule;
  /** What its requests are counted under; undefined: as without a route. */
  readonly name?: RouteMetrics;
  /** Undefined: bodies are read up to `http.max_body` and discarded. */
  readonly body?: BodyRule;
  /** Whether requests are handled even while the queue is full. */
  readonly exempt?: boolean;
  /** See HttpRequest.challenge. */
  readonly challenge?: HttpRequest['challenge'];
  /** handle responds to a request, or passes it to its backend. Throws ServiceError. */
  readonly handle: (request: HttpRequest, caller: Caller | undefined) => void;
}

/** Whether requests need a token. Where it is ignored, callers are not identified. */
export type TokenRule = 'ignored' | 'optional' | 'required';

export interface BodyRule {
  /** Methods that have such a body; undefined: all. */
  readonly methods: readonly string[] | undefined;
  /** Largest body (bytes). */
  readonly limit: number;
  /** The largest that `keep` may allow (bytes), where that is more. */
  readonly most?: number;
  /** Whether bodies are kept. A function decides by caller and request; bodies that it does not accept are discarded. */
  readonly keep: boolean | KeepBody;
}

/** Whether a body is kept; with another limit than its rule has (bytes). */
export type Kept = boolean | { readonly kept: boolean; readonly limit: number };

/** May throw or reject: the body is discarded then, and the handler reports the failure. */
export type KeepBody = (caller: Caller | undefined, request: HttpRequest) => Kept | Promise<Kept>;
