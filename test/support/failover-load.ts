/**
 * Clients that write rows, and read each one back with the position of the write, while the servers of a database change
 * their roles. A row has a number of its own, which is sent once.
 */
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
  #stopped = false;
  readonly #clients: Promise<void>[];

  constructor(service: Service, clients: number) {
    this.#service = service;
    this.#clients = Array.from({ length: clients }, () => this.#run());
  }

  /** stop resolves when the requests in flight have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
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
    const written = await this.#service.ask(`load/add?id=${id}`, { method: 'POST' }).catch(reason);
    this.writeTimes.push(performance.now() - began);
    if (typeof written === 'string' || written.status !== 200) {
      this.refused.set(
        id,
        typeof written === 'string' ? written : `${written.status} ${written.text}`,
      );
      return;
    }
    this.acknowledged.push(id);
    const position = written.headers.get('service-lsn');
    const headers = position === null ? undefined : { 'Service-LSN': position };
    const asked = performance.now();
    const read = await this.#service
      .ask(`load/find?id=${id}`, headers === undefined ? {} : { headers })
      .catch(reason);
    this.readTimes.push(performance.now() - asked);
    if (typeof read === 'string' || read.status !== 200) {
      this.failedReads.push(typeof read === 'string' ? read : `${read.status} ${read.text}`);
      return;
    }
    const [{ n, port }] = read.json as [{ n: number; port: number }];
    this.ports.set(port, (this.ports.get(port) ?? 0) + 1);
    if (n === 0) this.stale.push(`${id} at ${position ?? 'no position'} on ${port}`);
  }
}

/** reason tells why there was no response, which fetch has in a cause. */
function reason(error: unknown): string {
  const { cause = error } = error as Error;
  return cause instanceof Error ? cause.message : String(error);
}

/** percentiles describes times: the median, the 99th percentile and the longest, ms. */
export function percentiles(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms, of ${sorted.length}`;
}
