/**
 * The HTTP side of a front end: takes requests, checks what can be checked without a script, hands the rest to query
 * workers and answers. Refuses bad paths, ambiguous framing, targets and bodies over their limits, databases that are
 * not configured, and more requests at a time than configured. A request has one time limit for everything.
 */
import uWS, {
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
} from 'uWebSockets.js';
import { ServiceError, errorBody, type ErrorCode } from '../errors.js';
import type { Logger } from '../log.js';
import { DatabaseHealth } from '../pool/database-health.js';
import { QueryPool } from '../pool/query-pool.js';
import {
  ANSWER_STRIDE,
  JSON_BODY,
  XML_BODY,
  type Answers,
  type FrontEndSettings,
} from '../protocol.js';
import { Exchange, NO_BODY } from './exchange.js';
import { encodeOdd } from './path.js';
import { healthAnswer } from './health.js';
import { readHead } from './request-head.js';
import { nextRequestId } from './request-id.js';
import { RouteTable, type QueryRoute, type Route } from './route-table.js';

/** Longest request target, path and query string together (bytes). */
const MAX_TARGET = 65_536;

/** How long idle connections may still bring a request while draining (milliseconds), to be told to close. */
const LINGER = 500;

/** Numbers of requests wrap here, so that they stay small integers. */
const MAX_ID = 0x3fff_ffff;

/** HttpServer serves one listening socket, shared with the other front ends. */
export class HttpServer {
  readonly #settings: FrontEndSettings;
  readonly #log: Logger;
  readonly #routes: RouteTable;
  readonly #pool: QueryPool;
  readonly #health: DatabaseHealth;
  readonly #app: TemplatedApp;
  readonly #sweeper: NodeJS.Timeout;
  /** Requests without an answer, oldest first. */
  readonly #pending = new Map<number, Exchange>();
  /** Answers that are still being sent. */
  readonly #sending = new Set<Exchange>();
  #lastId = 0;
  #connections = 0;
  #socket: us_listen_socket | undefined;
  #draining = false;

  /** `workerFile` is another query worker, for tests. */
  constructor(settings: FrontEndSettings, log: Logger, workerFile?: string) {
    this.#settings = settings;
    this.#log = log;
    const aliases = new Set(settings.worker.databases.map((database) => database.alias));
    this.#routes = new RouteTable(settings.context, aliases, settings.worker.defaultAlias);
    this.#pool = new QueryPool(
      settings.threads,
      settings.worker,
      {
        answered: (answers) => this.#answered(answers),
        lost: (id, code) => this.#lost(id, code),
      },
      log,
      workerFile,
    );
    this.#health = new DatabaseHealth(aliases, () => this.#pool.probe());
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(250, settings.timeout / 4));
    this.#app = uWS
      .App()
      .filter((_res, change) => {
        this.#connections += Number(change);
      })
      .any('/*', (res, req) => this.#handle(res, req));
  }

  /** listen opens the socket and returns the port. Throws when the address cannot be had. */
  listen(): number {
    const { host, port } = this.#settings;
    this.#app.listen(host, port, (socket) => {
      if (socket !== false) this.#socket = socket;
    });
    if (this.#socket === undefined) throw new Error(`cannot listen on ${host} port ${port}`);
    return uWS.us_socket_local_port(this.#socket);
  }

  /**
   * drain takes no new connections, finishes what is in flight within the grace period, closes everything and returns
   * how many requests were cut off.
   */
  async drain(): Promise<number> {
    this.#draining = true;
    if (this.#socket !== undefined) uWS.us_listen_socket_close(this.#socket);
    this.#socket = undefined;
    const began = performance.now();
    for (;;) {
      const elapsed = performance.now() - began;
      const busy = this.#pending.size + this.#sending.size;
      if (busy === 0 && (this.#connections === 0 || elapsed >= LINGER)) break;
      if (elapsed >= this.#settings.grace) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const cut = this.#pending.size + this.#sending.size;
    for (const exchange of this.#pending.values()) this.#refuse(exchange, 'timeout');
    clearInterval(this.#sweeper);
    this.#health.stop();
    // What was just abandoned still has to reach the workers, which cancel it in the database.
    if (cut > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    this.#app.close();
    await this.#pool.close();
    return cut;
  }

  #handle(res: HttpResponse, req: HttpRequest): void {
    const head = readHead(req);
    const query = (req.getQuery() as string | undefined) ?? '';
    this.#lastId = this.#lastId === MAX_ID ? 1 : this.#lastId + 1;
    const exchange = new Exchange(
      this.#lastId,
      res,
      req.getCaseSensitiveMethod(),
      req.getUrl(),
      query,
      head.requestId === '' ? nextRequestId() : head.requestId,
      performance.now(),
    );
    const { packed, bodyLength, sound } = head;
    const full = this.#pending.size >= this.#settings.queue;
    this.#pending.set(exchange.id, exchange);
    res.onAborted(() => this.#aborted(exchange));
    try {
      if (!sound) {
        exchange.close = true;
        this.#refuse(exchange, 'invalid_request');
      } else if (exchange.path.length + query.length >= MAX_TARGET) {
        exchange.close = bodyLength !== 0;
        this.#refuse(exchange, 'uri_too_long');
      } else if (bodyLength > this.#settings.maxBody) {
        exchange.close = true;
        this.#refuse(exchange, 'body_too_large');
      } else if (full) {
        exchange.close = bodyLength !== 0;
        this.#refuse(exchange, 'busy');
      } else if (bodyLength === 0) this.#dispatch(exchange, packed);
      else this.#receive(exchange, packed);
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  /** Reads a body to its end before anything is done for the request. */
  #receive(exchange: Exchange, headers: string): void {
    let received = 0;
    exchange.res.onData((chunk, last) => {
      if (!this.#pending.has(exchange.id)) return;
      received += chunk.byteLength;
      try {
        if (received > this.#settings.maxBody) {
          exchange.close = true;
          this.#refuse(exchange, 'body_too_large');
        } else if (last) this.#dispatch(exchange, headers);
      } catch (error) {
        this.#failed(exchange, error);
      }
    });
  }

  #dispatch(exchange: Exchange, headers: string): void {
    const route = this.#routes.resolve(exchange.path);
    if (route.kind === 'query') this.#query(exchange, route, headers);
    else this.#other(exchange, route);
  }

  #query(exchange: Exchange, route: QueryRoute, headers: string): void {
    const { alias, folder, name } = route;
    if (!route.registered) {
      this.#refuse(exchange, 'unknown_database', `database not registered: ${alias}`);
      return;
    }
    const { id, method, query, requestId } = exchange;
    exchange.worker = this.#pool.submit(id, method, alias, folder, name, query, headers, requestId);
  }

  #other(exchange: Exchange, route: Exclude<Route, QueryRoute>): void {
    const { method, query } = exchange;
    switch (route.kind) {
      case 'refused':
        this.#refuse(exchange, route.code);
        return;
      case 'redirect':
        exchange.extraName = 'Location';
        exchange.extraValue = route.location + (query === '' ? '' : `?${encodeOdd(query)}`);
        this.#answer(exchange, method === 'GET' || method === 'HEAD' ? 301 : 308, NO_BODY, '');
        return;
    }
    if (method !== 'GET' && method !== 'HEAD') {
      exchange.extraName = 'Allow';
      exchange.extraValue = 'GET, HEAD, OPTIONS';
      if (method === 'OPTIONS') this.#answer(exchange, 204, NO_BODY, '');
      else this.#refuse(exchange, 'method_not_allowed');
      return;
    }
    const { ready, worker } = this.#settings;
    const wanted = route.kind === 'health' ? [worker.defaultAlias] : ready;
    const { status, body } = healthAnswer(
      this.#health.states,
      wanted,
      route.kind === 'ready' && this.#draining,
    );
    this.#answer(exchange, status, JSON_BODY, body);
  }

  #refuse(exchange: Exchange, code: ErrorCode, message?: string): void {
    const { status, message: text } = new ServiceError(code, message);
    const { xml } = exchange;
    this.#answer(exchange, status, xml ? XML_BODY : JSON_BODY, errorBody(text, code, xml));
    this.#abandon(exchange);
  }

  #answer(exchange: Exchange, status: number, type: number, body: string): void {
    this.#pending.delete(exchange.id);
    if (this.#draining) exchange.close = true;
    const sent = (): void => void this.#sending.delete(exchange);
    if (!exchange.answer(status, type, body, sent)) this.#sending.add(exchange);
    if (this.#settings.accessLog) {
      const { method, path, requestId, started } = exchange;
      const ms = Math.round((performance.now() - started) * 10) / 10;
      this.#log.info({ method, path, status, ms, requestId }, 'request');
    }
  }

  #answered(answers: Answers): void {
    for (let i = 0; i < answers.length; i += ANSWER_STRIDE) {
      const exchange = this.#pending.get(answers[i] as number);
      if (exchange === undefined) continue; // too late: timed out or gone
      const allow = answers[i + 3] as string;
      if (allow !== '') {
        exchange.extraName = 'Allow';
        exchange.extraValue = allow;
      }
      try {
        this.#answer(
          exchange,
          answers[i + 1] as number,
          answers[i + 2] as number,
          answers[i + 4] as string,
        );
      } catch (error) {
        this.#failed(exchange, error);
      }
    }
  }

  #lost(id: number, code: 'worker_lost' | 'internal'): void {
    const exchange = this.#pending.get(id);
    if (exchange === undefined) return;
    exchange.worker = -1;
    this.#refuse(exchange, code);
  }

  #aborted(exchange: Exchange): void {
    this.#sending.delete(exchange);
    if (this.#pending.delete(exchange.id)) this.#abandon(exchange);
  }

  /** Tells the worker, if one has it, that nobody waits any more. */
  #abandon(exchange: Exchange): void {
    if (exchange.worker >= 0) this.#pool.abandon(exchange.worker, exchange.id);
  }

  /** An error of ours: the caller learns that there was one, the log what it was. */
  #failed(exchange: Exchange, error: unknown): void {
    this.#log.error({ err: error, requestId: exchange.requestId }, 'a request failed');
    if (this.#pending.has(exchange.id)) this.#refuse(exchange, 'internal');
  }

  /** Answers what is over its time: the oldest come first, and all have the same limit. */
  #sweep(): void {
    const deadline = performance.now() - this.#settings.timeout;
    for (const exchange of this.#pending.values()) {
      if (exchange.started > deadline) break;
      exchange.close = exchange.worker < 0; // its body is still on the way
      this.#refuse(exchange, 'timeout');
    }
  }
}
