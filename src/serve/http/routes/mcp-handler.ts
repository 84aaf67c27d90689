/**
 * `/_mcp`: passes messages to workers, which parse them. Rejects web pages of other origins, which could otherwise reach
 * the endpoint through a browser in its network (DNS rebinding); requests for a stream, which the endpoint does not
 * offer; and more requests than leave room for others.
 */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../access/caller.js';
import { packMcpRequest } from '../../../messages/batch.js';
import { ServiceError } from '../../../base/errors.js';
import { fieldValue } from '../../../base/headers.js';
import type { CancelledCall } from '../../../messages/ipc.js';
import type { QueryPool } from '../../pool/query-pool.js';
import { PageOrigins, type Gate } from '../transport/gate.js';
import type { ConcurrencyLimit, HttpRequest } from '../transport/http-request.js';
import type { HandlerParts } from './handler-parts.js';
import { McpCancellation } from './mcp-cancellation.js';
import type { RequestTable } from '../transport/request-table.js';
import { isTraced } from '../transport/request-trace.js';
import type { BodyRule, Route, RouteSource } from '../transport/route.js';

/** Largest message (bytes), where `http.max_body` is not less. */
const MESSAGE = 1 << 20;

const FOREIGN_PAGE =
  'this origin may not use the MCP endpoint: name it in mcp.origins of the configuration';

/** The path of the endpoint, after the context. */
export const MCP_PATH = '/_mcp';

const NAMES = ['dotted', 'plain'];

const STREAM = 'there is no stream to listen to: messages are sent with POST';

export class McpHandler implements RouteSource {
  readonly #requests: RequestTable;
  readonly #pool: QueryPool;
  readonly #gate: Gate;
  readonly #body: BodyRule;
  readonly #challenge: Route['challenge'];
  readonly #origins: PageOrigins;
  readonly #limit: ConcurrencyLimit = { size: 0 };
  readonly #cancellation: McpCancellation;

  /** `challenge` is for its requests, see HttpRequest. */
  constructor(
    { settings, requests, pool, gate, supervised }: HandlerParts,
    challenge: Route['challenge'],
  ) {
    const { maxBody, mcpOrigins } = settings;
    this.#requests = requests;
    this.#pool = pool;
    this.#gate = gate;
    this.#body = { methods: ['POST'], limit: Math.min(maxBody, MESSAGE), keep: () => true };
    this.#challenge = challenge;
    this.#origins = new PageOrigins(mcpOrigins);
    this.#cancellation = new McpCancellation(requests, this.#limit, supervised.passCancelled);
  }

  /** cancel ends calls that another HTTP process was asked to cancel. */
  cancel(calls: readonly CancelledCall[]): void {
    for (const call of calls) this.#cancellation.cancel(call);
  }

  get routes(): Readonly<Record<string, Route>> {
    const token = this.#gate.tokenFor(MCP_PATH);
    const challenge = this.#challenge && { challenge: this.#challenge };
    const handle: Route['handle'] = (request, caller) => this.#handle(request, caller);
    return { [MCP_PATH]: { token, body: this.#body, handle, ...challenge } };
  }

  #handle(request: HttpRequest, caller: Caller | undefined): void {
    const { id, method, query, requestId, headers, body } = request;
    const role = this.#gate.admit(caller);
    if (!this.#origins.allows(request.origin))
      throw new ServiceError('permission_denied', FOREIGN_PAGE);
    if (!this.#requests.allowsMethod(request, ['GET', 'HEAD', 'POST'])) return;
    if (method !== 'POST' && acceptsStream(headers)) {
      request.response.addHeader('Allow', 'POST, OPTIONS');
      throw new ServiceError('method_not_allowed', STREAM);
    }
    const form = query === '' ? '' : formIn(query);
    if (!this.#requests.join(request, this.#limit))
      throw new ServiceError('busy', 'too many MCP requests wait already');
    // Bytes that are not UTF-8 are not JSON either.
    const message = body !== undefined && isUtf8(body) ? body.toString() : '';
    this.#cancellation.received(request, message);
    // An id of the session tells the calls of clients apart, also of those without a token. It is not kept here.
    if (message.includes('"initialize"') && fieldValue(headers, 'mcp-session-id') === '')
      request.response.addHeader('Mcp-Session-Id', randomUUID());
    const { name: user, claims } = caller ?? { name: '', claims: '' };
    const traced = isTraced(request);
    const packed = { id, method, form, user, message, headers, requestId, role, claims, traced };
    request.worker = this.#pool.submit(packMcpRequest(packed));
  }
}

/**
 * The form of tool names in a query string, empty for the configured one. Throws ServiceError `invalid_parameter`. Other
 * parameters are ignored: a proxy may need them.
 */
function formIn(query: string): string {
  const [names, ...others] = new Set(new URLSearchParams(query).getAll('names'));
  if (names === undefined) return '';
  if (others.length > 0 || !NAMES.includes(names))
    throw new ServiceError('invalid_parameter', `names must be ${NAMES.join(' or ')}`);
  return names;
}

/** Whether a request is for a stream: its client would take any other response for one, and reconnect for ever. */
function acceptsStream(headers: string): boolean {
  return /\btext\/event-stream\b/i.test(fieldValue(headers, 'accept'));
}
