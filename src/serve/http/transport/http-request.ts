/** A request in flight: its head and body, the worker that handles it, and the writer of its response. */
import type { HttpRequest as UwsRequest, HttpResponse } from 'uWebSockets.js';
import type { ErrorCode } from '../../../base/errors.js';
import type { RequestHead } from './request-head.js';
import type { RequestTrace } from './request-trace.js';
import { RouteMetrics } from './route-metrics.js';
import { ResponseWriter } from './response-writer.js';

/** Value of `HttpRequest.worker` for requests that a plugin handles. */
export const PLUGINS = 0x3fff_ffff;

/** What requests are counted under before they have a route. */
const UNMATCHED = new RouteMetrics();

/** Counts the requests in flight to one backend: a database, all plugins, or the MCP endpoint. */
export interface ConcurrencyLimit {
  size: number;
}

export class HttpRequest {
  readonly id: number;
  /** As sent. */
  readonly method: string;
  /** Raw, without the query string. */
  readonly path: string;
  readonly query: string;
  readonly requestId: string;
  /** As WorkerRequest.headers. */
  readonly headers: string;
  readonly authorization: string;
  readonly host: string;
  readonly origin: string;
  readonly connection: string;
  readonly forwardedFor: string;
  readonly ifMatch: string;
  readonly ifNoneMatch: string;
  /** When it arrived (performance.now). */
  readonly started: number;
  readonly response: ResponseWriter;
  /** Number of the worker that handles it, PLUGINS, or -1 for none. */
  worker = -1;
  /** What it is counted under. */
  routeMetrics = UNMATCHED;
  concurrencyLimit: ConcurrencyLimit | undefined;
  /** Whether its body has not arrived completely. */
  unread = false;
  /** When its body had arrived completely, ms; undefined when it has none, or nothing is traced. */
  received: number | undefined;
  /** Takes the chunks of its body; without it they are discarded. */
  takeBody: ((chunk: ArrayBuffer, last: boolean) => void) | undefined;
  /** Undefined when it has none, or it was discarded. */
  body: Buffer | undefined;
  /** The largest that its body may be, decoded too (bytes). */
  bodyLimit = 0;
  /** Whether it had a body, which was discarded. */
  bodyDiscarded = false;
  /** Writes WWW-Authenticate when it is rejected with 401; undefined for the usual one. */
  challenge: ((request: HttpRequest, code: ErrorCode) => string) | undefined;
  /** The caller's name, for the log; empty for callers without a name. */
  user = '';
  /** The code of the error that it was rejected with by this process. */
  rejection: ErrorCode | undefined;
  /** Undefined when its spans are not kept, as far as is known. */
  trace: RequestTrace | undefined;
  /** Called when it has its response, or its client has disconnected. */
  ended: (() => void) | undefined;

  constructor(id: number, res: HttpResponse, req: UwsRequest, head: Readonly<RequestHead>) {
    this.id = id;
    this.method = req.getCaseSensitiveMethod();
    this.path = req.getUrl();
    this.query = req.getQuery() || ''; // undefined without a question mark, whatever its type says
    this.requestId = head.requestId;
    this.headers = head.packed;
    this.authorization = head.authorization;
    this.host = head.host;
    this.origin = head.origin;
    this.connection = head.connection;
    this.forwardedFor = head.forwardedFor;
    this.ifMatch = head.ifMatch;
    this.ifNoneMatch = head.ifNoneMatch;
    this.started = performance.now();
    this.response = new ResponseWriter(res, this.method === 'HEAD', head.requestId);
  }
}
