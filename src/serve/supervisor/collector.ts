/** One collector of traces: sends it requests, one at a time, over a connection that stays open. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { TraceExportSettings } from '../../messages/supervisor-settings.js';
import { version } from '../../base/version.js';

/** Longest response that is read (bytes). */
const LONGEST_RESPONSE = 65_536;

export interface CollectorResponse {
  readonly status: number;
  /** As sent; undefined for none. */
  readonly retryAfter: string | undefined;
  /** Empty when it is too long. */
  readonly body: Buffer;
}

export class Collector {
  readonly #settings: TraceExportSettings;
  readonly #limit: number;
  readonly #module: typeof http | typeof https;
  readonly #agent: http.Agent;

  /** `limit` is how long it may take to connect and respond, milliseconds. */
  constructor(settings: TraceExportSettings, limit: number) {
    this.#settings = settings;
    this.#limit = limit;
    this.#module = settings.url.startsWith('https:') ? https : http;
    this.#agent = new this.#module.Agent({ keepAlive: true, maxSockets: 1 });
  }

  /** post sends a request. Rejects with an Error when there is no response in time. */
  post(body: Buffer): Promise<CollectorResponse> {
    const { url, headers } = this.#settings;
    return new Promise((resolve, reject) => {
      const request = this.#module.request(url, {
        method: 'POST',
        agent: this.#agent,
        headers: {
          ...headers,
          'content-type': 'application/x-protobuf',
          'content-length': body.length,
          'user-agent': `sql-rest-service/${version()}`,
        },
      });
      const overdue = setTimeout(
        () => request.destroy(new Error(`no response in ${this.#limit / 1_000} s`)),
        this.#limit,
      ).unref();
      request.on('close', () => {
        clearTimeout(overdue);
        reject(new Error('the connection was closed')); // unless there was a response
      });
      request.on('error', reject);
      request.on('response', (response) => {
        response.on('error', reject);
        read(response, (text) => {
          const { statusCode: status = 0, headers: given } = response;
          resolve({ status, retryAfter: given['retry-after'], body: text });
        });
      });
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Reads a response to its end; one that is too long ends its connection. */
function read(response: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= LONGEST_RESPONSE) {
      chunks.push(chunk);
      return;
    }
    done(Buffer.alloc(0));
    response.destroy();
  });
  response.on('end', () => done(Buffer.concat(chunks)));
}
