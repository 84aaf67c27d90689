/**
 * The PostgreSQL server of the benchmark: the settings of a fresh installation, fsync included, with room for the
 * connections of all contestants at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { start } from '#scripts/embedded-postgres.mjs';
import { SCHEMA } from './data.js';

/** Login is how somebody connects. */
export interface Login {
  /** postgres:// URL, and its parts for programs that take none. */
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
  /** loginFor makes a role for a contestant, by which its sessions are known. */
  loginFor(contestant: string): Promise<Login>;
  /** sessionsOf is the process ids of the sessions that a role has. */
  sessionsOf(user: string): Promise<number[]>;
  clearEvents(): Promise<void>;
  /** countEvents counts the rows once no more come: servers finish what was under way when the load ended. */
  countEvents(): Promise<number>;
  stop(): Promise<void>;
}

/** How long no row must have come, in milliseconds. */
const QUIET = 200;

const SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  max_connections: 300,
  timezone: 'UTC',
};

/** startDatabase starts the server and fills it. */
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
