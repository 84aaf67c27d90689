/** Clients on keep-alive connections that ask one thing after another and check each answer. They never retry. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection, type ReadOptions, type Reply } from './http-connection.js';
import { fateOf, type Ledger } from './ledger.js';
import { shortOf, Tally, verdictOn, type Verdict } from './outcomes.js';
import type { Random } from '../../bench/random.js';
import { bytesOf, pickKind, type RequestKind } from './requests.js';

/** An answer that has not come after this many milliseconds is counted as hung: http.timeout and a margin. */
export const HTTP_TIMEOUT = 2_000;
export const HUNG_AFTER = HTTP_TIMEOUT + 4_000;

export interface LoadOptions {
  /** Port of the service at the moment. */
  readonly port: () => number;
  readonly clients: number;
  readonly kinds: readonly RequestKind[];
  readonly random: Random;
  readonly ledger: Ledger;
  /** The next number that no request had. */
  readonly next: () => number;
  /** Whether answers may end early, because the process that sends them is killed. */
  readonly mayCut: boolean;
}

export class Load {
  readonly tally = new Tally();
  readonly #options: LoadOptions;
  readonly #clients: Promise<void>[];
  #running = true;
  #moves = 0;
  /** Called with each verdict and the time at which its request was sent. */
  #watcher: ((verdict: Verdict, sent: number) => void) | undefined;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#clients = Array.from({ length: options.clients }, () => this.#client());
  }

  /** ask sends one request on a connection, judges its answer and counts it. */
  async ask(
    connection: HttpConnection,
    kind: RequestKind,
    { limit = HUNG_AFTER, ...rest }: Partial<ReadOptions> = {},
  ): Promise<Verdict> {
    const n = this.#options.next();
    const sent = performance.now();
    const reply = await connection.ask(bytesOf(kind, n), { limit, ...rest });
    return this.record(kind, n, reply, sent);
  }

  /** record judges and counts what came of a request that was sent in another way. */
  record(kind: RequestKind, n: number, reply: Reply, sent = 0): Verdict {
    const { ledger, mayCut } = this.#options;
    const fate = kind.writes === 'always' ? 'unknown' : fateOf(reply);
    if (kind.writes) ledger.note(n, fate, `${kind.name}: ${shortOf(reply)}`);
    const verdict = verdictOn(kind, n, reply, mayCut);
    this.tally.add(verdict, `${kind.name} ${n}`, reply);
    this.#watcher?.(verdict, sent);
    return verdict;
  }

  /**
   * streak waits for that many good answers in a row, of requests sent from now on; gives the milliseconds that the first
   * of these took to come about, or undefined when `limit` is over first.
   */
  async streak(count: number, limit: number): Promise<number | undefined> {
    const began = performance.now();
    let first = began;
    let good = 0;
    const done = new Promise<number>((resolve) => {
      this.#watcher = (verdict, sent) => {
        if (sent < began) return;
        good = verdict === 'good' ? good + 1 : 0;
        if (good === 1) first = performance.now();
        if (good === count) resolve(first - began);
      };
    });
    const over = new AbortController();
    const late = sleep(limit, undefined, { signal: over.signal }).catch(() => undefined);
    const took = await Promise.race([done, late]);
    over.abort();
    this.#watcher = undefined;
    return took;
  }

  /** move has each client open another connection for its next request, where the load is sent to now. */
  move(): void {
    this.#moves++;
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  async #client(): Promise<void> {
    const { port, kinds, random } = this.#options;
    let connection: HttpConnection | undefined;
    let moves = 0;
    while (this.#running) {
      if (moves !== this.#moves) connection?.close();
      moves = this.#moves;
      if (!connection?.open) connection = new HttpConnection(port());
      const verdict = await this.ask(connection, pickKind(kinds, random));
      // What fails at once must not fill the machine.
      if (verdict !== 'good') await sleep(10);
    }
    connection?.close();
  }
}
