/**
 * `/_mcp`: passes messages to workers, which parse them. Rejects web pages of other origins, which could otherwise reach
 * the endpoint through a browser in its network (DNS rebinding); requests for a stream, which the endpoint does not
 * offer; and more requests than leave room for others.
 */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../access/caller.js';
import { MCP, packRequest } from '../../../messages/batch.js';
import { ServiceError } from '../../../base/errors.js';
import { fieldValue } from '../../../base/header-list.js';
import type { CancelledCall } from '../../../messages/ipc.js';
import type { QueryPool } from '../../pool/query-pool.js';
import type { HttpSettings } from '../../../messages/settings.js';
import { PageOrigins, type Gate } from '../transport/gate.js';
import type { ConcurrencyLimit, HttpRequest } from '../transport/http-request.js';
import { McpCancellation } from './mcp-cancellation.js';
import type { RequestTable } from '../transport/request-table.js';
import { isTraced } from '../transport/request-trace.js';
import type { BodyRule, Route, TokenRule } from '../transport/route.js';

/** Largest message (bytes), where `http.max_body` is not less. */
const MESSAGE = 1 << 20;

const FOREIGN_PAGE =
  'this origin may not use the MCP endpoint: name it in mcp.origins of the configuration';

const NAMES = ['dotted', 'plain'];

const STREAM = 'there is no stream to listen to: messages are sent with POST';

export class McpHandler {
  readonly #requests: RequestTable;
  readonly #pool: QueryPool;
  readonly #gate: Gate;
  readonly #body: BodyRule;
  readonly #origins: PageOrigins;
  readonly #limit: ConcurrencyLimit = { size: 0 };
  readonly #cancellation: McpCancellation;

  /** `pass` passes cancelled calls on to the other HTTP processes. */
  constructor(
    { maxBody, mcpOrigins }: HttpSettings,
    requests: RequestTable,
    pool: QueryPool,
    gate: Gate,
    pass: (calls: readonly CancelledCall[]) => void,
  ) {
    this.#requests = requests;
    this.#pool = pool;
    this.#gate = gate;
    this.#body = { methods: ['POST'], limit: Math.min(maxBody, MESSAGE), keep: () => true };
    this.#origins = new PageOrigins(mcpOrigins);
    this.#cancellation = new McpCancellation(requests, this.#limit, pass);
  }

  /** cancel ends calls that another HTTP process was asked to cancel. */
  cancel(calls: readonly CancelledCall[]): void {
    for (const call of calls) this.#cancellation.cancel(call);
  }

  /** `challenge` is that of its requests, see HttpRequest. */
  route(token: TokenRule, challenge: Route['challenge']): Route {
    const handle: Route['handle'] = (request, caller) => this.#handle(request, caller);
    return { token, body: this.#body, handle, ...(challenge && { challenge }) };
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
    const names = query === '' ? '' : namesIn(query);
    if (!this.#requests.join(request, this.#limit))
      throw new ServiceError('busy', 'too many MCP requests wait already');
    // Bytes that are not UTF-8 are not JSON either.
    const message = body !== undefined && isUtf8(body) ? body.toString() : '';
    this.#cancellation.received(request, message);
    // An id of the session tells the calls of clients apart, also of those without a token. It is not kept here.
    if (message.includes('"initialize"') && fieldValue(headers, 'mcp-session-id') === '')
      request.response.addHeader('Mcp-Session-Id', randomUUID());
    const claims = caller?.claims ?? '';
    const traced = isTraced(request);
    // prettier-ignore
    request.worker = this.#pool.submit(
      packRequest(id, method, names, '', MCP, message, headers, requestId, role, claims, undefined, traced),
    );
  }
}

/**
 * The form of tool names in a query string, empty for the configured one. Throws ServiceError `invalid_parameter`. Other
 * parameters are ignored: a proxy may need them.
 */
function namesIn(query: string): string {
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
