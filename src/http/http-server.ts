/**
 * The HTTP side of a front end: takes requests, checks what can be checked without a script, hands the rest to query
 * workers and passes their answers on. Refuses bad paths, ambiguous framing, targets and bodies over their limits,
 * databases that are not configured, and more requests at a time than configured.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import uWS, {
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
} from 'uWebSockets.js';
import type { Logger } from '../log.js';
import { releaseBuffer } from '../native/mailbox.js';
import { DatabaseHealth } from '../pool/database-health.js';
import { QueryPool, type QueryResults } from '../pool/query-pool.js';
import { JSON_BODY, packRequest, type Connections, type FrontEndSettings } from '../protocol.js';
import { createApp } from './app.js';
import { NO_BODY, type Exchange } from './exchange.js';
import { ExchangeTable } from './exchange-table.js';
import { healthAnswer } from './health.js';
import { encodeOdd } from './path.js';
import { readHead } from './request-head.js';
import { nextRequestId } from './request-id.js';
import { RouteTable, type QueryRoute, type Route } from './route-table.js';

/** Longest request target: path and query string together (bytes). */
const MAX_TARGET = 65_536;

/** How long idle connections may still bring a request while draining (milliseconds), to be told to close. */
const LINGER = 500;

/** How long a body that is too large is still read (milliseconds) before the answer. */
const TOO_LARGE_LINGER = 1_000;

/** How long workers live on to cancel what the end of draining cut off (milliseconds). */
const CANCELLING = 400;

/** HttpServer serves one listening socket, which it shares with the other front ends. */
export class HttpServer {
  readonly #settings: FrontEndSettings;
  readonly #routes: RouteTable;
  readonly #pool: QueryPool;
  readonly #health: DatabaseHealth;
  readonly #exchanges: ExchangeTable;
  readonly #app: TemplatedApp;
  readonly #socket: us_listen_socket;
  #listening = true;
  #connections = 0;

  /**
   * Starts to listen; throws when the address cannot be had. `workerFile` is the program of the query workers, when it
   * is not the service's own.
   */
  constructor(settings: FrontEndSettings, log: Logger, workerFile?: string) {
    const { worker, threads, timeout, accessLog } = settings;
    this.#settings = settings;
    this.#app = createApp(settings.tls)
      .filter((_res, change) => {
        this.#connections += Number(change);
      })
      .any('/*', (res, req) => this.#handle(res, req));
    this.#socket = this.#listen(settings.port); // first: where it fails nothing else has begun
    const aliases = new Set(worker.databases.map((database) => database.alias));
    this.#routes = new RouteTable(settings.context, aliases, worker.defaultAlias);
    const results: QueryResults = {
      answered: this.#answered.bind(this),
      died: this.#died.bind(this),
    };
    this.#pool = new QueryPool(threads, worker, results, log, workerFile);
    this.#health = new DatabaseHealth(aliases, () => this.#pool.probe(), log);
    this.#exchanges = new ExchangeTable({
      capacity: settings.queue,
      timeout,
      accessLog,
      log,
      sending: (bytes) => this.#pool.sending(bytes),
      abandon: (number, id) => this.#pool.abandon(number, id),
    });
  }

  /** port is the one it listens on. */
  get port(): number {
    return uWS.us_socket_local_port(this.#socket);
  }

  /** allow sets how many connections each query thread may hold. */
  allow(connections: Connections): void {
    this.#pool.allow(connections);
  }

  /** connections is how many all query threads together hold or may hold; those that are too many go when idle. */
  connections(): Connections {
    return this.#pool.connections();
  }

  /** unlisten takes no new connections. */
  unlisten(): void {
    if (this.#listening) uWS.us_listen_socket_close(this.#socket);
    this.#listening = false;
  }

  /**
   * drain takes no new connections, finishes what is in flight within the grace period, closes everything and returns
   * how many requests were cut off.
   */
  async drain(): Promise<number> {
    const exchanges = this.#exchanges;
    this.unlisten();
    exchanges.closing = true;
    const began = performance.now();
    for (;;) {
      const elapsed = performance.now() - began;
      if (exchanges.busy === 0 && (this.#connections === 0 || elapsed >= LINGER)) break;
      if (elapsed >= this.#settings.grace) break;
      await sleep(20);
    }
    const cut = exchanges.close();
    this.#health.stop();
    // What was just abandoned still has to reach the workers, which cancel it in the database a little later.
    if (cut > 0) await sleep(CANCELLING);
    this.#app.close();
    await this.#pool.close();
    return cut;
  }

  #listen(port: number): us_listen_socket {
    const { host } = this.#settings;
    let opened: us_listen_socket | false = false;
    this.#app.listen(host, port, (socket) => {
      opened = socket;
    });
    if (opened === false) throw new Error(`cannot listen on ${host} port ${port}`);
    if (port !== 0) return opened;
    // uWebSockets.js shares only a port that it is given by number: have one picked, and open it anew.
    const picked = uWS.us_socket_local_port(opened);
    uWS.us_listen_socket_close(opened);
    return this.#listen(picked);
  }

  #handle(res: HttpResponse, req: HttpRequest): void {
    const { packed, requestId, bodyLength, sound } = readHead(req);
    const full = this.#exchanges.pending >= this.#settings.queue;
    const exchange = this.#exchanges.open(
      res,
      req.getCaseSensitiveMethod(),
      req.getUrl(),
      req.getQuery() || '', // undefined without a question mark, whatever its type says
      requestId === '' ? nextRequestId() : requestId,
    );
    try {
      exchange.close = bodyLength !== 0; // what is answered before the body was read
      if (!sound) {
        exchange.close = true;
        this.#exchanges.refuse(exchange, 'invalid_request');
      } else if (exchange.path.length + exchange.query.length > MAX_TARGET)
        this.#exchanges.refuse(exchange, 'uri_too_long');
      else if (full) this.#overloaded(exchange);
      else if (bodyLength === 0) this.#dispatch(exchange, packed);
      else this.#receive(exchange, packed, bodyLength > this.#settings.maxBody);
    } catch (error) {
      this.#exchanges.failed(exchange, error);
    }
  }

  /**
   * Reads a body to its end before anything is done for the request. One that is too large is read on for a moment:
   * most clients look for an answer only when they are done sending.
   */
  #receive(exchange: Exchange, headers: string, announcedTooLarge: boolean): void {
    const exchanges = this.#exchanges;
    let received = 0;
    let tooLarge: NodeJS.Timeout | undefined;
    const refuse = (): void => {
      clearTimeout(tooLarge);
      if (exchanges.waiting(exchange.id) !== undefined)
        exchanges.refuse(exchange, 'body_too_large');
    };
    if (announcedTooLarge) tooLarge = setTimeout(refuse, TOO_LARGE_LINGER);
    exchange.res.onData((chunk, last) => {
      if (exchanges.waiting(exchange.id) === undefined) return;
      received += chunk.byteLength;
      try {
        if (received > this.#settings.maxBody) tooLarge ??= setTimeout(refuse, TOO_LARGE_LINGER);
        if (!last) return;
        if (tooLarge !== undefined) refuse();
        else {
          exchange.close = false;
          this.#dispatch(exchange, headers);
        }
      } catch (error) {
        exchanges.failed(exchange, error);
      }
    });
  }

  /** More requests than configured: only the health of the service is still told, which costs nothing. */
  #overloaded(exchange: Exchange): void {
    const route = this.#routes.resolve(exchange.path);
    if (route.kind === 'health' || route.kind === 'ready') this.#other(exchange, route);
    else this.#exchanges.refuse(exchange, 'busy');
  }

  #dispatch(exchange: Exchange, headers: string): void {
    const route = this.#routes.resolve(exchange.path);
    if (route.kind === 'query') this.#query(exchange, route, headers);
    else this.#other(exchange, route);
  }

  #query(exchange: Exchange, route: QueryRoute, headers: string): void {
    const { alias, folder, name } = route;
    if (!route.registered) {
      const message = `database not registered: ${alias}`;
      this.#exchanges.refuse(exchange, 'unknown_database', message);
      return;
    }
    const { id, method, query, requestId } = exchange;
    exchange.worker = this.#pool.submit(
      packRequest(id, method, alias, folder, name, query, headers, requestId, '', ''),
    );
  }

  #other(exchange: Exchange, route: Exclude<Route, QueryRoute>): void {
    const { method, query } = exchange;
    switch (route.kind) {
      case 'refused':
        this.#exchanges.refuse(exchange, route.code);
        break;
      case 'redirect': {
        const status = method === 'GET' || method === 'HEAD' ? 301 : 308;
        exchange.extraName = 'Location';
        exchange.extraValue = route.location + (query === '' ? '' : `?${encodeOdd(query)}`);
        this.#exchanges.answer(exchange, status, NO_BODY, '');
        break;
      }
      case 'health':
        this.#tellHealth(exchange, [this.#settings.worker.defaultAlias], false);
        break;
      case 'ready':
        this.#tellHealth(exchange, this.#settings.ready, this.#exchanges.closing);
        break;
    }
  }

  #tellHealth(exchange: Exchange, wanted: readonly string[], closing: boolean): void {
    const { method } = exchange;
    if (method === 'GET' || method === 'HEAD') {
      const { status, body } = healthAnswer(this.#health.states, wanted, closing);
      this.#exchanges.answer(exchange, status, JSON_BODY, body);
      return;
    }
    exchange.extraName = 'Allow';
    exchange.extraValue = 'GET, HEAD, OPTIONS';
    if (method === 'OPTIONS') this.#exchanges.answer(exchange, 204, NO_BODY, '');
    else this.#exchanges.refuse(exchange, 'method_not_allowed');
  }

  /** Passes one answer on. */
  #answered(
    id: number,
    status: number,
    type: number,
    allow: string,
    body: string | ArrayBuffer,
  ): void {
    const exchange = this.#exchanges.waiting(id);
    if (exchange === undefined) {
      if (typeof body !== 'string') releaseBuffer(body);
      return; // too late: timed out or gone
    }
    if (allow !== '') {
      exchange.extraName = 'Allow';
      exchange.extraValue = allow;
    }
    try {
      this.#exchanges.answer(exchange, status, type, body);
    } catch (error) {
      this.#exchanges.failed(exchange, error);
    }
  }

  #died(worker: number, kept: ReadonlySet<number>): void {
    for (const exchange of this.#exchanges.pendingAt(worker)) {
      if (kept.has(exchange.id)) continue;
      exchange.worker = -1;
      this.#exchanges.refuse(exchange, 'worker_lost');
    }
  }
}
