/**
 * The MCP endpoint, as HTTP knows it: which requests reach it, and the way to a worker, which takes the message apart.
 * Refuses web pages of other places, which a browser on this machine or in its network would let in (DNS rebinding),
 * streams, which this endpoint has none of, and more requests than leave room for others.
 */
import { isUtf8 } from 'node:buffer';
import { MCP, packRequest } from '../protocol.js';
import type { DispatcherParts, RequestParts } from './dispatcher.js';
import type { Crowd, Exchange } from './exchange.js';
import type { Admitted } from './gate.js';

/** Origins of pages that this machine serves itself. */
const LOCAL = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

const FOREIGN_PAGE =
  'this origin may not use the MCP endpoint: name it in mcp.origins of the configuration';

const STREAM = 'there is no stream to listen to: messages are sent with POST';

/** McpDoor passes messages to workers. */
export class McpDoor {
  readonly #origins: ReadonlySet<string>;
  readonly #parts: Pick<DispatcherParts, 'exchanges' | 'pool'>;
  readonly #crowd: Crowd = { size: 0, sending: 0 };

  /** `origins` are those of web pages that may use it. */
  constructor(origins: readonly string[], parts: Pick<DispatcherParts, 'exchanges' | 'pool'>) {
    this.#origins = new Set(origins);
    this.#parts = parts;
  }

  /** pass has a worker answer a request. */
  pass(
    exchange: Exchange,
    { origin, headers, body }: RequestParts,
    { caller, role }: Admitted,
  ): void {
    const { exchanges, pool } = this.#parts;
    const { id, method, requestId } = exchange;
    if (origin !== '' && !LOCAL.test(origin) && !this.#origins.has(origin)) {
      exchanges.refuse(exchange, 'permission_denied', FOREIGN_PAGE);
      return;
    }
    if (!exchanges.isMethod(exchange, ['GET', 'HEAD', 'POST'])) return;
    if (method !== 'POST' && acceptsStream(headers)) {
      exchange.addHeader('Allow', 'POST, OPTIONS');
      exchanges.refuse(exchange, 'method_not_allowed', STREAM);
      return;
    }
    if (!exchanges.join(exchange, this.#crowd)) {
      exchanges.refuse(exchange, 'busy', 'too many MCP requests wait already');
      return;
    }
    // What is not UTF-8 is no JSON either.
    const message = body !== undefined && isUtf8(body) ? body.toString() : '';
    const claims = caller?.claims ?? '';
    exchange.worker = pool.submit(
      packRequest(id, method, '', '', MCP, message, headers, requestId, role, claims),
    );
  }
}

/** Whether a request is one for a stream: its client would otherwise take any answer for one, and ask again for ever. */
function acceptsStream(headers: string): boolean {
  const fields = headers.split('\n');
  return fields.some(
    (name, i) =>
      i % 2 === 0 && name === 'accept' && /\btext\/event-stream\b/i.test(fields[i + 1] ?? ''),
  );
}
