/** Clients that ask one thing after another for as long as a test wants, and what they were answered. */
import { Agent, request } from 'node:http';
import type { Test } from 'tap';

export interface LoadOptions {
  readonly port: number;
  readonly clients: number;
  readonly method?: string;
  /** The status that is no failure, 200 by default. */
  readonly wanted?: number;
  /** Target of the n-th request. */
  readonly target: (n: number) => string;
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
  readonly #agent: Agent;
  readonly #clients: Promise<void>[];

  constructor(t: Pick<Test, 'teardown'>, options: LoadOptions) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.clients });
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

  async #run({ port, method = 'GET', wanted = 200, target }: LoadOptions): Promise<void> {
    while (this.#running) {
      const path = target(this.asked++);
      const status = await new Promise<number>((resolve) => {
        request({ port, method, path, host: '127.0.0.1', agent: this.#agent }, (answer) => {
          let body = '';
          answer.setEncoding('utf8').on('data', (text: string) => (body += text));
          answer.on('end', () => {
            const { statusCode = 0, headers } = answer;
            if (statusCode !== wanted) this.#failed(`${statusCode} ${body}`);
            else if (this.bodies.size < 100) this.bodies.add(body);
            if (statusCode === 503 && headers['retry-after'] === undefined) this.bare++;
            resolve(statusCode);
          });
          answer.on('error', (error) => {
            this.#failed(String(error));
            resolve(0);
          });
        })
          .on('error', (error) => {
            this.#failed(String(error));
            resolve(0);
          })
          .end();
      });
      this.statuses.set(status, this.count(status) + 1);
      // What fails at once must not fill the machine.
      if (status !== wanted) await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #failed(failure: string): void {
    if (this.failures.length < 100) this.failures.push(failure);
  }
}
