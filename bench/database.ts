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
  /** Version, where it is from, and whether statements are compiled: `PostgreSQL 15.18 (/usr/lib/…/bin), jit on`. */
  readonly description: string;
  /** loginFor creates a role for a contestant, which identifies its sessions. */
  loginFor(contestant: string): Promise<Login>;
  /** sessionsOf resolves to the process ids of the sessions of a role. */
  sessionsOf(user: string): Promise<number[]>;
  /** vacuum leaves nothing for autovacuum to do. */
  vacuum(): Promise<void>;
  clearEvents(): Promise<void>;
  /** countEvents counts the rows when no more are added: servers finish requests in flight after the load. */
  countEvents(): Promise<number>;
  stop(): Promise<void>;
}

/** Time without a new row, in milliseconds, after which the count is final. */
const QUIET = 200;

const DESCRIPTION = `SELECT format('PostgreSQL %s (%s), jit %s', split_part(current_setting('server_version'), ' ', 1), $1::text,
  CASE WHEN pg_jit_available() THEN 'on' ELSE 'off' END) AS text`;

const SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  max_connections: 300,
  timezone: 'UTC',
};

/** startDatabase starts the server, from the programs in `bin` or the embedded one, and loads the data. */
export async function startDatabase(say: (line: string) => void, bin?: string): Promise<Database> {
  const server = await start({ settings: SETTINGS, say, ...(bin === undefined ? {} : { bin }) });
  try {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(SCHEMA);
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
    const { rows } = await client.query<{ text: string }>(DESCRIPTION, [bin ?? 'embedded']);
    const { url, host, port, user, password, database, pid } = server;
    return {
      ...{ url, host, port, user, password, database, pid },
      description: rows[0]!.text,
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
      async vacuum() {
        await client.query('VACUUM ANALYZE');
        await client.query('VACUUM');
        await client.query('CHECKPOINT');
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
