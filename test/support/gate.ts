/**
 * Statements that run until the test ends them: what runs beside them is tested by order instead of by time, which a busy
 * machine would stretch.
 */
import { until } from './until.js';
import type { Postgres } from './postgres.js';

/** Makes what gates need in a database. */
export const GATES = `
  CREATE TABLE open_gate (name text);
  CREATE FUNCTION wait_at(gate text) RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    WHILE NOT EXISTS (SELECT FROM public.open_gate WHERE name = gate) LOOP PERFORM pg_sleep(0.01); END LOOP;
    RETURN '';
  END $$;`;

/** Gate holds up the statements that wait at it until it is opened. */
export class Gate {
  /** Calls the function that waits at the gate. */
  readonly call: string;
  /** Waits at the gate; its one value is an empty text. */
  readonly sql: string;
  readonly #postgres: Postgres;
  readonly #name: string;

  constructor(postgres: Postgres, name: string) {
    this.#postgres = postgres;
    this.#name = name;
    this.call = `public.wait_at('${name}')`;
    this.sql = `SELECT ${this.call} AS waited`;
  }

  /** waiting is how many statements wait. */
  async waiting(): Promise<number> {
    const rows = await this.#postgres.sql(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%wait_at(''${this.#name}'')%'`,
    );
    return rows.length;
  }

  /** reached waits until that many statements wait. */
  async reached(count: number): Promise<void> {
    await until(async () => (await this.waiting()) === count);
  }

  /** open lets all statements pass, those that come later too. */
  async open(): Promise<void> {
    await this.#postgres.sql(`INSERT INTO public.open_gate VALUES ('${this.#name}')`);
  }

  /** close has the statements that come from now on wait. */
  async close(): Promise<void> {
    await this.#postgres.sql(`DELETE FROM public.open_gate WHERE name = '${this.#name}'`);
  }
}
