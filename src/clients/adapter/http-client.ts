/**
 * HTTP client of the endpoint: POST over kept-alive connections. Redirects are not followed, so the token goes nowhere
 * else. A request whose kept-alive connection was closed before the response is sent once more on a new connection;
 * nothing else is retried.
 */
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { ServerEndpoint } from './endpoint.js';

/** Time limit for connecting, ms, if `timeout` is not shorter. */
const CONNECT_LIMIT = 10_000;

export class Timeout extends Error {
  override readonly name = 'Timeout';
}

export class HttpClient {
  readonly #endpoint: ServerEndpoint;
  readonly #fixed: Readonly<Record<string, string>>;
  readonly #secure: boolean;
  readonly #agent: http.Agent;
  readonly #timeout: number;

  /**
   * `timeout` limits the wait for the next byte of a response, ms; `connections` is the maximum of open connections;
   * `agent` is the User-Agent.
   */
  constructor(endpoint: ServerEndpoint, timeout: number, connections: number, agent: string) {
    this.#endpoint = endpoint;
    this.#timeout = timeout;
    this.#fixed = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'User-Agent': agent,
      ...(endpoint.authorization !== undefined && { Authorization: endpoint.authorization }),
    };
    this.#secure = endpoint.url.protocol === 'https:';
    const kept = { keepAlive: true, maxSockets: connections, maxFreeSockets: connections };
    this.#agent = this.#secure ? new https.Agent(kept) : new http.Agent(kept);
  }

  /** post sends a body and resolves with the response, whose body is not read yet. `stop` aborts both. */
  async post(
    body: Buffer,
    headers: Readonly<Record<string, string>>,
    stop: AbortController,
  ): Promise<IncomingMessage> {
    const request = this.#request(headers, stop, this.#agent);
    try {
      return await responseTo(request, body);
    } catch (error) {
      const lost = request.reusedSocket && LOST.has((error as NodeJS.ErrnoException).code ?? '');
      if (!lost || stop.signal.aborted) throw error;
      return await responseTo(this.#request(headers, stop, false), body);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #request(
    headers: Readonly<Record<string, string>>,
    stop: AbortController,
    agent: http.Agent | false,
  ): ClientRequest {
    const { request } = this.#secure ? https : http;
    const made = request(this.#endpoint.url, {
      method: 'POST',
      agent,
      headers: { ...this.#fixed, ...headers },
      signal: stop.signal,
    });
    made.setTimeout(this.#timeout, () => {
      stop.abort(new Timeout(`said nothing for ${this.#timeout / 1000} s`));
    });
    made.once('socket', (socket) => {
      if (!socket.connecting) return;
      const most = Math.min(CONNECT_LIMIT, this.#timeout);
      const limit = setTimeout(() => {
        stop.abort(new Timeout(`takes no connection within ${most / 1000} s`));
      }, most);
      const settle = (): void => clearTimeout(limit);
      socket.once(this.#secure ? 'secureConnect' : 'connect', settle).once('close', settle);
    });
    return made;
  }
}

/** Errors of a kept-alive connection that the other side has just closed. */
const LOST = new Set(['ECONNRESET', 'EPIPE']);

function responseTo(request: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request
      .on('error', reject)
      .on('response', resolve)
      // Without this listener Node closes the connection without an event.
      .on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('switches to a protocol that nobody asked for'));
      })
      .end(body);
  });
}
