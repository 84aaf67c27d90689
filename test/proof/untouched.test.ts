/** What a proof leaves of a database: all as it was, whatever the scripts would do. Nothing that they have is run. */
import { chownSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { StatementFailure } from '#app/postgres/statement/queryable.js';
import type { Verdict } from '#app/messages/proofs.js';
import type { Verb } from '#app/script/verb.js';
import { describe, TestDatabase } from '../support/database.js';
import { databaseSettings } from '../support/http-process.js';
import { startPgbouncer } from '../support/pgbouncer.js';
import { startOwnPostgres } from '../support/postgres.js';
import { without } from '../support/programs.js';
import { until } from '../support/until.js';
import { proveText } from './prove-text.js';

const server = await startOwnPostgres(t, {
  setup: `CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (1, 'kept');
    CREATE TABLE log (at timestamptz, what text); CREATE SEQUENCE counter;
    CREATE FUNCTION counts() RETURNS bigint LANGUAGE sql AS 'INSERT INTO log VALUES (now(), ''ran''); SELECT nextval(''counter'')';
    CREATE PROCEDURE adds(n int) LANGUAGE sql AS 'INSERT INTO item VALUES (n, ''made'')';
    CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (now(), 'fired'); RETURN NEW; END $$;
    CREATE TRIGGER logs BEFORE INSERT OR UPDATE OR DELETE ON item FOR EACH ROW EXECUTE FUNCTION logs();
    CREATE ROLE reader LOGIN PASSWORD 'secret'; GRANT SELECT ON item TO reader`,
});

const SCRIPTS: [verb: Verb, text: string, verdict: Verdict][] = [
  ['read', 'SELECT * FROM item{{if isSet "id"}} WHERE id = {{sqlVal "id"}}{{end}}', 'proved'],
  ['read', "SELECT nextval('counter'), counts()", 'proved'],
  ['read', "SELECT setval('counter', {{sqlVal \"n\"}}), pg_advisory_xact_lock(7), pg_try_advisory_xact_lock(8)", 'proved'],
  ['read', "SELECT pg_notify('heard', {{sqlVal \"text\"}}), set_config('work_mem', '65kB', true)", 'proved'],
  ['read', 'SELECT pg_sleep(3600), pg_terminate_backend(pid) FROM pg_stat_activity', 'proved'],
  ['read', 'SELECT * FROM item{{if isSet "locked"}} FOR UPDATE{{end}}', 'proved'],
  ['write', 'INSERT INTO item VALUES ({{sqlVal "id"}}, {{sqlVal "name"}}) RETURNING *', 'proved'],
  ['write', 'INSERT INTO item SELECT counts(), {{sqlVal "name"}}', 'proved'],
  ['write', 'WITH x AS (DELETE FROM item RETURNING *) INSERT INTO log SELECT now(), name FROM x', 'proved'],
  ['write', 'CALL adds({{sqlVal "n"}})', 'proved'],
  ['update', 'UPDATE item SET name = {{sqlVal "name"}}{{if isSet "id"}} WHERE id = {{sqlVal "id"}}{{end}}', 'proved'],
  ['update', 'UPDATE item SET nam = 1', 'broken'],
  ['update', 'MERGE INTO item USING log ON what = name WHEN MATCHED THEN DELETE', 'proved'],
  ['update', 'TRUNCATE item; INSERT INTO item VALUES (2, \'new\'); SELECT counts()', 'open'],
  ['update', 'CREATE TABLE made (id int); INSERT INTO made VALUES (1)', 'open'],
  ['update', 'NOTIFY heard', 'open'],
  ['update', 'LOCK TABLE item IN ACCESS EXCLUSIVE MODE', 'open'],
  ['update', "DO $$ BEGIN PERFORM counts(); DELETE FROM item; END $$", 'open'],
  ['delete', 'DELETE FROM item{{if isSet "id"}} WHERE id = {{sqlVal "id"}}{{end}}', 'proved'],
  ['delete', 'DROP TABLE item CASCADE', 'open'],
  ['delete', 'REFRESH MATERIALIZED VIEW item', 'open'],
]; // prettier-ignore

/** All that a statement could have changed for others. */
const TRACES = `SELECT (SELECT json_agg(i) FROM item i)::text AS items, (SELECT count(*)::int FROM log) AS logged,
  (SELECT is_called FROM counter) AS counted, to_regclass('made')::text AS made,
  (SELECT count(*)::int FROM pg_class) AS relations, (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS advisory`;

const UNTOUCHED = [
  { items: '[{"id":1,"name":"kept"}]', logged: 0, counted: false, made: null, advisory: 0 },
];

async function traces(): Promise<unknown[]> {
  const rows = await server.sql<{ relations?: number }>(TRACES);
  return rows.map(({ relations, ...others }) => (relations === before ? others : { relations }));
}

const [first] = await server.sql<{ relations: number }>(TRACES);
const before = first?.relations;

/** What is left of a session: statements prepared by name, relations locked, settings, a transaction. */
const LEFT = `SELECT (SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql AND statement NOT LIKE '%pg_prepared%') || ' ' ||
  (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('item'::regclass, 'log'::regclass)) || ' ' ||
  current_setting('work_mem') || ' ' || (pg_my_temp_schema() = 0)`;

async function proveAll(t: Test, { database }: TestDatabase): Promise<void> {
  for (const [verb, text, wanted] of SCRIPTS) {
    const proof = await proveText(text, verb, (sql) => database.describe(sql), ['item', 'log']);
    t.equal(proof.verdict, wanted, `${text}: ${JSON.stringify([proof.findings, proof.open])}`);
    t.ok(proof.asked > 0);
  }
}

async function check(t: Test, db: TestDatabase): Promise<void> {
  const listener = new pg.Client({ connectionString: server.url });
  await listener.connect();
  t.teardown(() => listener.end());
  const heard: string[] = [];
  listener.on('notification', ({ channel }) => heard.push(channel));
  const [{ standby }] = (await server.sql('SELECT pg_is_in_recovery() AS standby')) as [
    { standby: boolean },
  ];
  if (!standby) await listener.query('LISTEN heard');
  await proveAll(t, db);
  t.strictSame(await traces(), UNTOUCHED);
  t.equal(describe(await db.read(LEFT)), '0 0 4MB true', 'nothing is left in the session');
  // What was sent before arrives before.
  await listener.query('SELECT 1');
  t.strictSame(heard, []);
}

t.test('with all rights', (t) => check(t, new TestDatabase(t, server, { connections: 1 })));

t.test('behind PgBouncer', { skip: without('pgbouncer') }, async (t) => {
  const user = { name: 'postgres', password: server.password };
  const pooler = await startPgbouncer(t, server, user, ['default_pool_size = 1']);
  await check(t, new TestDatabase(t, pooler, { connections: 2, prepared: false }));
});

t.test('as a role that may only read', async (t) => {
  const { conninfo } = databaseSettings('test', { ...server, password: 'secret' });
  const as = conninfo.replace('user=postgres', 'user=reader');
  const readOnly = `${as} options='-c default_transaction_read_only=on'`;
  await check(t, new TestDatabase(t, server, { connections: 1, conninfo: readOnly }));
});

t.test('beside an application that writes', async (t) => {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query("BEGIN; INSERT INTO item VALUES (3, 'open'); SELECT pg_advisory_lock(7)");
  const { database } = new TestDatabase(t, server, { connections: 1 });
  for (const [verb, text, wanted] of SCRIPTS) {
    const proof = await proveText(text, verb, (sql) => database.describe(sql), ['item', 'log']);
    t.equal(proof.verdict, wanted);
  }
  await client.query('ROLLBACK; SELECT pg_advisory_unlock(7)');
});

const ENDINGS: [name: string, end: (db: TestDatabase) => unknown, state: string][] = [
  [
    'its connection is cut',
    () =>
      server.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'`,
      ),
    '57P01',
  ],
  ['it is closed', ({ database }) => { database.close(); }, '08006'], // prettier-ignore
];

for (const [name, end, state] of ENDINGS)
  t.test(`a database that goes away in the middle: ${name}`, async (t) => {
    const db = new TestDatabase(t, server, { connections: 1 });
    let asked = 0;
    const flags = ['a', 'b', 'c', 'd'].map((flag) => `{{if isSet "${flag}"}} AND id = 1{{end}}`);
    const text = `SELECT id FROM item WHERE true${flags.join('')}`;
    const proof = proveText(text, 'read', async (sql) => {
      if (++asked !== 5) return db.database.describe(sql);
      // The statement waits for a lock that nobody gives back.
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => undefined);
      await client.connect();
      await client.query('BEGIN; LOCK TABLE item');
      const described = db.database.describe(sql);
      await waiting();
      await end(db);
      const outcome = await described;
      await client.end().catch(() => undefined);
      return outcome;
    });
    const error = await proof.then(() => undefined, (failure: unknown) => failure); // prettier-ignore
    t.ok(error instanceof StatementFailure, String(error));
    t.match(error, { state, passing: true });
    t.equal(asked, 5, 'it asks no more');
  });

async function waiting(): Promise<void> {
  await until(async () => {
    const rows = await server.sql(
      `SELECT FROM pg_stat_activity WHERE application_name = 'tested' AND wait_event_type = 'Lock'`,
    );
    return rows.length === 1;
  });
}

t.test('on a standby', async (t) => {
  const file = path.join(server.dataDir, 'standby.signal');
  writeFileSync(file, '');
  const { uid, gid } = statSync(server.dataDir);
  chownSync(file, uid, gid);
  await server.restart();
  const db = new TestDatabase(t, server, { connections: 1 });
  t.equal(describe(await db.read('SELECT pg_is_in_recovery()::text')), 'true');
  await check(t, db);
});
