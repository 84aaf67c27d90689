/**
 * `GET /metrics` on an address of its own, served by the supervisor: a few scrapers at a time, none of which can delay it
 * or grow its memory, or keep others out with connections that it does not use. Loaded only when it is configured.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isThisMachine, refusalOf } from '../../base/this-machine.js';
import { MetricsToken } from '../http/routes/metrics-token.js';
import type { Logger } from '../../observe/log.js';
import type { Exposition } from '../../observe/metrics/exposition.js';
import type { MetricsSettings } from '../../messages/supervisor-settings.js';
import { listenFailure } from './port-claim.js';

type Address = NonNullable<MetricsSettings['listen']>;

/** Most connections, and responses that are being sent: each is the whole text in memory. */
const CONNECTIONS = 32;
const SENDING = 4;

/** How long a scraper may take to send a request, and to receive its response (milliseconds). */
const REQUEST_LIMIT = 5_000;
const RESPONSE_LIMIT = 30_000;

/** Longer than most intervals between scrapes, so that connections stay open. */
const KEEP_ALIVE = 120_000;

const LARGEST_HEADERS = 16_384;

export class MetricsServer {
  readonly #address: Address;
  readonly #server: Server;
  readonly #scrape: (accept: string) => Exposition | undefined;
  /** Undefined: none is needed. */
  #token: MetricsToken | undefined;
  #sending = 0;
  /** Whether each connection has a request, the oldest first. */
  readonly #connections = new Map<Socket, boolean>();

  private constructor(address: Address, scrape: (accept: string) => Exposition | undefined) {
    this.#address = address;
    this.#scrape = scrape;
    this.#server = createServer(
      {
        maxHeaderSize: LARGEST_HEADERS,
        headersTimeout: REQUEST_LIMIT,
        requestTimeout: REQUEST_LIMIT,
        connectionsCheckingInterval: REQUEST_LIMIT,
        keepAliveTimeout: KEEP_ALIVE,
      },
      (request, response) => this.#respond(request, response),
    );
    this.#server.on('connection', (socket) => {
      this.#connections.set(socket, false);
      socket.once('close', () => this.#connections.delete(socket));
      if (this.#connections.size <= CONNECTIONS) return;
      [...this.#connections].find(([, busy]) => !busy)?.[0].destroy();
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** open listens on an address; `scrape` gives the metrics, undefined when it cannot. Rejects with the reason why it cannot. */
  static async open(
    address: Address,
    scrape: (accept: string) => Exposition | undefined,
    log: Logger,
  ): Promise<MetricsServer> {
    const made = new MetricsServer(address, scrape);
    const { host, port } = address;
    try {
      await new Promise<void>((resolve, reject) => {
        made.#server.once('error', reject);
        made.#server.listen({ host, port, exclusive: true }, resolve);
      });
    } catch (error) {
      const reason = listenFailure(host, port, error as NodeJS.ErrnoException);
      throw new Error(`metrics.listen: ${reason}`, { cause: error });
    }
    made.#server.on('error', (error) => log.error({ err: error }, 'metrics cannot be served'));
    const { port: used } = made.#server.address() as AddressInfo;
    const name = host.includes(':') ? `[${host}]` : host;
    log.info({ url: `http://${name}:${used}/metrics` }, 'serving metrics');
    return made;
  }

  isAt({ host, port }: Address): boolean {
    return this.#address.host === host && this.#address.port === port;
  }

  /** protect sets the token that requests need; undefined: none. */
  protect(token: string | undefined): void {
    this.#token = token === undefined ? undefined : new MetricsToken(token);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const { method, url = '', headers, socket } = request;
    this.#connections.set(socket, true);
    response.once('close', () => socket.destroyed || this.#connections.set(socket, false));
    const { host = '', origin = '' } = headers;
    // A page whose name leads to this machine (DNS rebinding) has no token; elsewhere scrapers use any name.
    const isLocal = this.#token === undefined && isThisMachine(this.#address.host);
    if (isLocal && refusalOf({ host, origin }) !== undefined)
      end(response, 421, 'only requests to this machine: localhost or 127.0.0.1');
    else if (!/^\/metrics(?:\?|$)/.test(url)) end(response, 404, 'the metrics are at /metrics');
    else if (!this.#admits(headers.authorization)) {
      response.setHeader('WWW-Authenticate', 'Bearer');
      end(response, 401, 'a token is required: metrics.token');
    } else if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      end(response, 405, 'only GET and HEAD');
    } else if (this.#sending >= SENDING) {
      response.setHeader('Retry-After', '1');
      end(response, 503, 'too many scrapes at a time');
    } else this.#send(headers.accept ?? '', response);
  }

  #send(accept: string, response: ServerResponse): void {
    const exposition = this.#scrape(accept);
    if (exposition === undefined) {
      end(response, 500, 'the metrics cannot be read; see the log');
      return;
    }
    this.#sending++;
    const overdue = setTimeout(() => response.destroy(), RESPONSE_LIMIT).unref();
    response.once('close', () => {
      this.#sending--;
      clearTimeout(overdue);
    });
    const { contentType, body } = exposition;
    response.writeHead(200, {
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
    });
    response.end(body); // Node sends no body to HEAD
  }

  #admits(authorization: string | undefined): boolean {
    if (this.#token === undefined) return true;
    const [, given] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    return given !== undefined && this.#token.matches(given);
  }
}

function end(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(`${message}\n`);
}
