/** Clients that ask one thing after another for as long as a test wants, and what they were answered. */
import http from 'node:http';
import https from 'node:https';
import type { Test } from 'tap';

export interface LoadOptions {
  readonly port: number;
  readonly clients: number;
  readonly method?: string;
  /** Certificates that are trusted: HTTPS. */
  readonly ca?: readonly string[];
  /**
   * A connection for each request. It is tried again once when it is reset: the kernel may have taken it for a front end
   * that closes its socket at that moment (docs/operations.md).
   */
  readonly anew?: boolean;
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
  /** Answers that were not wanted, and errors, the first hundred. */
  readonly failures: string[] = [];
  /** Bodies of answers that were wanted, the first hundred that differ. */
  readonly bodies = new Set<string>();
  /** Answers with status 503 that had no Retry-After. */
  bare = 0;
  asked = 0;
  #running = true;
  readonly #agent: http.Agent;
  readonly #clients: Promise<void>[];

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

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  async #run(options: LoadOptions): Promise<void> {
    const { wanted = 200, target, anew } = options;
    while (this.#running) {
      const path = target(this.asked++);
      const status =
        (await this.#ask(options, path, anew === true)) ??
        (await this.#ask(options, path, false)) ??
        0;
      this.statuses.set(status, this.count(status) + 1);
      // What fails at once must not fill the machine.
      if (status !== wanted) await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** The status of one answer, 0 when there is none; undefined when the request is to be sent again. */
  #ask(options: LoadOptions, path: string, retry: boolean): Promise<number | undefined> {
    const { port, method = 'GET', wanted = 200, ca, answered } = options;
    const { request } = ca ? https : http;
    return new Promise((resolve) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        const again = retry && error.code === 'ECONNRESET';
        if (!again) this.#failed(String(error));
        resolve(again ? undefined : 0);
      };
      request({ port, method, path, host: '127.0.0.1', agent: this.#agent }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => (body += text));
        answer.on('end', () => {
          const { statusCode = 0, headers } = answer;
          if (statusCode !== wanted) this.#failed(`${statusCode} ${body}`);
          else {
            answered?.(body);
            if (this.bodies.size < 100) this.bodies.add(body);
          }
          if (statusCode === 503 && headers['retry-after'] === undefined) this.bare++;
          resolve(statusCode);
        });
        answer.on('error', (error) => {
          this.#failed(String(error));
          resolve(0);
        });
      })
        .on('error', failed)
        .end();
    });
  }

  #failed(failure: string): void {
    if (this.failures.length < 100) this.failures.push(failure);
  }
}
