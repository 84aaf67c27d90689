/**
 * From a request that was read to its answer, or to the worker that answers it. What may be seen is settled in order:
 * path, token, permission, and only then whether there is such a database; so that nobody learns of what he may not use.
 */
import type { Caller } from '../auth/caller.js';
import type { Login } from '../auth/login.js';
import type { DatabaseHealth } from '../pool/database-health.js';
import type { QueryPool } from '../pool/query-pool.js';
import { JSON_BODY, NO_BODY, packRequest, type FrontEndSettings } from '../protocol.js';
import type { BodyBudget } from './body-budget.js';
import { Cors } from './cors.js';
import type { Crowd, Exchange } from './exchange.js';
import type { ExchangeTable } from './exchange-table.js';
import type { Admitted, Gate } from './gate.js';
import { healthAnswer } from './health.js';
import { McpDoor } from './mcp-door.js';
import { encodeOdd } from './path.js';
import type { PluginDoor } from './plugin-door.js';
import { RegistryDoor } from './registry-door.js';
import {
  RouteTable,
  type PluginRoute,
  type QueryRoute,
  type RegistryRoute,
  type Route,
} from './route-table.js';
import { Whitelist } from './whitelist.js';

/** What a dispatcher works with. */
export interface DispatcherParts {
  readonly exchanges: ExchangeTable;
  readonly pool: QueryPool;
  readonly health: DatabaseHealth;
  readonly gate: Gate;
  /** Undefined where nobody can log in. */
  readonly login: Login | undefined;
  readonly budget: BodyBudget;
  readonly plugins: PluginDoor;
}

/** What a request has besides its exchange. */
export interface RequestParts {
  /** As QueryRequest.headers. */
  readonly headers: string;
  readonly authorization: string;
  readonly origin: string;
  /** Of the client, to count its logins by; empty where that is not asked for. */
  readonly address: string;
  /** Undefined when it has none, or nobody wants it. */
  readonly body: Buffer | undefined;
  readonly ifMatch: string;
  readonly ifNoneMatch: string;
  /** Who sent it, where that was asked before its body had come. */
  readonly identified?: Promise<Caller | undefined>;
}

/** What a body is kept for. */
export interface BodyUse {
  /** Most bytes. */
  readonly limit: number;
  /** Whether nobody has to be known. */
  readonly open: boolean;
  /** Whether a caller may have it used. */
  readonly allows: (caller: Caller | undefined) => boolean;
}

export class Dispatcher {
  readonly #settings: FrontEndSettings;
  readonly #parts: DispatcherParts;
  readonly #routes: RouteTable;
  readonly #registry: RegistryDoor;
  /** Undefined where it is not offered. */
  readonly #mcp: McpDoor | undefined;
  readonly #cors: Cors | undefined;
  /** Whether workers have a use for a caller's claims. */
  readonly #claims: boolean;
  /** The requests to each database; undefined when there is only one. */
  readonly #crowds: ReadonlyMap<string, Crowd> | undefined;

  constructor(settings: FrontEndSettings, parts: DispatcherParts) {
    const { worker, auth, cors, context, registry } = settings;
    this.#settings = settings;
    this.#parts = parts;
    const aliases = new Set(worker.databases.map((database) => database.alias));
    const whitelist = new Whitelist(auth?.whitelist ?? []);
    this.#routes = new RouteTable(
      context,
      aliases,
      worker.defaultAlias,
      whitelist,
      registry !== undefined,
    );
    this.#registry = new RegistryDoor(context, parts);
    if (worker.mcp !== undefined) this.#mcp = new McpDoor(settings.mcpOrigins, parts);
    if (aliases.size > 1)
      this.#crowds = new Map(Array.from(aliases, (one) => [one, { size: 0, sending: 0 }]));
    this.#cors = cors && new Cors(cors);
    this.#claims = worker.claims || worker.claimSettings || worker.access.restrict;
  }

  /** crossOrigin gives an answer the header lines that a request from an origin gets. */
  crossOrigin(exchange: Exchange, origin: string): void {
    if (this.#cors !== undefined) exchange.lines += this.#cors.answerLines(origin);
  }

  /** answersPreflight answers a preflight of an origin; false where there is nothing to answer by. */
  answersPreflight(exchange: Exchange, origin: string): boolean {
    if (this.#cors === undefined || exchange.method !== 'OPTIONS' || origin === '') return false;
    exchange.lines = this.#cors.preflightLines(origin);
    this.#parts.exchanges.answer(exchange, 204, NO_BODY, '');
    return true;
  }

  /** logsIn tells whether a request is one for a token, so that it matters who sent it. */
  logsIn({ method, path }: Exchange): boolean {
    return method === 'POST' && this.#routes.resolve(path).kind === 'login';
  }

  /** useOfBody is what a request's body is kept for, if its sender may; undefined when it is of no use. */
  useOfBody({ method, path }: Exchange): BodyUse | undefined {
    const route = this.#routes.resolve(path);
    if (route.kind === 'plugin')
      return { limit: this.#settings.maxBody, open: route.open, allows: () => true };
    if (route.kind === 'mcp' && this.#mcp !== undefined && method === 'POST')
      return { limit: MESSAGE, open: this.#routes.isOpen(path), allows: () => true };
    if (route.kind !== 'registry' || (method !== 'POST' && method !== 'PUT')) return undefined;
    const { gate } = this.#parts;
    return { limit: REGISTRY_BODY, open: false, allows: (caller) => gate.registers(caller) };
  }

  /** identify finds out who sent a request whose body is of use; as Gate.identify. */
  identify(
    { authorization }: RequestParts,
    { open }: BodyUse,
  ): Caller | undefined | Promise<Caller | undefined> {
    return this.#parts.gate.identify(authorization, open);
  }

  /** tellsHealth answers a question for the service's health, which costs nothing; false for any other. */
  tellsHealth(exchange: Exchange): boolean {
    const { kind } = this.#routes.resolve(exchange.path);
    if (kind === 'health') this.#tellHealth(exchange, [this.#settings.worker.defaultAlias], false);
    else if (kind === 'ready')
      this.#tellHealth(exchange, this.#settings.ready, this.#parts.exchanges.closing);
    else return false;
    return true;
  }

  /** dispatch answers a request or sends it to a worker. Throws ServiceError. */
  dispatch(exchange: Exchange, request: RequestParts): void {
    const route = this.#routes.resolve(exchange.path);
    switch (route.kind) {
      case 'redirect':
        this.#redirect(exchange, route.location);
        break;
      case 'health':
      case 'ready':
        this.tellsHealth(exchange);
        break;
      case 'login':
        if (this.#parts.login === undefined) this.#identify(exchange, request, NOT_FOUND);
        else this.#logIn(exchange, request, this.#parts.login);
        break;
      case 'mcp':
        this.#identify(exchange, request, this.#mcp === undefined ? NOT_FOUND : route);
        break;
      case 'absent':
        this.#parts.exchanges.refuse(exchange, 'not_found');
        break;
      case 'refused':
        if (route.code === 'not_found') this.#identify(exchange, request, route);
        else this.#parts.exchanges.refuse(exchange, route.code);
        break;
      case 'listing':
      case 'query':
      case 'plugin':
      case 'registry':
        this.#identify(exchange, request, route);
        break;
    }
  }

  /** Goes on with a request once it is known who sent it. */
  #identify(exchange: Exchange, request: RequestParts, route: Guarded): void {
    const { gate, exchanges } = this.#parts;
    const { authorization } = request;
    if (authorization !== '') exchange.lines += NO_STORE;
    const caller =
      request.identified ?? gate.identify(authorization, this.#isOpen(exchange, route));
    if (!(caller instanceof Promise)) {
      this.#admit(exchange, request, route, caller);
      return;
    }
    caller
      .then((known) => {
        if (exchanges.waiting(exchange.id) === exchange)
          this.#admit(exchange, request, route, known);
      })
      .catch((error: unknown) => this.#failed(exchange, error));
  }

  /** Whether a route needs no token. */
  #isOpen({ path }: Exchange, route: Guarded): boolean {
    if (route.kind === 'registry') return false; // whatever the configuration opens
    return route.kind === 'query' || route.kind === 'plugin'
      ? route.open
      : this.#routes.isOpen(path);
  }

  #admit(
    exchange: Exchange,
    request: RequestParts,
    route: Guarded,
    caller: Caller | undefined,
  ): void {
    const { gate, exchanges } = this.#parts;
    if (caller !== undefined) exchange.user = caller.name;
    if (route.kind === 'refused') exchanges.refuse(exchange, route.code);
    else if (route.kind === 'plugin') this.#parts.plugins.pass(exchange, request, route, caller);
    else if (route.kind === 'registry') this.#registry.pass(exchange, request, route, caller);
    else if (route.kind === 'mcp')
      this.#mcp!.pass(exchange, request, gate.admit(caller, exchange.method, undefined));
    else if (route.kind === 'listing') {
      const admitted = gate.admit(caller, exchange.method, undefined);
      const { expose, worker } = this.#settings;
      if (!expose[route.name]) exchanges.refuse(exchange, 'listing_hidden');
      else if (this.#parts.exchanges.isMethod(exchange, ['GET', 'HEAD']))
        this.#submit(exchange, worker.defaultAlias, '', route.name, '', admitted);
    } else {
      const admitted = gate.admit(caller, exchange.method, route);
      const { alias, folder, name, registered } = route;
      if (registered) this.#submit(exchange, alias, folder, name, request.headers, admitted);
      else exchanges.refuse(exchange, 'unknown_database', `database not registered: ${alias}`);
    }
  }

  #submit(
    exchange: Exchange,
    alias: string,
    folder: string,
    name: string,
    headers: string,
    { caller, role }: Admitted,
  ): void {
    const { id, method, query, requestId } = exchange;
    const crowd = this.#crowds?.get(alias);
    if (crowd !== undefined && !this.#parts.exchanges.join(exchange, crowd)) {
      this.#parts.exchanges.refuse(exchange, 'busy', CROWDED);
      return;
    }
    const claims = this.#claims && caller !== undefined ? caller.claims : '';
    exchange.worker = this.#parts.pool.submit(
      packRequest(id, method, alias, folder, name, query, headers, requestId, role, claims),
    );
  }

  #logIn(exchange: Exchange, request: RequestParts, login: Login): void {
    if (!this.#parts.exchanges.isMethod(exchange, ['POST'])) return;
    const { exchanges } = this.#parts;
    exchange.lines += NO_STORE;
    login
      .answer(request)
      .then((body) => {
        if (exchanges.waiting(exchange.id) === exchange)
          exchanges.answer(exchange, 200, JSON_BODY, body);
      })
      .catch((error: unknown) => this.#failed(exchange, error));
  }

  /** A request that failed some time after it was dispatched: it may be over by then. */
  #failed(exchange: Exchange, error: unknown): void {
    const { exchanges } = this.#parts;
    if (exchanges.waiting(exchange.id) === exchange) exchanges.failed(exchange, error);
  }

  #redirect(exchange: Exchange, location: string): void {
    const { method, query } = exchange;
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308;
    exchange.addHeader('Location', location + (query === '' ? '' : `?${encodeOdd(query)}`));
    this.#parts.exchanges.answer(exchange, status, NO_BODY, '');
  }

  #tellHealth(exchange: Exchange, wanted: readonly string[], closing: boolean): void {
    if (!this.#parts.exchanges.isMethod(exchange, ['GET', 'HEAD'])) return;
    const { status, body } = healthAnswer(this.#parts.health.states, wanted, closing);
    this.#parts.exchanges.answer(exchange, status, JSON_BODY, body);
  }
}

/** What needs a token, unless its path is open. */
type Guarded =
  | QueryRoute
  | PluginRoute
  | RegistryRoute
  | Extract<Route, { readonly kind: 'listing' | 'mcp' | 'refused' }>;

const NOT_FOUND: Guarded = { kind: 'refused', code: 'not_found' };

/** Largest body that the registry takes (bytes), whatever may be sent where it is discarded. */
const REGISTRY_BODY = 1 << 20;

/** Longest message to `/_mcp` (bytes). */
const MESSAGE = 1 << 20;

const CROWDED = 'too many requests wait for this database already';

const NO_STORE = '\r\nCache-Control: no-store';
