/**
 * The PostgreSQL server of the benchmark: the settings of a fresh installation, fsync included, with room for the
 * connections of all contestants at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { start } from '#scripts/embedded-postgres.mjs';
import { SCHEMA } from './data.js';

export interface Login {
  /** postgres:// URL, and below its parts, for programs without URLs. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface Database extends Login {
  /** Process id of the postmaster. */
  readonly pid: number;
  /** loginFor creates a role for a contestant, which identifies its sessions. */
  loginFor(contestant: string): Promise<Login>;
  /** sessionsOf resolves to the process ids of the sessions of a role. */
  sessionsOf(user: string): Promise<number[]>;
  clearEvents(): Promise<void>;
  /** countEvents counts the rows when no more are added: servers finish requests in flight after the load. */
  countEvents(): Promise<number>;
  stop(): Promise<void>;
}

/** Time without a new row, in milliseconds, after which the count is final. */
const QUIET = 200;

const SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  max_connections: 300,
  timezone: 'UTC',
};

/** startDatabase starts the server and loads the data. */
export async function startDatabase(say: (line: string) => void): Promise<Database> {
  const server = await start({ settings: SETTINGS, say });
  try {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(SCHEMA);
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
    const { url, host, port, user, password, database, pid } = server;
    return {
      ...{ url, host, port, user, password, database, pid },
      async loginFor(contestant) {
        const role = contestant.replaceAll(/\W/g, '_');
        const [name, secret] = [client.escapeIdentifier(role), client.escapeLiteral(password)];
        await client.query(`CREATE ROLE ${name} LOGIN SUPERUSER PASSWORD ${secret}`);
        const address = `${host}:${port}/${database}`;
        const roleUrl = `postgres://${role}:${password}@${address}`;
        return { ...{ host, port, password, database }, user: role, url: roleUrl };
      },
      async sessionsOf(role) {
        const { rows } = await client.query<{ pid: number }>(
          'SELECT pid FROM pg_stat_activity WHERE usename = $1',
          [role],
        );
        return rows.map((row) => row.pid);
      },
      async clearEvents() {
        await client.query('TRUNCATE events');
      },
      countEvents: () => settledCount(client),
      async stop() {
        await client.end();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function settledCount(client: pg.Client): Promise<number> {
  let before = -1;
  for (;;) {
    const { rows } = await client.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM events',
    );
    const { count } = rows[0]!;
    if (count === before) return count;
    before = count;
    await sleep(QUIET);
  }
}
