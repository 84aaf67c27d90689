/** The database fails the registry: the answer says what is known, the log says why, and neither has a script in it. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { startPostgres, type Postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { makeTable, TABLE, TestedRegistry } from './tested-registry.js';

const FAILED = 'could not execute sql, check your service logs';
const body = { read_sql: 'SELECT secret' };
const ALL = ['GET /', 'GET /a/b', 'GET /a/b?history', 'PUT /a/b', 'POST /', 'DELETE /a/b'];

const askAll = (registry: TestedRegistry): Promise<string[]> =>
  Promise.all(
    ALL.map((target) => {
      const sent = target === 'POST /' ? { ...body, location: 'a', name: 'b' } : body;
      return registry.error(target, target.includes('P') ? { body: sent } : {});
    }),
  );

/** Runs `work` while another session has locked the table. */
async function locked(server: Postgres, work: (other: pg.Client) => Promise<void>): Promise<void> {
  const other = new pg.Client({ connectionString: server.url });
  await other.connect();
  try {
    await other.query('BEGIN; LOCK TABLE service_queries');
    await work(other);
  } finally {
    await other.end();
  }
}

/** waiting waits until that many statements wait for the lock. */
async function waiting(server: Postgres, count: number): Promise<void> {
  const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query NOT LIKE 'LOCK%'`;
  await until(async () => (await server.sql(sql)).length === count);
}

function silentOf(t: Test, registry: TestedRegistry): void {
  t.notMatch(JSON.stringify(registry.logged), /secret|SELECT|INSERT/, 'no script in the log');
}

t.test('no registry', async (t) => {
  const server = { host: '127.0.0.1', port: 1, password: 'x' };
  const registry = new TestedRegistry(t, server, { stored: false });
  t.equal(await registry.error('GET /'), '404 not_found: 404 page not found');
});

t.test('no database', async (t) => {
  const registry = new TestedRegistry(t, { host: '127.0.0.1', port: 1, password: 'x' });
  for (const told of await askAll(registry)) t.equal(told, `503 08001: ${FAILED}`);
  t.match(registry.logged[0], { level: 'error', state: '08001', requestId: 'r1', user: 'ann' });
  silentOf(t, registry);
});

t.test('a server', async (t) => {
  const server = await startPostgres(t);

  await t.test('no table', async (t) => {
    const registry = new TestedRegistry(t, server);
    const told = await askAll(registry);
    const wanted = ALL.map((target) =>
      target.includes('history') ? /^501 history_missing: / : `500 42P01: ${FAILED}`,
    );
    t.match(told, wanted);
    t.match(registry.logged[0], { level: 'warn', state: '42P01' });
    silentOf(t, registry);
  });

  await t.test('debug tells the reason', async (t) => {
    const registry = new TestedRegistry(t, server, { debug: true });
    const { json } = await registry.ask('GET /');
    t.match(json, { error: FAILED, code: '42P01', message: /does not exist/ });
  });

  await t.test('no history', async (t) => {
    await server.sql(`CREATE TABLE service_queries (id serial PRIMARY KEY,
      database_alias text NOT NULL DEFAULT '', location text NOT NULL, name text NOT NULL,
      read_sql text, write_sql text, update_sql text, delete_sql text, description text,
      created_by text, created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(), UNIQUE (database_alias, location, name))`);
    const registry = new TestedRegistry(t, server);
    t.equal((await registry.ask('PUT /a/b', { body })).status, 201, 'the rest works');
    const missing = /^501 history_missing: the history of scripts is not kept: run `sql-rest-service migrate up queries`/; // prettier-ignore
    t.match(await registry.error('GET /a/b?history'), missing);
    t.match(await registry.error('POST /a/b?rollback=1'), missing);
  });

  await t.test('a refusal of the database', async (t) => {
    await makeTable(t, server);
    await server.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no: %', NEW.read_sql; END $$;
      CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON service_queries
        FOR EACH ROW WHEN (NEW.location = 'refused') EXECUTE FUNCTION refuse()`);
    const registry = new TestedRegistry(t, server);
    t.equal(await registry.error('PUT /refused/b', { body }), `400 P0001: ${FAILED}`);
    t.equal(registry.refreshed, 0);
    silentOf(t, registry);
  });

  await t.test('lost during a change: the outcome is unknown', async (t) => {
    const registry = new TestedRegistry(t, server);
    await registry.ask('GET /');
    await locked(server, async (other) => {
      const put = registry.error('PUT /lost/b', { body });
      const read = registry.error('GET /lost/b');
      await waiting(server, 2);
      await other.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'",
      );
      t.match(await put, /^503 57P01: .* it is not known whether the change was made$/);
      t.equal(await read, `503 57P01: ${FAILED}`, 'a read is only a read');
    });
    t.equal(registry.refreshed, 0);
    silentOf(t, registry);
    await sleep(50);
    t.equal(
      await registry.error('GET /lost/b'),
      '404 query_not_found: query not found',
      'sent once',
    );
  });

  await t.test(
    'a change that waits for a lock does not delay others, and ends in time',
    async (t) => {
      const registry = new TestedRegistry(t, server);
      await registry.ask('GET /');
      await locked(server, async () => {
        const limited = new TestedRegistry(t, server, {
          settings: { conninfo: `${registry.database.database.settings.conninfo} options='-c statement_timeout=5000'` }, // prettier-ignore
        });
        const put = limited.error('PUT /waits/b', { body });
        await waiting(server, 1);
        for (let i = 0; i < 10; i++) {
          const { failure } = await limited.database.database.query('SELECT 1');
          t.equal(failure, undefined);
        }
        t.match(await put, /^504 timeout: /);
      });
    },
  );

  await t.test('a list that is too large', async (t) => {
    await server.sql(`INSERT INTO ${TABLE.table} (location, name, read_sql)
      SELECT 'large', i::text, repeat('x', 1000000) FROM generate_series(1, 40) i`);
    const registry = new TestedRegistry(t, server);
    t.match(await registry.error('GET /?location=large'), /^500 result_too_large: /);
    t.equal((await registry.ask('GET /large/1')).status, 200);
    for (let i = 0; i < 40; i++)
      await server.sql(`UPDATE ${TABLE.table} SET description = '${i}' WHERE name = '1'`);
    t.match(await registry.error('GET /large/1?history'), /^500 result_too_large: /);
    t.match(await registry.error('POST /large/1?rollback=999999'), /^404 version_not_found: /);
  });
});
