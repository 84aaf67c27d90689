/**
 * Requests to the endpoint: POST over connections that are kept, the token in each, and nowhere else, for no redirect is
 * followed. A message that met a kept connection just as it was closed is sent once more, over a new one; nothing else
 * is repeated.
 */
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Endpoint } from './endpoint.js';

/** Milliseconds in which a connection must come about, unless an answer must come sooner. */
const CONNECT_LIMIT = 10_000;

/** Timeout is why a request was given up. */
export class Timeout extends Error {
  override readonly name = 'Timeout';
}

export class HttpClient {
  readonly #endpoint: Endpoint;
  readonly #fixed: Readonly<Record<string, string>>;
  readonly #secure: boolean;
  readonly #agent: http.Agent;
  readonly #timeout: number;

  /**
   * `timeout` is how many milliseconds an answer may let wait for its next byte; `connections` the most that are open at
   * one time; `agent` the name in User-Agent.
   */
  constructor(endpoint: Endpoint, timeout: number, connections: number, agent: string) {
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

  /** post sends a body and resolves with the answer's head; its body is still to be read. `stop` gives both up. */
  async post(
    body: Buffer,
    headers: Readonly<Record<string, string>>,
    stop: AbortController,
  ): Promise<IncomingMessage> {
    const request = this.#request(headers, stop, this.#agent);
    try {
      return await answerTo(request, body);
    } catch (error) {
      const lost = request.reusedSocket && LOST.has((error as NodeJS.ErrnoException).code ?? '');
      if (!lost || stop.signal.aborted) throw error;
      return await answerTo(this.#request(headers, stop, false), body);
    }
  }

  /** close closes the connections. */
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

/** What it looks like when the other side closed a kept connection in the same moment. */
const LOST = new Set(['ECONNRESET', 'EPIPE']);

function answerTo(request: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request
      .on('error', reject)
      .on('response', resolve)
      // Node would close the connection and say nothing.
      .on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('switches to a protocol that nobody asked for'));
      })
      .end(body);
  });
}
