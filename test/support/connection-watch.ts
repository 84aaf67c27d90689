/**
 * How many connections a service holds: those that PostgreSQL lists, without those that the service has closed. Their
 * backends may be listed for a moment longer, beside that of the connection that takes their place.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Test } from 'tap';
import type { Postgres } from './postgres.js';
import { connectedOf } from './tcp-state.js';

/**
 * ConnectionWatch counts the connections that have a name, a service's by default, many times a second; `most` is the highest
 * number seen, and `now` at least the last one.
 */
export class ConnectionWatch {
  most = 0;
  now = 0;
  readonly #client: pg.Client;
  readonly #done: Promise<void>;
  #running = true;

  constructor(t: Pick<Test, 'teardown'>, postgres: Postgres, name = 'sql-rest-service') {
    this.#client = new pg.Client({ connectionString: postgres.url });
    this.#done = this.#run(postgres.port, name);
    t.teardown(async () => {
      this.#running = false;
      await this.#done;
    });
  }

  async #run(port: number, name: string): Promise<void> {
    await this.#client.connect();
    while (this.#running) {
      const { rows } = await this.#client.query<{ client_port: number }>(
        'SELECT client_port FROM pg_stat_activity WHERE application_name = $1',
        [name],
      );
      // Those that were listed and are still connected were so at the same time. The kernel takes milliseconds to list
      // connections: it is asked only where the number might be the highest.
      const ports = rows.map((row) => row.client_port);
      this.now = ports.length > this.most ? connectedOf(port, ports).length : ports.length;
      this.most = Math.max(this.most, this.now);
      await sleep(10);
    }
    await this.#client.end();
  }
}
