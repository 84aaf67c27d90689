/**
 * Clients that write rows, and read each one back with the position of the write, while the servers of a database change
 * their roles. A row has a number of its own, which is sent once.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from './postgres.js';
import type { Service } from './service.js';

/** The table that the load needs. */
export const LOAD_TABLE = 'CREATE TABLE load (id int, at timestamptz DEFAULT clock_timestamp());';

export const LOAD_SCRIPTS = {
  'load/add.write.sql': 'INSERT INTO load (id) VALUES ({{sqlVal "id"}}::int)',
  'load/find.read.sql':
    'SELECT count(*)::int AS n, inet_server_port() AS port FROM load WHERE id = {{sqlVal "id"}}::int',
};

/** Rows of all loads of this process. */
let rows = 0;

export class FailoverLoad {
  /** The rows whose write was answered with 200. */
  readonly acknowledged: number[] = [];
  /** The rows whose write was answered otherwise, or not at all, with the answers. */
  readonly refused = new Map<number, string>();
  /** Reads that did not find their row. */
  readonly stale: string[] = [];
  /** Reads that failed. */
  readonly failedReads: string[] = [];
  /** Reads by the port of the server that ran them. */
  readonly ports = new Map<number, number>();
  /** How long each request took, ms. */
  readonly writeTimes: number[] = [];
  readonly readTimes: number[] = [];
  readonly #service: Service;
  /** One connection a client: one that is opened while the service reloads may be reset (docs/operations.md). */
  readonly #agent: http.Agent;
  #stopped = false;
  readonly #clients: Promise<void>[];

  constructor(service: Service, clients: number) {
    this.#service = service;
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: clients });
    this.#clients = Array.from({ length: clients }, () => this.#run());
  }

  /** stop resolves when the requests in flight have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  /** lost gives the rows that were acknowledged and are not there. */
  async lost(server: Postgres): Promise<number[]> {
    const rows = await server.sql<{ id: number }>('SELECT id FROM load');
    const there = new Set(rows.map(({ id }) => id));
    return this.acknowledged.filter((id) => !there.has(id));
  }

  /** doubled gives the rows that are there more than once. */
  async doubled(server: Postgres): Promise<number[]> {
    const rows = await server.sql<{ id: number }>(
      'SELECT id FROM load WHERE id > 0 GROUP BY id HAVING count(*) > 1',
    );
    return rows.map(({ id }) => id);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#one(++rows);
      await sleep(2);
    }
  }

  async #one(id: number): Promise<void> {
    const began = performance.now();
    const written = await this.#ask(`load/add?id=${id}`, 'POST').catch(String);
    this.writeTimes.push(performance.now() - began);
    if (typeof written === 'string' || written.status !== 200) {
      this.refused.set(id, described(written));
      return;
    }
    this.acknowledged.push(id);
    const { position } = written;
    const asked = performance.now();
    const read = await this.#ask(`load/find?id=${id}`, 'GET', position).catch(String);
    this.readTimes.push(performance.now() - asked);
    if (typeof read === 'string' || read.status !== 200) {
      this.failedReads.push(described(read));
      return;
    }
    const [{ n, port }] = JSON.parse(read.text) as [{ n: number; port: number }];
    this.ports.set(port, (this.ports.get(port) ?? 0) + 1);
    if (n === 0) this.stale.push(`${id} at ${position ?? 'no position'} on ${port}`);
  }

  #ask(script: string, method: string, position?: string): Promise<Answer> {
    const headers = position === undefined ? {} : { 'Service-LSN': position };
    const options = { method, headers, agent: this.#agent };
    return new Promise((resolve, reject) => {
      const sent = http.request(`${this.#service.url}/_QUERIES/${script}`, options, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => {
          const { statusCode: status = 0, headers } = answer;
          resolve({ status, text, position: headers['service-lsn'] as string | undefined });
        });
        answer.on('error', reject);
      });
      sent.on('error', reject).end();
    });
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly position: string | undefined;
}

function described(answer: Answer | string): string {
  return typeof answer === 'string' ? answer : `${answer.status} ${answer.text}`;
}

/** percentiles describes times: the median, the 99th percentile and the longest, ms. */
export function percentiles(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms, of ${sorted.length}`;
}
