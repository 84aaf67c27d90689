/**
 * The requests in flight. Each gets exactly one response: from its backend, its time limit or an error; later ones are
 * dropped. Nothing that fails while a request is handled or rejected is thrown further than to here: it is logged, and the
 * request gets 500, or its connection ends where a response was begun.
 */
import type { HttpRequest as UwsRequest, HttpResponse } from 'uWebSockets.js';
import { JSON_BODY, NO_BODY, XML_BODY } from '../../../messages/batch.js';
import { ERRORS, ServiceError, errorBody, wantsXml, type ErrorCode } from '../../../base/errors.js';
import type { Logger } from '../../../observe/log.js';
import { ERROR_RESPONSES, HTTP } from '../../../observe/metrics/catalogue.js';
import { observeBytes } from '../../../observe/metrics/histogram.js';
import { counts } from '../../../observe/metrics/thread.js';
import { SlotTable } from '../../../base/slot-table.js';
import { HttpRequest, type ConcurrencyLimit } from './http-request.js';
import { Lingering, TICK } from './lingering.js';
import { ReadPauses } from './read-pauses.js';
import type { RequestHead } from './request-head.js';
import { logAccess, logFailure, succeeds } from './request-log.js';
import { CLIENT_GONE, type RequestSpans } from './request-spans.js';
import { statusHead, TYPED } from './response-head.js';
import type { Body } from './response-writer.js';
import { SendingResponses, type OnSending } from './sending-responses.js';

/** For how long reading stays paused without a break (milliseconds); only then is a disconnect noticed. */
const PAUSED = 5_000;

interface RequestTableOptions {
  /** Most requests without a response; one more may be opened to be rejected. */
  readonly capacity: number;
  /** A request's whole time (milliseconds), and how long its client may then take nothing of the response. */
  readonly timeout: number;
  readonly accessLog: boolean;
  readonly log: Logger;
  readonly sending: OnSending;
  /** Called when the response to a request of a worker, or of PLUGINS, is no longer needed. */
  readonly abandon: (worker: number, id: number) => void;
  /** Undefined where nothing is traced. */
  readonly spans?: RequestSpans | undefined;
}

export class RequestTable {
  /** Whether connections are closed after their next response. */
  closing = false;
  readonly #options: RequestTableOptions;
  readonly #sweeper: NodeJS.Timeout;
  /** Requests without a response. */
  readonly #pending: SlotTable<HttpRequest>;
  readonly #sending: SendingResponses;
  readonly #lingering: Lingering;
  readonly #pauses = new ReadPauses();

  constructor(options: RequestTableOptions) {
    const { capacity, timeout, sending } = options;
    this.#options = options;
    this.#pending = new SlotTable(capacity + 1);
    this.#sending = new SendingResponses(timeout, sending);
    this.#lingering = new Lingering(capacity, this.fail.bind(this));
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(TICK, timeout / 4));
  }

  /** pending is the number of requests without a response. */
  get pending(): number {
    return this.#pending.size;
  }

  /** sending is the number of large responses that are being sent. */
  get sending(): number {
    return this.#sending.size;
  }

  /** busy is the number of requests without a response, or with a response or a body that is still being sent. */
  get busy(): number {
    return this.#pending.size + this.#sending.size + this.#lingering.size;
  }

  connected(): void {
    this.#pauses.connected();
  }

  open(res: HttpResponse, req: UwsRequest, head: Readonly<RequestHead>): HttpRequest {
    const request = new HttpRequest(this.#pending.nextId(), res, req, head);
    res.onAborted(() => this.#aborted(request));
    this.#pending.put(request);
    const { spans } = this.#options;
    if (spans !== undefined) this.#attempt(request, () => spans.opened(request, head.traceparent));
    return request;
  }

  /** failUnopened responds to a request that `open`, or what comes before it, has failed for. */
  failUnopened(res: HttpResponse, error: unknown): void {
    logFailure(this.#options, error);
    const body = errorBody(ERRORS.internal[1], 'internal', false);
    succeeds(() => res.writeStatus(statusHead(500, JSON_BODY)).end(body, true));
  }

  /** reported takes the report of a query worker about a request. */
  reported(text: string): void {
    this.#attempt(undefined, () => {
      this.#options.spans?.reported(text, (id) => this.findUnsent(id));
    });
  }

  /** find returns the request of that id while it has no response. */
  find(id: number): HttpRequest | undefined {
    return this.#pending.get(id);
  }

  /** findUnsent returns the request of that id while it has no response, or its response is being sent. */
  findUnsent(id: number): HttpRequest | undefined {
    return this.#pending.get(id) ?? this.#sending.find(id);
  }

  /** isPending tells whether a request has no response yet, and its client is connected. */
  isPending(request: HttpRequest): boolean {
    return this.#pending.get(request.id) === request;
  }

  /** select returns the requests without a response that pass a test. */
  select(test: (request: HttpRequest) => boolean): HttpRequest[] {
    return this.#pending.values().filter(test);
  }

  /**
   * join counts a request in a concurrency limit; false when its size exceeds the number of free slots. A backend that
   * hangs thus never takes all slots: however many limits there are, as many slots stay free as each of them uses.
   */
  join(request: HttpRequest, concurrencyLimit: ConcurrencyLimit): boolean {
    if (concurrencyLimit.size > this.#options.capacity - this.#pending.size) return false;
    concurrencyLimit.size++;
    request.concurrencyLimit = concurrencyLimit;
    return true;
  }

  /** pauseReading pauses reading from the connection of a pending request whose body was read, within bounds. */
  pauseReading(request: HttpRequest): void {
    if (!this.isPending(request)) return;
    const { response, connection } = request;
    if (this.#pauses.take(connection) || response.last) response.pauseReading();
  }

  received(request: HttpRequest): void {
    request.unread = false;
    if (this.#options.spans !== undefined) request.received = performance.now();
  }

  /** discard takes bytes of a body whose request has its response. */
  discard(request: HttpRequest, bytes: number, last: boolean): void {
    this.#lingering.discard(request, bytes, last);
  }

  /** respond sends the response of a pending request. */
  respond(request: HttpRequest, status: number, type: number, body: Body): void {
    const { response } = request;
    // A look at the clock, which is for spans alone.
    const began = this.#options.spans && performance.now();
    const length = typeof body === 'string' ? body.length : body.byteLength;
    observeBytes(counts, HTTP.responseBody, length);
    this.#remove(request);
    if (this.closing) response.close = true;
    if (request.unread) this.#lingering.respond(request, status, type, body);
    else if (!response.write(status, type, body, () => this.#sent(request, false))) {
      this.#sending.add(request, length, status, began ?? performance.now());
      this.#ended(request, status, began, true);
      return;
    }
    this.#ended(request, status, began);
  }

  /** reject responds with an error, and abandons the request at its worker. */
  reject(request: HttpRequest, code: ErrorCode): void {
    this.fail(request, new ServiceError(code));
  }

  /** cancel ends a pending request with a JSON response, and abandons it at its worker. */
  cancel(request: HttpRequest, body: string): void {
    try {
      this.respond(request, 200, JSON_BODY, body);
      this.#abandon(request);
    } catch (error) {
      this.fail(request, error); // not the request that has cancelled this one
    }
  }

  /** allowsMethod tells whether a request has one of the methods; one with any other gets its response here. */
  allowsMethod(request: HttpRequest, methods: readonly string[]): boolean {
    const { method } = request;
    if (methods.includes(method)) return true;
    request.response.addHeader('Allow', [...methods, 'OPTIONS'].join(', '));
    if (method === 'OPTIONS') this.respond(request, 204, NO_BODY, '');
    else this.reject(request, 'method_not_allowed');
    return false;
  }

  /**
   * fail ends a request with what was thrown. A ServiceError is the response; any other error is logged and the response is
   * `internal`, also when the error response itself fails. It throws nothing.
   */
  fail(request: HttpRequest, error: unknown): void {
    const { response } = request;
    const { lines } = response;
    let failure = error;
    if (error instanceof ServiceError && this.isPending(request))
      try {
        const { status, detail, cause } = error;
        if (status === 500 && (detail ?? cause) !== undefined)
          logFailure(this.#options, cause, request, detail);
        this.#reject(request, error);
        return;
      } catch (thrown) {
        failure = thrown;
        response.lines = lines;
      }
    logFailure(this.#options, failure, request);
    if (this.#lingering.has(request)) return; // its response is on its way
    const internal = (): void => this.#reject(request, new ServiceError('internal'));
    if (this.isPending(request) && succeeds(internal)) return;
    // It failed while its response was written, or that had ended already.
    succeeds(() => response.release());
    succeeds(() => response.res.close());
  }

  /** whenDone continues with the result of a promise, or fails with its error, while the request is still pending. */
  whenDone<Result>(
    request: HttpRequest,
    promise: Promise<Result>,
    next: (result: Result) => void,
  ): void {
    promise
      .then((result) => {
        if (this.isPending(request)) next(result);
      })
      .catch((error: unknown) => {
        if (this.isPending(request)) this.fail(request, error);
      });
  }

  /** close rejects all pending requests with `timeout`. Returns how many requests were cut off. */
  close(): number {
    const cut = this.busy - this.#lingering.size;
    clearInterval(this.#sweeper);
    for (const request of this.#pending.values()) this.reject(request, 'timeout');
    return cut;
  }

  #reject(request: HttpRequest, error: ServiceError): void {
    const { message, code, status, retryAfter, scope } = error;
    request.rejection = code;
    if (retryAfter !== undefined) request.response.addHeader('Retry-After', String(retryAfter));
    // RFC 6750, section 3.1. Configured scopes have no quotes and no backslashes.
    if (scope !== undefined)
      request.response.addHeader(
        'WWW-Authenticate',
        `Bearer error="insufficient_scope", scope="${scope}"`,
      );
    const xml = wantsXml(request.query);
    const body = errorBody(message, code, xml);
    if (status === 401 && request.challenge !== undefined) {
      request.response.addHeader('Content-Type', xml ? 'application/xml' : 'application/json');
      request.response.addHeader('WWW-Authenticate', request.challenge(request, code));
      this.respond(request, status, TYPED, body);
    } else this.respond(request, status, xml ? XML_BODY : JSON_BODY, body);
    counts[ERROR_RESPONSES[code]]! += 1;
    this.#abandon(request);
  }

  #aborted(request: HttpRequest): void {
    try {
      this.#lingering.remove(request);
      this.#sent(request, true);
      if (!this.#remove(request)) return;
      this.#abandon(request);
      this.#ended(request, CLIENT_GONE);
    } catch (error) {
      this.fail(request, error);
    }
  }

  /** Ends a response that was sent in pieces, or whose client is gone, if there is one. */
  #sent(request: HttpRequest, isGone: boolean): void {
    this.#attempt(request, () => {
      const sending = this.#sending.end(request);
      if (sending !== undefined)
        this.#options.spans?.sent(request, sending.status, sending.began, isGone);
    });
  }

  /** Returns false when the request was not pending. */
  #remove(request: HttpRequest): boolean {
    if (!this.#pending.remove(request.id)) return false;
    if (request.concurrencyLimit !== undefined) request.concurrencyLimit.size--;
    if (request.ended !== undefined) this.#attempt(request, request.ended);
    return true;
  }

  #abandon(request: HttpRequest): void {
    const { worker, id } = request;
    if (worker >= 0) this.#attempt(request, () => this.#options.abandon(worker, id));
  }

  #sweep(): void {
    const now = performance.now();
    const { timeout } = this.#options;
    this.#pauses.renew();
    for (const request of this.#pending.values()) {
      const age = now - request.started;
      try {
        if (age >= timeout) this.reject(request, 'timeout');
        else if (age >= PAUSED) request.response.toggleReading();
      } catch (error) {
        this.fail(request, error);
      }
    }
    this.#attempt(undefined, () => {
      this.#sending.sweep(now);
      this.#lingering.sweep(now);
    });
  }

  /** Runs a step beside the response of a request, or of several, which do not fail with it. */
  #attempt(request: HttpRequest | undefined, step: () => void): void {
    try {
      step();
    } catch (error) {
      logFailure(this.#options, error, request);
    }
  }

  /**
   * Counts a request that has its response, or whose client is gone. `began` is when its response was begun; `isSending`, when
   * that is still being sent: then its spans end later.
   */
  #ended(request: HttpRequest, status: number, began?: number, isSending = false): void {
    const { spans, accessLog, log } = this.#options;
    try {
      const time = performance.now() - request.started;
      request.routeMetrics.count(request.method, status, time / 1_000);
      if (isSending) spans?.sending(request, status, time);
      else spans?.ended(request, status, time, began);
      if (accessLog) logAccess(log, request, status, time);
    } catch (error) {
      logFailure(this.#options, error, request); // its response is on its way
    }
  }
}
