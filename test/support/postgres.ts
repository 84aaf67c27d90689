/**
 * PostgreSQL for a test: the embedded one, or with TEST_POSTGRES_BIN that of another folder of programs, which the runner names
 * for `--postgres`. Under `npm test` the files that run one after the other share a server, and each gets it empty: a new
 * database `postgres` and no roles. A file that is run by hand starts a server, which ends with the process. A test
 * that configures, stops or restarts its server, or changes settings of the whole server, takes one of its own.
 */
import pg from 'pg';
import type { Test } from 'tap';
import { start, type EmbeddedOptions, type EmbeddedServer } from '#scripts/embedded-postgres.mjs';
import { until } from './until.js';

/** URL of the shared server, from the runner (scripts/test/run-file.mjs). */
const SHARED = process.env['TEST_POSTGRES'];

export interface Postgres extends Pick<
  EmbeddedServer,
  'host' | 'port' | 'user' | 'password' | 'database' | 'url'
> {
  /** sql runs statements on a connection of its own and gives the rows of the last one. */
  sql<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

export type OwnPostgres = Postgres & EmbeddedServer;

/** Whether a test of this process uses the shared server now. */
let taken = false;

/** startPostgres gives an empty server until `t` ends; `setup` is SQL run first. */
export async function startPostgres(
  t: Pick<Test, 'teardown'>,
  options: { readonly setup?: string } = {},
): Promise<Postgres> {
  if (SHARED === undefined || taken) return startOwnPostgres(t, options);
  taken = true;
  // As at the end of a server, all that is connected is cut off, and nothing connects again.
  t.teardown(async () => {
    await empty(SHARED);
    taken = false;
  });
  await empty(SHARED, ['ALTER ROLE postgres RESET ALL', 'CREATE DATABASE postgres']);
  const { hostname: host, port, username: user, password } = new URL(SHARED);
  const server = { host, port: Number(port), user, password, database: 'postgres', url: SHARED };
  return prepared(server, options.setup);
}

/** startOwnPostgres starts a server for `t` alone, which is stopped when it ends. */
export async function startOwnPostgres(
  t: Pick<Test, 'teardown'>,
  options: EmbeddedOptions & { readonly setup?: string } = {},
): Promise<OwnPostgres> {
  const server = await start(options);
  t.teardown(() => server.stop());
  return prepared(server, options.setup);
}

async function prepared<Server extends { readonly url: string }>(
  server: Server,
  setup: string | undefined,
): Promise<Server & Pick<Postgres, 'sql'>> {
  const postgres = Object.assign(server, {
    sql: <Row extends object>(text: string, values?: readonly unknown[]) =>
      query<Row>(server.url, text, values),
  });
  if (setup !== undefined) await postgres.sql(setup);
  return postgres;
}

/** versionOf is the major version of a server, on which an expectation may depend. */
export async function versionOf(postgres: Pick<Postgres, 'sql'>): Promise<number> {
  const [row] = await postgres.sql<{ version: number }>(
    "SELECT current_setting('server_version_num')::int / 10000 AS version",
  );
  return row!.version;
}

/** empty drops the sessions, databases and roles of a server, which a file that was killed leaves too; then runs `and`. */
async function empty(url: string, and: readonly string[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url.replace(/[^/]*$/, 'template1') });
  await client.connect();
  const names = async (text: string): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(text);
    return rows.map(({ name }) => client.escapeIdentifier(name));
  };
  try {
    const databases = "SELECT datname AS name FROM pg_database WHERE datname !~ '^template[01]$'";
    for (const name of await names(databases)) await client.query(`DROP DATABASE ${name} (FORCE)`);
    const roles = "SELECT rolname AS name FROM pg_roles WHERE rolname !~ '^(pg_|postgres$)'";
    for (const name of await names(roles)) await client.query(`DROP ROLE ${name}`);
    for (const text of and) await client.query(text);
  } finally {
    await client.end();
  }
}

/** connections is how many clients are connected; with `wanted`, once there are that many. */
export function connections(postgres: Postgres, wanted?: number): Promise<number> {
  return until(async () => {
    const [row] = await postgres.sql<{ n: number }>(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    return (wanted === undefined || row!.n === wanted) && row!.n;
  }, 50);
}

async function query<Row extends object>(
  url: string,
  text: string,
  values?: readonly unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Without values pg uses the simple protocol, which takes several statements and gives a list of results.
    const result = (values ? await client.query(text, [...values]) : await client.query(text)) as
      pg.QueryResult<Row> | pg.QueryResult<Row>[];
    return (Array.isArray(result) ? result.at(-1)! : result).rows;
  } finally {
    await client.end();
  }
}
