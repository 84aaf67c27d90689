/** Statements that PostgreSQL only describes: parameters and columns or a failure; nothing runs or stays. */
import { chownSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { ServiceError } from '#app/base/errors.js';
import type { Description } from '#app/native/pipeline.js';
import type { SqlFailure } from '#app/postgres/statement/sql-failure.js';
import { describe, TestDatabase } from '../support/database.js';
import { databaseSettings } from '../support/http-process.js';
import { startPgbouncer } from '../support/pgbouncer.js';
import { startOwnPostgres } from '../support/postgres.js';
import { without } from '../support/programs.js';

const server = await startOwnPostgres(t, {
  setup: `CREATE TYPE mood AS ENUM ('good', 'bad'); CREATE TYPE point3 AS (x int, y int, z int);
    CREATE DOMAIN short AS varchar(9) CHECK (length(VALUE) > 1); CREATE DOMAIN shorts AS short[];
    CREATE TABLE item (id int, name text, mood mood, place point3, short short, shorts shorts, tags text[], at timestamptz(3));
    CREATE VIEW listed AS SELECT name AS shown FROM item;
    CREATE SEQUENCE ran; CREATE FUNCTION runs() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''ran'')';
    CREATE PROCEDURE adds(INOUT n int, OUT m text) LANGUAGE sql AS 'SELECT n, nextval(''ran'')::text';
    CREATE FUNCTION pairs(int) RETURNS TABLE (a int, b text) LANGUAGE sql AS 'SELECT $1, ''''';
    CREATE ROLE reader LOGIN PASSWORD 'secret'; GRANT SELECT ON item TO reader;
    CREATE SCHEMA closed; CREATE TABLE closed.item (id int)`,
});

const names = new Map<number, string>();
for (const { oid, name } of await server.sql<{ oid: number; name: string }>(
  `SELECT oid, oid::regtype::text AS name FROM pg_type UNION ALL SELECT oid, relname FROM pg_class WHERE relkind IN ('r', 'v')`,
))
  names.set(oid, name);

/** A description as `parameter types > column type[modifier] = table.attribute, …`. */
function textOf(outcome: Description | SqlFailure | ServiceError): string {
  if (outcome instanceof ServiceError) return outcome.code;
  if ('state' in outcome) return `${outcome.state} ${outcome.position ?? '-'} ${outcome.message}`;
  const columns = outcome.columns.map(({ name, type, modifier, table, attribute }) => {
    const origin = table === 0 ? '' : ` = ${names.get(table)}.${attribute}`;
    return `${name} ${names.get(type)}${modifier === -1 ? '' : `[${modifier}]`}${origin}`;
  });
  return `${outcome.parameters.map((type) => names.get(type)).join(', ')} > ${columns.join(', ')}`;
}

const FAILURES: [sql: string, wanted: string][] = [
  ['SELEC 1', '42601 1 syntax error at or near "SELEC"'],
  ['SELECT a FROM item', '42703 8 column "a" does not exist'],
  ['SELECT id FROM nope', '42P01 16 relation "nope" does not exist'],
  ['SELECT $1 IS NULL', '42P18 - could not determine data type of parameter $1'],
  ['SELECT id FROM item WHERE id = $2', '42P18 - could not determine data type of parameter $1'],
  ['SELECT $1::int, $1::text || lower($1)', '42883 29 function lower(integer) does not exist'],
  ["SELECT 'é😀', x", '42703 14 column "x" does not exist'],
  ['SELECT 1; SELECT 2', '42601 - cannot insert multiple commands into a prepared statement'],
  ["SELECT 'x'::int", '22P02 8 invalid input syntax for type integer: "x"'],
  ["SELECT 'x'::mood", '22P02 8 invalid input value for enum mood: "x"'],
  ['SELECT id FROM item UNION SELECT 1, 2', '42601 34 each UNION query must have the same number of columns'], // prettier-ignore
  ['UPDATE item SET nope = 1', '42703 17 column "nope" of relation "item" does not exist'],
];

const DESCRIPTIONS: [sql: string, wanted: string][] = [
  ['', ' > '],
  ['-- nothing', ' > '],
  ['SELECT', ' > '],
  ['SELECT id FROM item WHERE id = $1 AND name LIKE $2', 'integer, text > id integer = item.1'],
  ['SELECT name, name || $1, count(*) FROM item GROUP BY 1', 'text > name text = item.2, ?column? text, count bigint'], // prettier-ignore
  ['SELECT x.id FROM (SELECT id FROM item) x', ' > id integer = item.1'],
  ['WITH x AS (SELECT id FROM item) SELECT * FROM x', ' > id integer = item.1'],
  ['SELECT shown FROM listed', ' > shown text = listed.1'],
  ['SELECT mood, place, tags, at FROM item', ' > mood mood = item.3, place point3 = item.4, tags text[] = item.7, at timestamp with time zone[3] = item.8'], // prettier-ignore
  ['SELECT short, shorts FROM item', ' > short character varying[13] = item.5, shorts short[] = item.6'], // prettier-ignore
  ['SELECT $1::short, $2::mood[], $3::point3, ($3::point3).x', 'short, mood[], point3 > short character varying[13], mood mood[], point3 point3, x integer'], // prettier-ignore
  ['SELECT id FROM item WHERE mood = $1 AND short = $2 AND tags && $3 AND place = $4 AND id = ANY ($5)', 'mood, text, text[], record, integer[] > id integer = item.1'], // prettier-ignore
  ['INSERT INTO item (id, short, place.x, tags[1], at) VALUES ($1, $2, $3, $4, $5) RETURNING *', 'integer, short, integer, text, timestamp with time zone > id integer = item.1, name text = item.2, mood mood = item.3, place point3 = item.4, short character varying[13] = item.5, shorts short[] = item.6, tags text[] = item.7, at timestamp with time zone[3] = item.8'], // prettier-ignore
  ['UPDATE item SET id = id + $1 WHERE at < $2', 'integer, timestamp with time zone > '],
  ['DELETE FROM item LIMIT_ USING listed WHERE shown = $1 RETURNING LIMIT_.name', 'text > name text = item.2'], // prettier-ignore
  ['SELECT * FROM pairs($1) LIMIT $2', 'integer, bigint > a integer, b text'],
  ['CALL adds($1, NULL)', 'integer > n integer, m text'],
  ['VALUES ($1, 1)', 'text > column1 text, column2 integer'],
  ['SELECT runs()', ' > runs bigint'],
  ['SELECT 1 / 0', ' > ?column? integer'],
  ["SELECT pg_notify('heard', ''), set_config('a.b', '1', false)", ' > pg_notify void, set_config text'], // prettier-ignore
  ["SELECT ''::short FROM item FOR UPDATE", ' > short character varying[13]'],
  ['DO $$ BEGIN PERFORM runs(); END $$', ' > '],
  ['CREATE TABLE made ()', ' > '],
  ['DROP TABLE item', ' > '],
  ['NOTIFY heard', ' > '],
  ['BEGIN', ' > '],
];

async function checkCases(t: Test, db: TestDatabase): Promise<void> {
  const texts = [...FAILURES, ...DESCRIPTIONS];
  for (const [sql, wanted] of texts) t.equal(textOf(await db.database.describe(sql)), wanted, sql);
  const outcomes = await Promise.all(texts.map(([sql]) => db.database.describe(sql)));
  t.strictSame(
    outcomes.map(textOf),
    texts.map(([, wanted]) => wanted),
    'together',
  );
  const left = 'SELECT count(*)::text FROM pg_prepared_statements';
  t.equal(describe(await db.read(left)), '0', 'nothing is prepared');
  const locks = `SELECT count(*)::text FROM pg_locks WHERE relation = 'item'::regclass`;
  t.equal(describe(await db.read(locks)), '0', 'no lock is left');
  const ran = `SELECT is_called::text || coalesce(to_regclass('made')::text, '-') || (SELECT count(*) FROM item) FROM ran`;
  const [row] = await server.sql<{ ran: string }>(`SELECT (${ran}) AS ran`);
  t.equal(row!.ran, 'false-0', 'nothing ran');
}

for (const prepared of [true, false])
  t.test(prepared ? 'prepared' : 'unprepared', (t) =>
    checkCases(t, new TestDatabase(t, server, { connections: 1, prepared })),
  );

t.test('behind PgBouncer', { skip: without('pgbouncer') }, async (t) => {
  const user = { name: 'postgres', password: server.password };
  const pooler = await startPgbouncer(t, server, user, ['default_pool_size = 1']);
  await checkCases(t, new TestDatabase(t, pooler, { connections: 2, prepared: false }));
});

t.test('as a role that may only read', async (t) => {
  const { conninfo } = databaseSettings('test', { ...server, password: 'secret' });
  const as = conninfo.replace('user=postgres', 'user=reader');
  const db = new TestDatabase(t, server, {
    connections: 1,
    conninfo: `${as} options='-c default_transaction_read_only=on'`,
  });
  t.equal(describe(await db.read('SELECT current_user::text')), 'reader');
  for (const [sql, wanted] of DESCRIPTIONS)
    t.equal(textOf(await db.database.describe(sql)), wanted, sql);
  const closed = textOf(await db.database.describe('TABLE closed.item'));
  t.equal(closed, '42501 7 permission denied for schema closed');
});

t.test('a lock that is not given in time', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const pid = describe(await db.read('SELECT pg_backend_pid()::text'));
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query('BEGIN; LOCK TABLE item');
  const sql = 'SELECT * FROM item';
  for (const lockLimit of [10, 10])
    t.match(await db.database.describe(sql, { lockLimit }), { state: '55P03' });
  t.equal(describe(await db.read(`SELECT current_setting('lock_timeout')`)), '0', 'not for others');
  await client.query('COMMIT');
  t.match(await db.database.describe(sql, { lockLimit: 10 }), { parameters: [] });
  t.equal(describe(await db.read('SELECT pg_backend_pid()::text')), pid, 'the connection is kept');
});

t.test('on a standby', async (t) => {
  const file = path.join(server.dataDir, 'standby.signal');
  writeFileSync(file, '');
  const { uid, gid } = statSync(server.dataDir);
  chownSync(file, uid, gid);
  await server.restart();
  const db = new TestDatabase(t, server, { connections: 1 });
  t.equal(describe(await db.read('SELECT pg_is_in_recovery()::text')), 'true');
  await checkCases(t, db);
});
