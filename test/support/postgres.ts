/**
 * A PostgreSQL server for one test: started empty, gone with the test (or with its process, should that be killed).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Test } from 'tap';
import { start, type EmbeddedOptions, type EmbeddedServer } from '#scripts/embedded-postgres.mjs';

export interface Postgres extends EmbeddedServer {
  /** sql runs statements on a connection of its own and gives the rows of the last one. */
  sql<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** startPostgres starts a server that is stopped when `t` ends; `setup` is SQL run first. */
export async function startPostgres(
  t: Pick<Test, 'teardown'>,
  options: EmbeddedOptions & { readonly setup?: string } = {},
): Promise<Postgres> {
  const server = await start(options);
  t.teardown(() => server.stop());
  const postgres = Object.assign(server, {
    sql: <Row extends object>(text: string, values?: readonly unknown[]) =>
      query<Row>(server.url, text, values),
  });
  if (options.setup !== undefined) await postgres.sql(options.setup);
  return postgres;
}

/** connections is how many clients are connected; with `wanted`, once there are that many, or after three seconds. */
export async function connections(postgres: Postgres, wanted?: number): Promise<number> {
  for (let i = 0; ; i++) {
    const [row] = await postgres.sql<{ n: number }>(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    if (wanted === undefined || row!.n === wanted || i === 60) return row!.n;
    await sleep(50);
  }
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
