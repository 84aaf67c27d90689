/**
 * The spans of the requests of an HTTP process. Which are kept is decided as a request arrives (observe/trace/sampler.ts), or at its
 * end, when it has failed or was slow. A span has no text of the request: no path, query string, header, address or user.
 */
import type { HttpSettings } from '../../../messages/http-settings.js';
import type { TraceSettings } from '../../../messages/thread-settings.js';
import { monotonic } from '../../../observe/trace/clock.js';
import { traceIdsOf } from '../../../observe/trace/ids.js';
import { RateLimit } from '../../../observe/trace/rate-limit.js';
import { Sampler } from '../../../observe/trace/sampler.js';
import type { Attributes } from '../../../observe/trace/span.js';
import type { Work } from '../../../observe/trace/work.js';
import type { ServerSpan } from './server-span.js';
import { PLUGINS, type HttpRequest } from './http-request.js';
import type { RequestTrace } from './request-trace.js';
import { countedMethod } from './route-metrics.js';
import { SpanBatcher, type SendSpans } from './span-batcher.js';

/** Most requests a second that are kept only because they failed, and only because they were slow. */
const MOST_KEPT_LATE = 100;

/** Requests that are not traced: their callers repeat them for ever. */
const UNTRACED: ReadonlySet<string | undefined> = new Set(['/_health', '/_ready', '/metrics']);

/** CLIENT_GONE is the status in logs and metrics of a client that disconnected before the response (as in nginx). */
export const CLIENT_GONE = 499;

type Reason = 'sampled' | 'failed' | 'slow';

export class RequestSpans {
  readonly #seed: string;
  readonly #slow: number;
  readonly #sampler: Sampler;
  /** Each of its own: slow clients must not hide failures. */
  readonly #late = { failed: new RateLimit(MOST_KEPT_LATE), slow: new RateLimit(MOST_KEPT_LATE) };
  /** Of every request. */
  readonly #attributes: Attributes;
  readonly #batcher: SpanBatcher;

  constructor(
    trace: TraceSettings,
    seed: string,
    { host, port, tls }: Pick<HttpSettings, 'host' | 'port' | 'tls'>,
    send: SendSpans,
  ) {
    this.#seed = seed;
    this.#slow = trace.slow === 0 ? Infinity : trace.slow;
    this.#sampler = new Sampler(trace);
    const isWildcard = host === '0.0.0.0' || host === '::';
    this.#attributes = {
      'url.scheme': tls === undefined ? 'http' : 'https',
      'server.address': isWildcard ? undefined : host,
      'server.port': port === 0 ? undefined : port,
    };
    this.#batcher = new SpanBatcher(send);
  }

  /** opened decides about a request that arrives with this `traceparent`, empty for none. */
  opened(request: HttpRequest, traceparent: string): void {
    if (!this.#sampler.samples(traceparent, request.started)) return;
    if (this.#batcher.isFull) this.#batcher.drop();
    else request.trace = this.#traceOf(request, true);
  }

  /** failed gives a request that is about to fail, or was slow, its ids: its spans are kept. */
  failed(request: HttpRequest): void {
    request.trace ??= this.#traceOf(request, false);
  }

  /**
   * ended keeps the spans of a request that has ended after `time` ms, or drops them. `began` is when its response was begun,
   * undefined when it has none.
   */
  ended(request: HttpRequest, status: number, time: number, began?: number): void {
    if (this.#mayBeKept(request, status, time))
      this.#end(request, status, time, began, status === CLIENT_GONE);
  }

  /** sending gives a request its ids whose response is being sent in pieces, if its spans are kept as far as is known. */
  sending(request: HttpRequest, status: number, time: number): void {
    if (this.#mayBeKept(request, status, time)) this.failed(request);
  }

  /** sent is `ended` for a request whose response was sent in pieces; its client may be gone before all of it was. */
  sent(request: HttpRequest, status: number, began: number, isGone: boolean): void {
    const time = performance.now() - request.started;
    if (this.#mayBeKept(request, status, time)) this.#end(request, status, time, began, isGone);
  }

  /** reported takes the report of a query worker; `find` gives a request that has not ended, after a search. */
  reported(text: string, find: (id: number) => HttpRequest | undefined): void {
    const work = JSON.parse(text) as Work;
    if (this.#batcher.reported(work)) return;
    const pending = find(work.id);
    if (pending === undefined) return;
    pending.trace ??= this.#traceOf(pending, false);
    pending.trace.work = work;
  }

  /** close sends what waits; resolves when it is on its way to the supervisor. */
  close(): Promise<void> {
    return this.#batcher.close();
  }

  #traceOf(request: HttpRequest, sampled: boolean): RequestTrace {
    return { ids: traceIdsOf(this.#seed, request), sampled };
  }

  #mayBeKept({ trace }: HttpRequest, status: number, time: number): boolean {
    return trace !== undefined || status >= 500 || time >= this.#slow;
  }

  #end(
    request: HttpRequest,
    status: number,
    time: number,
    began: number | undefined,
    isGone: boolean,
  ): void {
    const { id, rejection, worker, routeMetrics, started } = request;
    const { name: route } = routeMetrics;
    const kept = this.#reason(request, status, time);
    if (kept === undefined || UNTRACED.has(route)) return;
    const batcher = this.#batcher;
    if (batcher.isFull || (kept !== 'sampled' && !this.#late[kept].take(started + time))) {
      batcher.drop();
      return;
    }
    const trace = (request.trace ??= this.#traceOf(request, false));
    const method = countedMethod(request.method);
    const verb = method === request.method ? method : 'HTTP';
    const start = monotonic(started);
    const end = start + time;
    const ended: ServerSpan = {
      trace,
      start,
      end,
      received: receivedAt(request, began, end),
      answered: began === undefined ? undefined : monotonic(began),
      name: route === undefined ? verb : `${verb} ${route}`,
      failed: status >= 500,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status === CLIENT_GONE ? undefined : status,
        ...this.#attributes,
        'service.trace.kept': kept,
      },
      error: rejection ?? (isGone ? 'client_gone' : undefined),
      isSent: false,
    };
    const reports = worker >= 0 && worker !== PLUGINS;
    batcher.add(ended, reports && trace.work === undefined ? id : undefined);
  }

  /** Why the spans of a request are kept; undefined when they are not. */
  #reason({ trace }: HttpRequest, status: number, time: number): Reason | undefined {
    if (trace?.sampled === true) return 'sampled';
    if (status >= 500) return 'failed';
    return time >= this.#slow ? 'slow' : undefined;
  }
}

/** When the body of a request had arrived, or its response did not wait for the rest; undefined when it has none. */
function receivedAt(
  { received, unread }: HttpRequest,
  began: number | undefined,
  end: number,
): number | undefined {
  if (received !== undefined) return monotonic(received);
  if (!unread) return undefined;
  return began === undefined ? end : monotonic(began);
}
