/**
 * The requests in flight: each is answered exactly once, whoever comes first of its worker, its time limit, an error
 * and a client that goes away. Late answers find nothing here and are dropped.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { ServiceError, errorBody, wantsXml, type ErrorCode } from '../errors.js';
import type { Logger } from '../log.js';
import { JSON_BODY, NO_BODY, XML_BODY } from '../protocol.js';
import { SlotTable } from '../slot-table.js';
import { Exchange, PLUGINS, type Body, type Crowd } from './exchange.js';

/** What the access log says of a request whose client went away before the answer (nginx's number for it). */
const CLIENT_GONE = 499;

export interface ExchangeTableOptions {
  /** Most requests without an answer; one more may be opened to be refused. */
  readonly capacity: number;
  /** A request's whole time (milliseconds); its client has as long again to take the answer. */
  readonly timeout: number;
  readonly accessLog: boolean;
  readonly log: Logger;
  /** Told how many bytes of answers are still being sent that no plugin gave, whenever that changes. */
  readonly sending: (bytes: number) => void;
  /** Called when nobody waits any more for a request that a worker has, or PLUGINS. */
  readonly abandon: (worker: number, id: number) => void;
}

/** ExchangeTable holds the requests of one front end from their first byte to the last one of their answer. */
export class ExchangeTable {
  /** Set once the connections are to end with their next answers. */
  closing = false;
  readonly #options: ExchangeTableOptions;
  readonly #sweeper: NodeJS.Timeout;
  /** Requests without an answer. */
  readonly #pending: SlotTable<Exchange>;
  /** Answers that are still being sent, with their length and when that began (performance.now), oldest first. */
  readonly #sending = new Map<Exchange, { readonly bytes: number; readonly began: number }>();
  #bytes = 0;

  constructor(options: ExchangeTableOptions) {
    this.#options = options;
    this.#pending = new SlotTable(options.capacity + 1);
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(250, options.timeout / 4));
  }

  /** pending is how many requests have no answer yet. */
  get pending(): number {
    return this.#pending.size;
  }

  /** busy is how many requests are not over: without an answer, or with one that is still being sent. */
  get busy(): number {
    return this.#pending.size + this.#sending.size;
  }

  /** open takes up a request. */
  open(
    res: HttpResponse,
    method: string,
    path: string,
    query: string,
    requestId: string,
  ): Exchange {
    const id = this.#pending.nextId();
    const now = performance.now();
    const exchange = new Exchange(id, res, method, path, query, requestId, now);
    this.#pending.put(exchange);
    res.onAborted(() => this.#aborted(exchange));
    return exchange;
  }

  /** waiting is the request of that number, unless it is answered or gone. */
  waiting(id: number): Exchange | undefined {
    return this.#pending.get(id);
  }

  /**
   * join counts a request among those to one database, or to plugins; false when they are more than the places that are
   * free. So what does not answer never takes all places: however many crowds there are, as many are left as each has.
   */
  join(exchange: Exchange, crowd: Crowd): boolean {
    if (crowd.size > this.#options.capacity - this.#pending.size) return false;
    crowd.size++;
    exchange.crowd = crowd;
    return true;
  }

  /** pendingAt lists the requests that a worker has. */
  pendingAt(worker: number): Exchange[] {
    return this.#pending.values().filter((exchange) => exchange.worker === worker);
  }

  /** answer answers a request that waits. */
  answer(exchange: Exchange, status: number, type: number, body: Body): void {
    this.#remove(exchange);
    if (this.closing) exchange.close = true;
    if (!exchange.answer(status, type, body, () => this.#sent(exchange))) {
      const bytes = typeof body === 'string' ? body.length : body.byteLength;
      this.#sending.set(exchange, { bytes, began: performance.now() });
      this.#count(exchange, bytes);
    }
    if (this.#options.accessLog) this.#logAccess(exchange, status);
  }

  /** refuse answers with an error, its default message if none is given, and takes the request from its worker. */
  refuse(exchange: Exchange, code: ErrorCode, message?: string): void {
    this.#refuse(exchange, new ServiceError(code, message));
  }

  /** isMethod tells whether a request has one of some methods, and answers any other. */
  isMethod(exchange: Exchange, methods: readonly string[]): boolean {
    const { method } = exchange;
    if (methods.includes(method)) return true;
    exchange.addHeader('Allow', [...methods, 'OPTIONS'].join(', '));
    if (method === 'OPTIONS') this.answer(exchange, 204, NO_BODY, '');
    else this.refuse(exchange, 'method_not_allowed');
    return false;
  }

  /**
   * failed ends a request with what was thrown: an error that is meant for the caller is answered; of any other he learns
   * that there was one, and the log what it was.
   */
  failed(exchange: Exchange, error: unknown): void {
    const { id, requestId, res } = exchange;
    if (error instanceof ServiceError && this.#pending.get(id) === exchange) {
      const { status, detail, cause } = error;
      if (status === 500 && (detail ?? cause) !== undefined)
        this.#options.log.error({ requestId, detail, err: cause }, 'a request failed');
      this.#refuse(exchange, error);
      return;
    }
    this.#options.log.error({ err: error, requestId }, 'a request failed');
    try {
      if (this.#pending.get(id) !== undefined) this.refuse(exchange, 'internal');
      else {
        exchange.release();
        res.close(); // it failed amid its answer
      }
    } catch {
      // The response is over already: there is nobody left to tell.
    }
  }

  /** close answers what still waits with `timeout` and stops watching. Returns how many requests that cut off. */
  close(): number {
    const cut = this.busy;
    clearInterval(this.#sweeper);
    for (const exchange of this.#pending.values()) this.refuse(exchange, 'timeout');
    return cut;
  }

  #refuse(exchange: Exchange, error: ServiceError): void {
    const { message, code, status, retryAfter } = error;
    if (retryAfter !== undefined) exchange.addHeader('Retry-After', String(retryAfter));
    const xml = wantsXml(exchange.query);
    this.answer(exchange, status, xml ? XML_BODY : JSON_BODY, errorBody(message, code, xml));
    this.#abandon(exchange);
  }

  #sent(exchange: Exchange): void {
    const answer = this.#sending.get(exchange);
    if (answer === undefined) return;
    this.#sending.delete(exchange);
    exchange.release();
    this.#count(exchange, -answer.bytes);
  }

  /** What plugins' answers take is not taken from those of the database. */
  #count({ worker, crowd }: Exchange, bytes: number): void {
    if (worker === PLUGINS && crowd !== undefined) crowd.sending += bytes;
    else this.#options.sending((this.#bytes += bytes));
  }

  #aborted(exchange: Exchange): void {
    this.#sent(exchange);
    if (!this.#remove(exchange)) return;
    this.#abandon(exchange);
    if (this.#options.accessLog) this.#logAccess(exchange, CLIENT_GONE);
  }

  /** Gives up its place; false when it has none any more. */
  #remove(exchange: Exchange): boolean {
    if (!this.#pending.remove(exchange.id)) return false;
    if (exchange.crowd !== undefined) exchange.crowd.size--;
    exchange.ended?.();
    return true;
  }

  #abandon(exchange: Exchange): void {
    if (exchange.worker >= 0) this.#options.abandon(exchange.worker, exchange.id);
  }

  /** Ends what is over its time: all have the same limit. */
  #sweep(): void {
    const deadline = performance.now() - this.#options.timeout;
    for (const exchange of this.#pending.values()) {
      if (exchange.started > deadline) continue;
      exchange.close = exchange.worker < 0; // its body is still on the way
      this.refuse(exchange, 'timeout');
    }
    for (const [exchange, { began }] of this.#sending) {
      if (began > deadline) break;
      exchange.res.close();
    }
  }

  /** One line a request, without its query string: that may hold what is not for logs. */
  #logAccess(exchange: Exchange, status: number): void {
    const { method, path, requestId, started, user } = exchange;
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const who = user === '' ? undefined : { user };
    this.#options.log.info({ method, path, status, ms, requestId, ...who }, 'request');
  }
}
