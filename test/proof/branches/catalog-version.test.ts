/** The version of a database's catalogs: what changes it, and what does not. */
import pg from 'pg';
import t from 'tap';
import { catalogVersion } from '#app/proof/branches/catalog-version.js';
import { TestDatabase } from '../../support/database.js';
import { Gate, GATES } from '../../support/gate.js';
import { startPostgres } from '../../support/postgres.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE item (id int, name text); CREATE TYPE mood AS ENUM ('well');
    CREATE VIEW items AS SELECT id FROM item;
    CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1';${GATES}`,
});
const { database } = new TestDatabase(t, server);

const UNCHANGED = [
  'SELECT 1',
  `INSERT INTO item VALUES (1, 'x')`,
  'UPDATE item SET id = 2',
  'ANALYZE item',
  'VACUUM item',
  'BEGIN; ALTER TABLE item ADD gone int; ROLLBACK',
  'BEGIN; CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql RETURN 1; ROLLBACK',
];

t.test('not temporary objects of another session', async (t) => {
  const before = await catalogVersion(database);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE TEMP TABLE item (id int PRIMARY KEY, name text);
    CREATE TEMP VIEW items AS SELECT id FROM item; CREATE TYPE pg_temp.pair AS (a int, b int);
    CREATE DOMAIN pg_temp.positive AS int CHECK (VALUE > 0);
    CREATE FUNCTION pg_temp.one() RETURNS int LANGUAGE sql RETURN 1`);
  t.strictSame(await catalogVersion(database), before);
  await client.end();
  t.strictSame(await catalogVersion(database), before);
});

for (const sql of UNCHANGED)
  t.test(`not ${sql}`, async (t) => {
    const before = await catalogVersion(database);
    for (const one of sql.startsWith('BEGIN') ? [sql] : sql.split(';')) await server.sql(one);
    t.strictSame(await catalogVersion(database), before);
  });

const CHANGES = [
  'ALTER TABLE item ADD price numeric',
  'ALTER TABLE item ALTER price TYPE int',
  'ALTER TABLE item ALTER name SET NOT NULL',
  'ALTER TABLE item RENAME price TO cost',
  'ALTER TABLE item DROP cost',
  'ALTER TABLE item ADD PRIMARY KEY (id)',
  'CREATE OR REPLACE VIEW items AS SELECT id FROM item WHERE id > 1',
  'DROP VIEW items',
  `ALTER TYPE mood ADD VALUE 'fine'`,
  `CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 2'`,
  'CREATE FUNCTION one(int) RETURNS int LANGUAGE sql RETURN $1',
  'DROP FUNCTION one(int)',
  'CREATE SCHEMA more',
  'ALTER SCHEMA public RENAME TO other',
  'ALTER SCHEMA other RENAME TO public',
  'CREATE TABLE more.item (id int)',
  'DROP SCHEMA more CASCADE',
];

for (const sql of CHANGES)
  t.test(sql, async (t) => {
    const before = await catalogVersion(database);
    await server.sql(sql);
    t.notSame(await catalogVersion(database), before);
  });

t.test('of two changes, the one that began first ends last', async (t) => {
  const gate = new Gate(server, 'early');
  const first = server.sql(`BEGIN; CREATE TABLE early (id int); ${gate.sql}; COMMIT`);
  await gate.reached(1);
  await server.sql('CREATE TABLE late (id int)');
  const before = await catalogVersion(database);
  await gate.open();
  await first;
  t.notSame(await catalogVersion(database), before);
});
