/**
 * Takes each request from its headers to the handler of its route. Rejects ambiguous framing, targets over their limit,
 * more requests at a time than configured and, in development mode, requests that do not name this machine. Callers are
 * identified before anything depends on what exists.
 */
import type { HttpRequest as UwsRequest, HttpResponse } from 'uWebSockets.js';
import type { Caller } from '../../access/caller.js';
import { NO_BODY } from '../../messages/batch.js';
import type { HttpSettings } from '../../messages/http-settings.js';
import type { BodyBudget } from './transport/body-budget.js';
import { BodyReader, type Identified } from './transport/body-reader.js';
import { Cors } from './transport/cors.js';
import type { Gate } from './transport/gate.js';
import type { HttpRequest } from './transport/http-request.js';
import { refusalOf } from '../../base/this-machine.js';
import { LOGIN_PATH } from './routes/login-handler.js';
import { readHead, type RequestHead } from './transport/request-head.js';
import type { RequestTable } from './transport/request-table.js';
import { NO_STORE } from './transport/response-head.js';
import type { RouteTable } from './route-table.js';
import type { Route } from './transport/route.js';

/** Longest request target: path and query string together (bytes). */
const MAX_TARGET = 65_536;

export class Dispatcher {
  readonly #queue: number;
  readonly #requests: RequestTable;
  readonly #gate: Gate;
  readonly #routes: RouteTable;
  readonly #bodies: BodyReader;
  readonly #cors: Cors | undefined;
  readonly #loginPath: string;
  readonly #development: boolean;

  constructor(
    { queue, maxBody, cors, context, development, worker }: HttpSettings,
    requests: RequestTable,
    gate: Gate,
    routes: RouteTable,
    budget: BodyBudget,
  ) {
    this.#queue = queue;
    this.#requests = requests;
    this.#gate = gate;
    this.#routes = routes;
    this.#bodies = new BodyReader(maxBody, requests, gate, budget, this.#dispatch.bind(this));
    this.#cors = cors && new Cors(cors, worker.serverTiming);
    this.#loginPath = context + LOGIN_PATH;
    this.#development = development;
  }

  /** handle is the handler of uWebSockets.js: `req` is valid only until it returns. */
  handle(res: HttpResponse, req: UwsRequest): void {
    const requests = this.#requests;
    let request: HttpRequest | undefined;
    try {
      const head = readHead(req);
      const full = requests.pending >= this.#queue;
      request = requests.open(res, req, head);
      this.#begin(request, head, full);
    } catch (error) {
      if (request === undefined) requests.failUnopened(res, error);
      else requests.fail(request, error);
    }
    if (request !== undefined) request.response.parsing = false;
  }

  /** Takes a request to its route. `full` tells whether the queue was full before it. */
  #begin(request: HttpRequest, head: Readonly<RequestHead>, full: boolean): void {
    const { bodyLength, sound, preflight } = head;
    const requests = this.#requests;
    const { response } = request;
    response.lines = this.#commonLines(request);
    if (!sound) response.last = true;
    else if (bodyLength !== 0) this.#bodies.receive(request, bodyLength);
    const refusal = this.#development ? refusalOf(head) : undefined;
    if (!sound) requests.reject(request, 'invalid_request');
    else if (refusal !== undefined) requests.fail(request, refusal);
    else if (request.path.length + request.query.length > MAX_TARGET)
      requests.reject(request, 'uri_too_long');
    else if (!full && preflight && this.#isPreflight(request)) this.#respondToPreflight(request);
    else {
      const route = this.#routes.resolve(request.path);
      request.challenge = route.challenge;
      if (route.name !== undefined) request.routeMetrics = route.name;
      if (full) {
        if (route.exempt) route.handle(request, undefined);
        else requests.reject(request, 'busy');
      } else if (bodyLength !== 0) this.#bodies.read(request, route, bodyLength);
      else {
        this.#dispatch(request, route, undefined);
        requests.pauseReading(request);
      }
    }
  }

  /** Identifies the caller unless the route ignores tokens, and calls the handler. Throws ServiceError. */
  #dispatch(request: HttpRequest, route: Route, identified: Identified | undefined): void {
    if (route.token === 'ignored') {
      route.handle(request, undefined);
      return;
    }
    const caller =
      identified ?? this.#gate.identify(request.authorization, route.token === 'optional');
    if (caller === 'anonymous') pass(request, route, undefined);
    else if (caller instanceof Promise)
      this.#requests.whenDone(request, caller, (known) => pass(request, route, known));
    else pass(request, route, caller);
  }

  /** Header lines of every response to a request, whatever its status. */
  #commonLines({ authorization, path, origin }: HttpRequest): string {
    const lines = authorization !== '' || path === this.#loginPath ? NO_STORE : '';
    return this.#cors === undefined ? lines : lines + this.#cors.responseLines(origin);
  }

  #isPreflight({ method, origin }: HttpRequest): boolean {
    return this.#cors !== undefined && method === 'OPTIONS' && origin !== '';
  }

  #respondToPreflight(request: HttpRequest): void {
    const { response, origin } = request;
    const stored = !response.lines.startsWith(NO_STORE);
    response.lines = (stored ? '' : NO_STORE) + this.#cors!.preflightLines(origin);
    this.#requests.respond(request, 204, NO_BODY, '');
  }
}

function pass(request: HttpRequest, route: Route, caller: Caller | undefined): void {
  if (caller !== undefined) request.user = caller.name;
  route.handle(request, caller);
}
