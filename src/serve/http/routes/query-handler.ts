/**
 * What workers run in a database: scripts (`/_QUERIES`, and paths that scripts declare) and listings (`/databases`,
 * `/schemas`, `/tables`).
 */
import type { Caller } from '../../../access/caller.js';
import { BODY_METHODS, LISTING, packRequest, SCRIPT } from '../../../messages/batch.js';
import { ServiceError } from '../../../base/errors.js';
import { fieldValue } from '../../../base/headers.js';
import type { QueryPool } from '../../pool/query-pool.js';
import type { ExposeSettings } from '../../../messages/access-settings.js';
import type { HttpSettings } from '../../../messages/http-settings.js';
import type { RouteScript } from '../../../messages/tasks.js';
import { ContentDecoder } from './content-decoder.js';
import type { Gate } from '../transport/gate.js';
import type { ConcurrencyLimit, HttpRequest } from '../transport/http-request.js';
import type { DeclaredPath, ScriptPath } from '../transport/path.js';
import type { HandlerParts } from './handler-parts.js';
import { withPathValues } from './path-values.js';
import type { RequestTable } from '../transport/request-table.js';
import { isTraced } from '../transport/request-trace.js';
import { RouteMetrics } from '../transport/route-metrics.js';
import type { BodyRule, KeepBody, Kept, Route, RouteSource } from '../transport/route.js';
import type { OtherMethods, RouteTrie } from './route-trie.js';
import { ScriptBodies, type BodyOf } from './script-bodies.js';
import { ScriptRoutes } from './script-routes.js';

const TOO_MANY_REQUESTS = 'too many requests wait for this database already';

/** Largest body of a script (bytes): PostgreSQL takes no message of 1 GiB. */
const LARGEST_BODY = 1023 << 20;

/** Bodies from this size on (bytes) travel beside the requests: as part of the text they would be copied several times. */
const BESIDE = 64 << 10;

const BODY_DISCARDED = '199 - "the script uses no body: it was discarded"';

export class QueryHandler implements RouteSource {
  readonly #settings: HttpSettings;
  readonly #requests: RequestTable;
  readonly #pool: QueryPool;
  readonly #gate: Gate;
  readonly #decoder: ContentDecoder;
  readonly #routes: ScriptRoutes;
  /** By the script of a declared path. */
  readonly #bodies = new WeakMap<RouteScript, ScriptBodies>();
  readonly #bodyLimit: number;
  readonly #aliases: ReadonlySet<string>;
  /** Whether workers use a caller's claims. */
  readonly #claims: boolean;
  /** One limit for each database; undefined when there is only one database. */
  readonly #limits: ReadonlyMap<string, ConcurrencyLimit> | undefined;

  constructor({ settings, requests, pool, gate, budget }: HandlerParts) {
    const { databases, claims, claimSettings } = settings.worker;
    this.#settings = settings;
    this.#requests = requests;
    this.#pool = pool;
    this.#gate = gate;
    this.#decoder = new ContentDecoder(budget);
    this.#routes = new ScriptRoutes((version) => pool.ask('routes', version));
    this.#bodyLimit = Math.min(settings.maxBody, LARGEST_BODY);
    this.#aliases = new Set(databases.map(({ alias }) => alias));
    this.#claims = claims || claimSettings;
    if (this.#aliases.size > 1)
      this.#limits = new Map(Array.from(this.#aliases, (alias) => [alias, { size: 0 }]));
  }

  get routes(): Readonly<Record<string, Route>> {
    return {
      '/databases': this.#listing('databases'),
      '/schemas': this.#listing('schemas'),
      '/tables': this.#listing('tables'),
    };
  }

  readonly named = {
    script: (path: ScriptPath): Route => this.script(path),
    declared: (path: DeclaredPath): Route => this.declared(path),
  };

  /** `kind` is what a worker is asked for: SCRIPT or SQL. */
  script(path: ScriptPath, kind = SCRIPT): Route {
    const { alias = this.#settings.worker.defaultAlias, folder, name } = path;
    const script: RouteScript = { alias, folder, name };
    const registered = this.#aliases.has(alias);
    const bodies = this.#bodiesOf(script);
    const keep: KeepBody = (caller, request) => {
      this.#admit(request, caller, script);
      return registered && this.#kept(bodies.of(request.method));
    };
    return {
      token: this.#gate.tokenForCall(path),
      name: new RouteMetrics('/_QUERIES', this.#nameOf(path)),
      body: this.#bodyRule(keep),
      handle: (request, caller) => {
        const role = this.#admit(request, caller, script);
        if (!registered)
          throw new ServiceError('unknown_database', `database not registered: ${alias}`);
        this.#run(request, kind, script, request.query, caller, role);
      },
    };
  }

  /** The path of a script in metrics: with the alias of its database unless that is the default one. */
  #nameOf({ alias, folder, name }: ScriptPath): string {
    const isDefault = alias === undefined || alias === this.#settings.worker.defaultAlias;
    return `/_QUERIES/${isDefault ? '' : `${alias}/`}${folder}/${name}`;
  }

  /** declared serves a path that a script may declare. Other paths are `not_found`. */
  declared(path: DeclaredPath, kind = SCRIPT): Route {
    const { segments } = path;
    const keep: KeepBody = (caller, request) => {
      const routes = this.#routes.current(performance.now());
      if (!(routes instanceof Promise)) return this.#keeps(request, caller, routes, segments);
      return routes.then((loaded) => this.#keeps(request, caller, loaded, segments));
    };
    return {
      token: this.#gate.tokenForCall(path),
      body: this.#bodyRule(keep),
      handle: (request, caller) => {
        const routes = this.#routes.current(performance.now());
        if (!(routes instanceof Promise)) this.#route(request, kind, caller, routes, segments);
        else
          this.#requests.whenDone(request, routes, (loaded) =>
            this.#route(request, kind, caller, loaded, segments),
          );
      },
    };
  }

  /** Whether the script of a declared path uses the body of a request. Throws ServiceError. */
  #keeps(
    request: HttpRequest,
    caller: Caller | undefined,
    routes: RouteTrie,
    segments: readonly string[],
  ): Kept | Promise<Kept> {
    const { method } = request;
    const found = routes.find(method, segments);
    if (found === undefined || 'methods' in found) return false;
    const { script } = found;
    this.#admit(request, caller, script);
    let bodies = this.#bodies.get(script);
    if (bodies === undefined) this.#bodies.set(script, (bodies = this.#bodiesOf(script)));
    return this.#kept(bodies.of(method));
  }

  #bodyRule(keep: KeepBody): BodyRule {
    return { methods: BODY_METHODS, limit: this.#bodyLimit, most: LARGEST_BODY, keep };
  }

  #kept(body: BodyOf | Promise<BodyOf>): Kept | Promise<Kept> {
    if (body instanceof Promise) return body.then((known) => this.#kept(known));
    const { kept, limit = this.#bodyLimit } = body;
    return { kept, limit: Math.min(limit, LARGEST_BODY) };
  }

  #bodiesOf(script: RouteScript): ScriptBodies {
    return new ScriptBodies(() => this.#pool.ask('scriptBodies', script));
  }

  /** Gives the role of the caller in the database. Throws ServiceError. */
  #admit(
    request: HttpRequest,
    caller: Caller | undefined,
    { alias, folder, name }: RouteScript,
  ): string {
    this.#gate.checkOrigin(request);
    return this.#gate.admitToScript(caller, request.method, alias, folder, name);
  }

  #route(
    request: HttpRequest,
    kind: number,
    caller: Caller | undefined,
    routes: RouteTrie,
    segments: readonly string[],
  ): void {
    const { method } = request;
    const found = routes.find(method, segments);
    if (found === undefined) {
      this.#requests.reject(request, 'not_found');
      return;
    }
    if ('methods' in found) {
      this.#gate.checkOrigin(request);
      this.#admitToAny(caller, method, found);
      this.#requests.allowsMethod(request, found.methods);
      return;
    }
    const { script, values, name } = found;
    if (kind === SCRIPT) request.routeMetrics = name;
    const role = this.#admit(request, caller, script);
    const query = withPathValues(request.query, values);
    this.#run(request, kind, script, query, caller, role, true);
  }

  /** Submits a request; its body is decoded before, if it has a Content-Encoding. */
  #run(
    request: HttpRequest,
    kind: number,
    script: RouteScript,
    query: string,
    caller: Caller | undefined,
    role: string,
    declared = false,
  ): void {
    const { body, headers } = request;
    const coding =
      body === undefined || body.byteLength === 0 ? '' : fieldValue(headers, 'content-encoding');
    if (coding === '') this.#submit(request, kind, script, query, headers, caller, role, declared);
    else {
      const decoded = this.#decoder.decode(request, coding, request.bodyLimit);
      this.#requests.whenDone(request, decoded, (body) => {
        request.body = body;
        this.#submit(request, kind, script, query, headers, caller, role, declared);
      });
    }
  }

  /** Throws unless the caller may run one of the scripts with the method. */
  #admitToAny(caller: Caller | undefined, method: string, { scripts }: OtherMethods): void {
    const failures: unknown[] = [];
    for (const { alias, folder, name } of scripts)
      try {
        this.#gate.admitToScript(caller, method, alias, folder, name);
        return;
      } catch (error) {
        failures.push(error);
      }
    throw failures[0];
  }

  #listing(name: keyof ExposeSettings): Route {
    const { expose, worker } = this.#settings;
    return {
      token: this.#gate.tokenFor(`/${name}`),
      handle: (request, caller) => {
        const role = this.#gate.admit(caller);
        if (!expose[name]) throw new ServiceError('listing_hidden');
        if (!this.#requests.allowsMethod(request, ['GET', 'HEAD'])) return;
        const trace = fieldValue(request.headers, 'traceparent');
        const headers = trace === '' ? '' : `traceparent\n${trace}`;
        const listing = { alias: worker.defaultAlias, folder: caller?.name ?? '', name };
        this.#submit(request, LISTING, listing, request.query, headers, caller, role);
      },
    };
  }

  #submit(
    request: HttpRequest,
    kind: number,
    { alias, folder, name }: RouteScript,
    query: string,
    headers: string,
    caller: Caller | undefined,
    role: string,
    declared = false,
  ): void {
    const { id, method, requestId } = request;
    const limit = this.#limits?.get(alias);
    if (limit !== undefined && !this.#requests.join(request, limit))
      throw new ServiceError('busy', TOO_MANY_REQUESTS);
    const sent = request.body;
    const beside = sent !== undefined && sent.byteLength >= BESIDE ? sent : undefined;
    const body = request.bodyDiscarded ? null : (beside ?? sent?.toString('latin1'));
    request.body = undefined; // the worker has it
    if (body === null && this.#settings.worker.debug)
      request.response.addHeader('Warning', BODY_DISCARDED);
    const claims = this.#claims && caller !== undefined ? caller.claims : '';
    const traced = isTraced(request);
    // prettier-ignore
    request.worker = this.#pool.submit(
      packRequest(id, method, alias, folder, name, query, headers, requestId, role, claims, body, traced, declared, kind),
      beside,
    );
  }
}
