/** Clients on keep-alive connections that send one request after another, at a pace, and count what came of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection, type Reply } from '../faults/http-connection.js';
import type { Random } from '../../bench/random.js';
import { bytesOf, FORGET, MIX, pickKind } from '../faults/requests.js';
import type { Soaked } from './services.js';

/** Requests by what came of them. */
export interface Counted {
  answered: number;
  /** Answers with a status of 500 or more, and requests without an answer. */
  failed: number;
}

/** How long an answer may take, milliseconds. */
const LIMIT = 20_000;

/** Most requests of a connection: clients come and go. */
const PER_CONNECTION = 500;

const KINDS = [...MIX, { ...FORGET, weight: 0.3 }];

export class Traffic {
  readonly counted: Counted = { answered: 0, failed: 0 };
  readonly #soaked: Soaked;
  readonly #random: Random;
  readonly #clients: Promise<void>[];
  #running = true;
  #sent = 0;

  /** `rate` is in requests a second, of all clients together. */
  constructor(soaked: Soaked, random: Random, clients: number, rate: number) {
    this.#soaked = soaked;
    this.#random = random;
    const pause = (1_000 * clients) / rate;
    this.#clients = Array.from({ length: clients }, () => this.#client(pause));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  async #client(pause: number): Promise<void> {
    const { port } = this.#soaked.service;
    let connection: HttpConnection | undefined;
    for (let sent = 0; this.#running; sent++) {
      if (sent % PER_CONNECTION === PER_CONNECTION - 1) connection?.close();
      if (connection?.open !== true) connection = new HttpConnection(port);
      const due = performance.now() + pause;
      const reply = await connection.ask(this.#request(), { limit: LIMIT });
      const failed = typeof reply === 'string' || isFailure(reply);
      this.counted[failed ? 'failed' : 'answered']++;
      await sleep(Math.max(0, due - performance.now()));
    }
    connection?.close();
  }

  #request(): string {
    const { authorization } = this.#soaked;
    const n = ++this.#sent;
    const bytes = this.#bytes(n);
    const header = authorization === '' ? '' : `Authorization: ${authorization}\r\n`;
    return bytes.replace('\r\nHost:', `\r\n${header}Host:`);
  }

  #bytes(n: number): string {
    const chance = this.#random.next();
    if (chance < 0.05) return 'GET /_PLUGIN/soak/Hello HTTP/1.1\r\nHost: localhost\r\n\r\n';
    if (chance < 0.12) return message(this.#random, n);
    if (chance < 0.14) return `GET /_QUERIES/mix/edited${n % 20}?n=${n} HTTP/1.1\r\nHost: localhost\r\n\r\n`; // prettier-ignore
    return bytesOf(pickKind(KINDS, this.#random), n);
  }
}

function isFailure({ status, headers }: Exclude<Reply, string>): boolean {
  return status >= 500 && headers.size > 0;
}

const CALLS = [
  { method: 'tools/list' },
  { method: 'tools/call', params: { name: 'service.list_tables', arguments: {} } },
  {
    method: 'tools/call',
    params: {
      name: 'service.select_table',
      arguments: { schema: 'public', table: 'item', filters: { id: [1, 2, 3] }, limit: 5 },
    },
  },
];

function message(random: Random, id: number): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id, ...random.pick(CALLS) });
  return `POST /_mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
