/** Clients that ask one thing after another for as long as a test wants, and what they were answered. */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { until } from './until.js';

/** Requests a second that a load asks for which is no flood: other tests run beside it. */
const PACE = 300;

/**
 * Time (milliseconds) after which a GET, or a request with a body, on a kept connection is asked again when that is reset: an HTTP process that drains
 * closes connections that were idle for 500 ms, which those of a load are only where its own process was held up.
 */
const IDLE = 250;

export interface LoadOptions {
  readonly port: number;
  readonly clients: number;
  readonly method?: string;
  /** Body of each request, which may be sent twice as a GET may. */
  readonly body?: string;
  /** Certificates that are trusted: HTTPS. */
  readonly ca?: readonly string[];
  /**
   * A connection for each request. It is tried again once when it is reset: the kernel may have taken it for an HTTP process
   * that closes its socket at that moment (docs/operations.md).
   */
  readonly anew?: boolean;
  /** As fast as they are answered. Otherwise about PACE requests a second, so that the machine is not the bottleneck. */
  readonly flood?: boolean;
  /** The status that is no failure, 200 by default. */
  readonly wanted?: number;
  /** Target of the n-th request. */
  readonly target: (n: number) => string;
  /** Told the body of each answer that was wanted. */
  readonly answered?: (body: string) => void;
}

/** Load runs from its construction until stop, or until the test ends. */
export class Load {
  /** Number of answers by status; 0 for requests that got none. */
  readonly statuses = new Map<number, number>();
  /** Answers that were not wanted, and what became of requests without one, the first hundred. */
  readonly failures: string[] = [];
  /** Those without an answer alone, the first hundred. */
  readonly unanswered: string[] = [];
  /** Bodies of answers that were wanted, the first hundred that differ. */
  readonly bodies = new Set<string>();
  /** Answers with status 503 that had no Retry-After, or had one although the request may have taken effect. */
  bare = 0;
  /** Answers with status 503 and the SQLSTATE 08007. */
  unknown = 0;
  asked = 0;
  #running = true;
  readonly #began = performance.now();
  readonly #agent: http.Agent;
  readonly #clients: Promise<void>[];
  /** When the last request of a connection was sent. */
  readonly #sent = new WeakMap<Socket, number>();

  constructor(t: Pick<Test, 'teardown'>, options: LoadOptions) {
    const { clients: maxSockets, ca, anew } = options;
    const keepAlive = anew !== true;
    this.#agent = ca
      ? new https.Agent({ keepAlive, maxSockets, ca: [...ca] })
      : new http.Agent({ keepAlive, maxSockets });
    this.#clients = Array.from({ length: options.clients }, () => this.#run(options));
    t.teardown(() => this.stop());
  }

  count(status: number): number {
    return this.statuses.get(status) ?? 0;
  }

  /** reached waits until so many answers with a status have come. */
  async reached(count: number, status = 200): Promise<true> {
    await until(() => this.count(status) >= count);
    return true;
  }

  /** more waits until that many more answers with a status have come. */
  more(count: number, status = 200): Promise<true> {
    return this.reached(this.count(status) + count, status);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  async #run(options: LoadOptions): Promise<void> {
    const { clients, flood, wanted = 200, target } = options;
    const pause = flood === true ? 0 : (1_000 * clients) / PACE;
    while (this.#running) {
      const path = target(this.asked++);
      const status =
        (await this.#ask(options, path, true)) ?? (await this.#ask(options, path, false)) ?? 0;
      this.statuses.set(status, this.count(status) + 1);
      // What fails at once must not fill the machine either.
      const wait = status === wanted ? pause : Math.max(pause, 10);
      if (wait > 0) await sleep(wait);
      await setImmediate(); // which sees first what connections were closed meanwhile
    }
  }

  /** The status of one answer, 0 when there is none; undefined when the request is to be sent again. */
  #ask(options: LoadOptions, path: string, retry: boolean): Promise<number | undefined> {
    const { port, body, method = body === undefined ? 'GET' : 'POST', wanted = 200 } = options;
    const { ca, answered, anew } = options;
    const { request } = ca ? https : http;
    return new Promise((resolve) => {
      let idle = 0;
      const failed = (error: NodeJS.ErrnoException, part: string): void => {
        const harmless = method === 'GET' || body !== undefined;
        const mayBe = anew === true || (harmless && sent.reusedSocket && idle > IDLE);
        const again = retry && mayBe && error.code === 'ECONNRESET' && part === 'head';
        if (!again) this.#lost(sent, error, part);
        resolve(again ? undefined : 0);
      };
      const sent = request(
        { port, method, path, host: '127.0.0.1', agent: this.#agent },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => (text += part));
          answer.on('end', () => {
            const { statusCode = 0, headers } = answer;
            if (statusCode !== wanted) {
              this.#failed(`${statusCode} ${text}`);
            } else {
              answered?.(text);
              if (this.bodies.size < 100) this.bodies.add(text);
            }
            const unknown = statusCode === 503 && text.includes('"08007"');
            if (unknown) this.unknown++;
            if (statusCode === 503 && unknown === (headers['retry-after'] !== undefined))
              this.bare++;
            resolve(statusCode);
          });
          answer.on('error', (error) => failed(error, `body after ${text.length} characters`));
        },
      );
      sent.on('finish', () => {
        const { socket } = sent;
        const now = performance.now();
        if (socket === null) return;
        idle = now - (this.#sent.get(socket) ?? now);
        this.#sent.set(socket, now);
      });
      sent.on('error', (error) => failed(error, 'head')).end(body);
    });
  }

  #lost({ reusedSocket, socket }: http.ClientRequest, error: Error, part: string): void {
    if (this.unanswered.length === 100) return;
    const at = Math.round(performance.now() - this.#began);
    const connection = `${reusedSocket ? 'used' : 'new'} connection from port ${socket?.localPort ?? '?'}`;
    const failure = `${at} ms, ${part}, ${connection}: ${String(error)}`;
    this.unanswered.push(failure);
    this.#failed(failure);
  }

  #failed(failure: string): void {
    if (this.failures.length < 100) this.failures.push(failure);
  }
}
