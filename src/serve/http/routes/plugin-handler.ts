/**
 * `/_PLUGIN`: passes requests to plugins and their responses to clients. Rejects methods that no function can have, more
 * requests than leave room for others, and large responses while too many bytes are still being sent to slow clients.
 */
import type { Caller } from '../../../access/caller.js';
import { ServiceError, wantsXml } from '../../../base/errors.js';
import { PLUGIN_METHODS } from '../../../native/plugin-pool.js';
import { Plugins, type PluginResults } from '../../plugin/plugins.js';
import { XmlMaker } from '../../pool/xml-maker.js';
import { JSON_BODY } from '../../../messages/batch.js';
import type { LibraryPart, LibraryRejection } from '../../../messages/ipc.js';
import type { Gate } from '../transport/gate.js';
import { PLUGINS, type ConcurrencyLimit, type HttpRequest } from '../transport/http-request.js';
import type { PluginPath } from '../transport/path.js';
import type { HandlerParts } from './handler-parts.js';
import { joinPluginLines } from './plugin-headers.js';
import type { RequestTable } from '../transport/request-table.js';
import { isBodiless, TYPED } from '../transport/response-head.js';
import { RouteMetrics } from '../transport/route-metrics.js';
import type { BodyRule, Route, RouteSource } from '../transport/route.js';

const NO_METHOD =
  'plugins have functions for registered methods alone, in capital letters, such as GET';

/** Characters that a C string of a caller's name cannot hold: cut off at a NUL it would be another caller's. */
const NOT_IN_C = /[\0\p{Cs}]/u;

/** Responses up to this length (bytes) are sent whatever else is being sent. */
const SMALL = 65_536;

/** Another large response is sent while fewer bytes than this, or than so many of the largest, are being sent. */
const SENDING = 64 << 20;
const SENDING_LARGEST = 8;

/** Largest response that is converted to XML (bytes): one thread converts the responses of all requests. */
const XML_LIMIT = 8 << 20;

const XML_TYPE = '\r\nContent-Type: application/xml';

const EMPTY = new Uint8Array(0);

export class PluginHandler implements PluginResults, RouteSource {
  /** Bytes of responses of plugins that are being sent. */
  sending = 0;
  readonly #requests: RequestTable;
  readonly #gate: Gate;
  readonly #body: BodyRule;
  readonly #plugins: Plugins;
  readonly #cors: boolean;
  readonly #xml: XmlMaker;
  readonly #limit: ConcurrencyLimit = { size: 0 };
  readonly #maxSending: number;

  constructor({ settings, requests, gate, supervised, log }: HandlerParts) {
    const { plugins, cors, maxBody } = settings;
    this.#requests = requests;
    this.#gate = gate;
    this.#body = { methods: undefined, limit: maxBody, keep: () => true };
    this.#plugins = new Plugins(plugins, supervised.libraries, this, log);
    this.#cors = cors !== undefined;
    this.#xml = new XmlMaker(log);
    this.#maxSending = Math.max(SENDING, SENDING_LARGEST * plugins.maxResponse);
  }

  readonly named = { plugin: (path: PluginPath): Route => this.#route(path) };

  #route(path: PluginPath): Route {
    const own = `/_PLUGIN/${path.file}/${path.func}`;
    return {
      token: this.#gate.tokenFor(own),
      name: new RouteMetrics('/_PLUGIN', own),
      body: this.#body,
      handle: (request, caller) => this.#handle(request, path, caller),
    };
  }

  /** Throws ServiceError: `handler_not_found`, `permission_denied`, `busy`. */
  #handle(request: HttpRequest, { file, func }: PluginPath, caller: Caller | undefined): void {
    this.#gate.checkOrigin(request);
    const { id, method, path, query, requestId, headers, body } = request;
    if (!PLUGIN_METHODS.has(method)) throw new ServiceError('handler_not_found', NO_METHOD);
    const { name: user = '', claims = '' } = caller ?? {};
    if (NOT_IN_C.test(user)) throw new ServiceError('permission_denied');
    if (!this.#requests.join(request, this.#limit))
      throw new ServiceError('busy', 'too many requests wait for plugins already');
    request.worker = PLUGINS;
    const call = { id, method, file, func, path, query, headers, requestId, user, claims, body };
    this.#plugins.submit(call);
  }

  get waiting(): number {
    return this.#plugins.waiting;
  }

  abandon(id: number): void {
    this.#plugins.abandon(id);
  }

  arrived(message: LibraryPart | LibraryRejection): void {
    this.#plugins.arrived(message);
  }

  async close(): Promise<void> {
    this.#plugins.close();
    await this.#xml.close();
  }

  answered(id: number, status: number, typed: boolean, lines: string, body: Uint8Array): void {
    const request = this.#requests.find(id);
    if (request === undefined) return; // too late: timed out or disconnected
    try {
      request.routeMetrics.confirm();
      this.#checkSending(body.byteLength);
      if (!typed && body.byteLength > 0 && wantsXml(request.query) && !isBodiless(status))
        this.#respondXml(request, status, lines, body);
      else this.#respond(request, status, typed, lines, body);
    } catch (error) {
      this.#requests.fail(request, error);
    }
  }

  failed(id: number, error: ServiceError): void {
    const request = this.#requests.find(id);
    if (request === undefined) return;
    request.worker = -1; // there is nothing left to abandon
    this.#requests.fail(request, error);
  }

  /** Throws ServiceError `busy` when a response of a length cannot be sent now. */
  #checkSending(length: number): void {
    if (length > SMALL && this.sending > this.#maxSending)
      throw new ServiceError('busy', 'too many large answers are being sent already');
  }

  #respond(
    request: HttpRequest,
    status: number,
    typed: boolean,
    lines: string,
    body: Uint8Array,
  ): void {
    const { response } = request;
    const content = status === 205 ? EMPTY : body;
    if (lines === '') {
      this.#requests.respond(request, status, JSON_BODY, content);
      return;
    }
    const complete = typed || isBodiless(status);
    response.lines = joinPluginLines(response.lines, lines, status, complete, this.#cors);
    this.#requests.respond(request, status, TYPED, content);
  }

  #respondXml(request: HttpRequest, status: number, lines: string, body: Uint8Array): void {
    if (body.byteLength > XML_LIMIT) throw tooLargeForXml();
    this.#requests.whenDone(request, this.#xml.make(body), (made) => {
      if (made === 'too_large') throw tooLargeForXml();
      if (made === 'no_json') this.#respond(request, status, false, lines, body);
      else {
        const { response } = request;
        this.#checkSending(made.xml.length); // others may have begun to be sent meanwhile
        const all = XML_TYPE + lines;
        response.lines = joinPluginLines(response.lines, all, status, true, this.#cors);
        this.#requests.respond(request, status, TYPED, made.xml);
      }
    });
  }
}

function tooLargeForXml(): ServiceError {
  return new ServiceError('plugin_response_too_large', 'the answer is too large for XML');
}
