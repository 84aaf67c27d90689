/** Statements that PostgreSQL only parses: nothing runs or stays, and a failure affects no other statement. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { ServiceError } from '#app/errors.js';
import type { SqlFailure } from '#app/pg/sql-failure.js';
import { describe, TestDatabase } from '../support/database.js';
import { databaseSettings } from '../support/http-process.js';
import { pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.js';
import { connections, startOwnPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const server = await startOwnPostgres(t, {
  setup: `CREATE TABLE item (id int, name text); CREATE SEQUENCE ran;
    CREATE FUNCTION runs() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''ran'')'`,
});

const WAITING = `SELECT FROM pg_stat_activity WHERE application_name = 'tested' AND wait_event_type = 'Lock'`;

const textOf = (failure: SqlFailure | ServiceError | undefined): string => {
  if (failure === undefined) return 'fine';
  if (failure instanceof ServiceError) return failure.code;
  return `${failure.state} ${failure.position ?? '-'} ${failure.message}`;
};

const CASES: [sql: string, wanted: string][] = [
  ['SELEC 1', '42601 1 syntax error at or near "SELEC"'],
  ['SELECT a FROM item', '42703 8 column "a" does not exist'],
  ['SELECT id FROM nope', '42P01 16 relation "nope" does not exist'],
  ['SELECT $1 IS NULL', '42P18 - could not determine data type of parameter $1'],
  ["SELECT 'é😀', x", '42703 14 column "x" does not exist'],
  ['SELECT 1; SELECT 2', '42601 - cannot insert multiple commands into a prepared statement'],
  ["SELECT 'x'::int", '22P02 8 invalid input syntax for type integer: "x"'],
  ['SELECT id FROM item WHERE id = $1 AND name LIKE $2', 'fine'],
  ['INSERT INTO item (id) VALUES ($1) RETURNING *', 'fine'],
  ['SELECT runs()', 'fine'],
  ['SELECT 1 / 0', 'fine'],
  ['DO $$ BEGIN PERFORM runs(); END $$', 'fine'],
  ['DROP TABLE item', 'fine'],
  ['', 'fine'],
];

async function checkCases(t: Test, db: TestDatabase): Promise<void> {
  for (const [sql, wanted] of CASES) t.equal(textOf(await db.database.parse(sql)), wanted, sql);
  const left = 'SELECT count(*)::text FROM pg_prepared_statements';
  t.equal(describe(await db.read(left)), '0', 'nothing is prepared');
  const ran = 'SELECT is_called::text || (SELECT count(*) FROM item) FROM ran';
  t.equal(describe(await db.read(ran)), 'false0', 'nothing ran');
}

for (const prepared of [true, false])
  t.test(prepared ? 'prepared' : 'unprepared', (t) =>
    checkCases(t, new TestDatabase(t, server, { connections: 1, prepared })),
  );

t.test('behind PgBouncer', { skip: pgbouncerVersion() ? false : 'not installed' }, async (t) => {
  const user = { name: 'postgres', password: server.password };
  const pooler = await startPgbouncer(t, server, user, ['default_pool_size = 1']);
  await checkCases(t, new TestDatabase(t, pooler, { connections: 2, prepared: false }));
});

t.test('one among others fails alone', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2 });
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, async (_, i) =>
      i % 3 === 0
        ? textOf(await db.database.parse(i % 2 ? 'SELECT nope' : 'SELECT 1'))
        : describe(await db.read(`SELECT ${i}`)),
    ),
  );
  const wanted = outcomes.map((_, i) => {
    if (i % 3 > 0) return String(i);
    return i % 2 ? '42703 8 column "nope" does not exist' : 'fine';
  });
  t.strictSame(outcomes, wanted);
});

t.test('one that waits for a lock delays no other', async (t) => {
  const db = new TestDatabase(t, server, { connections: 3 });
  const other = new pg.Client({ connectionString: server.url });
  await other.connect();
  t.teardown(() => other.end());
  await other.query('BEGIN; LOCK TABLE item');
  const parsed = db.database.parse('SELECT id FROM item');
  await until(async () => (await server.sql(WAITING)).length === 1);
  for (let i = 0; i < 20; i++) t.equal(describe(await db.read('SELECT 1')), '1');
  await other.query('COMMIT');
  t.equal(textOf(await parsed), 'fine');
});

t.test('an unreachable database, a lost connection', async (t) => {
  const unreachable = new TestDatabase(t, { ...databaseSettings('x'), password: 'x' });
  t.match(textOf(await unreachable.database.parse('SELECT 1')), /^08001 /);
  const db = new TestDatabase(t, server, { connections: 1 });
  t.equal(textOf(await db.database.parse('SELECT 1')), 'fine');
  const lock = new pg.Client({ connectionString: server.url });
  await lock.connect();
  t.teardown(() => lock.end());
  await lock.query('BEGIN; LOCK TABLE item');
  const parsed = db.database.parse('SELECT id FROM item');
  await until(async () => (await server.sql(WAITING)).length === 1);
  await server.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'`,
  );
  t.match(textOf(await parsed), /^57P01 /);
  await lock.query('ROLLBACK');
  t.equal(textOf(await db.database.parse('SELECT 1')), 'fine', 'the next one succeeds');
  t.ok((await connections(server)) > 0);
});
