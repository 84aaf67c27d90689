/** How many connections a service holds, as PostgreSQL counts them. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Test } from 'tap';
import type { Postgres } from './postgres.js';

/** ConnectionWatch counts a service's connections many times a second; `most` is the highest number seen. */
export class ConnectionWatch {
  most = 0;
  now = 0;
  readonly #client: pg.Client;
  readonly #done: Promise<void>;
  #running = true;

  constructor(t: Pick<Test, 'teardown'>, postgres: Postgres) {
    this.#client = new pg.Client({ connectionString: postgres.url });
    this.#done = this.#run();
    t.teardown(async () => {
      this.#running = false;
      await this.#done;
    });
  }

  async #run(): Promise<void> {
    await this.#client.connect();
    while (this.#running) {
      const { rows } = await this.#client.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'sql-rest-service'`,
      );
      this.now = rows[0]!.n;
      this.most = Math.max(this.most, this.now);
      await sleep(10);
    }
    await this.#client.end();
  }
}
