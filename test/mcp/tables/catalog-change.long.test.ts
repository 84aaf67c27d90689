/** Every change in the database is visible after the next refresh, and unchanged tables stay the same objects. */
import pg from 'pg';
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { Clock } from '../clock.js';
import { TestedCatalog } from '../tested-catalog.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE ROLE reader; CREATE ROLE clerk; CREATE ROLE another;
    CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO reader;
    CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN short AS varchar(5);
    CREATE TABLE fixed (id int, mood mood); GRANT SELECT ON fixed TO reader;
    CREATE TABLE shop.item (id serial, label text NOT NULL DEFAULT 'x', size varchar(5), mood mood, short short, UNIQUE (id));
    CREATE VIEW shop.items AS SELECT id, mood FROM shop.item;
    GRANT SELECT ON shop.item TO reader;
    CREATE TABLE shop.shut (id int); GRANT SELECT ON shop.shut TO clerk;`,
});
const tested = new TestedCatalog(t, postgres);
const clock = new Clock(t);

/** Longer than demanded refreshes are apart, ms. */
const PAUSE = 10_000;

const reader = { role: 'reader' };

/** All visible tables, as text. */
async function seen(): Promise<string> {
  clock.skip(PAUSE);
  const both = await Promise.all([tested.renewed(), tested.renewed(reader)]);
  const texts = both.map(({ tables }) =>
    tables.map((table) => {
      const { columns, facts } = table;
      return { ...table, columns, facts, byName: undefined };
    }),
  );
  return JSON.stringify(texts);
}

const CHANGES: [sql: string, sign: RegExp][] = [
  ['CREATE TABLE made (id int)', /"made"/],
  ['DROP TABLE made', /^(?!.*"made")/],
  ['CREATE VIEW shop.made AS SELECT 1 AS one', /"made".*"view"/],
  ['CREATE OR REPLACE VIEW shop.made AS SELECT 1 AS one, 2 AS two', /"two"/],
  ['DROP VIEW shop.made', /^(?!.*"made")/],
  ['ALTER TABLE shop.item ADD COLUMN added int', /"added"/],
  ['ALTER TABLE shop.item RENAME COLUMN added TO renamed', /"renamed"/],
  ['ALTER TABLE shop.item DROP COLUMN renamed', /^(?!.*"renamed")/],
  ['ALTER TABLE shop.item ALTER COLUMN size TYPE varchar(10)', /varying\(10\)/],
  ['ALTER TABLE shop.item ALTER COLUMN label DROP NOT NULL', /"name":"label"[^}]*"nullable":true/],
  ["ALTER TABLE shop.item ALTER COLUMN label SET DEFAULT 'other'", /'other'/],
  ['ALTER TABLE shop.item ALTER COLUMN label DROP DEFAULT', /^(?!.*'other')/],
  ["COMMENT ON TABLE shop.item IS 'All of them'", /All of them/],
  ["COMMENT ON COLUMN shop.item.size IS 'In metres'", /In metres/],
  ["COMMENT ON COLUMN shop.item.size IS 'In feet'", /In feet/],
  ['COMMENT ON TABLE shop.item IS NULL', /^(?!.*All of them)/],
  ["ALTER TYPE mood ADD VALUE 'calm'", /"calm"/],
  ["ALTER TYPE mood RENAME VALUE 'calm' TO 'still'", /"still"/],
  ['ALTER TYPE mood RENAME TO temper', /"temper"/],
  ['ALTER DOMAIN short SET NOT NULL', /"short"[^}]*"nullable":false/],
  ['ALTER TABLE shop.item RENAME TO thing', /"thing"/],
  ['ALTER TABLE shop.thing RENAME TO item', /^(?!.*"thing")/],
  ['ALTER TABLE shop.item OWNER TO another', /"another"/],
  ['ALTER ROLE another RENAME TO other', /"owner":"other"/],
  ['ALTER SCHEMA shop RENAME TO store', /"store"/],
  ['ALTER SCHEMA store RENAME TO shop', /^(?!.*"store")/],
  ['ALTER TABLE fixed SET SCHEMA shop', /"schema":"shop","name":"fixed"/],
  ['ALTER TABLE shop.fixed SET SCHEMA public', /"schema":"public","name":"fixed"/],
  ['REVOKE SELECT ON shop.item FROM reader', /^(?!.*\],\[.*"item")/],
  ['GRANT SELECT (size) ON shop.item TO reader', /\],\[.*"item"/],
  ['GRANT SELECT (short) ON shop.item TO reader', /\],\[.*"item".*"short"/],
  ['REVOKE USAGE ON SCHEMA shop FROM reader', /^(?!.*\],\[.*"item")/],
  ['GRANT USAGE ON SCHEMA shop TO PUBLIC', /\],\[.*"item"/],
  ['GRANT clerk TO reader', /\],\[.*"shut"/],
  ['REVOKE clerk FROM reader', /^(?!.*\],\[.*"shut")/],
  ['ALTER ROLE reader SUPERUSER', /\],\[.*"shut"/],
  ['ALTER ROLE reader NOSUPERUSER', /^(?!.*\],\[.*"shut")/],
  ['CREATE TABLE parted (id int) PARTITION BY LIST (id)', /"partitioned_table"/],
  ['CREATE TABLE part PARTITION OF parted DEFAULT', /"part"/],
  ['ALTER TABLE parted DETACH PARTITION part; DROP TABLE parted', /^(?!.*"parted")/],
  ['ALTER TABLE shop.item ADD CONSTRAINT positive CHECK (id > 0)', /id > 0/],
  ['ALTER TABLE shop.item DROP CONSTRAINT positive', /^(?!.*id > 0)/],
  ['CREATE INDEX ON shop.item ((id + 1))', /\(id \+ 1\)/],
  ['DROP INDEX shop.item_expr_idx', /^(?!.*\(id \+ 1\))/],
  ['CREATE TABLE counted AS SELECT generate_series(1, 1234)', /"counted"/],
  ['ANALYZE counted', /"estimate":1200/],
  ['INSERT INTO counted SELECT 1 FROM generate_series(1, 200); ANALYZE counted', /"estimate":1400/],
];

t.test('each change', async (t) => {
  let before = await seen();
  const fixed = (await tested.tables()).find('public', 'fixed');
  t.ok(fixed);
  for (const [sql, sign] of CHANGES) {
    t.notMatch(before, sign, `not before: ${sql}`);
    await postgres.sql(sql);
    const after = await seen();
    t.match(after, sign, sql);
    before = after;
  }
});

t.test('an unchanged table is the same object', async (t) => {
  await postgres.sql('INSERT INTO fixed VALUES (1); ANALYZE fixed');
  const all = await tested.renewed();
  const fixed = all.find('public', 'fixed')!;
  const item = all.find('shop', 'item')!;
  const same = async (what: string) => {
    clock.skip(PAUSE);
    t.equal(await tested.renewed(), all, what);
  };
  await same('nothing');
  await postgres.sql('UPDATE fixed SET id = 2');
  await same('rows');
  await postgres.sql('VACUUM ANALYZE');
  await same('ANALYZE and VACUUM');
  await postgres.sql('VACUUM FULL fixed');
  await same('new files');
  await postgres.sql('CREATE TEMPORARY TABLE passing (id int)');
  await same('a temporary table');
  await postgres.sql("CREATE TYPE newer AS ENUM ('a')");
  await same('a type that no table has');
  await postgres.sql('ALTER TABLE shop.item ADD COLUMN more int');
  const changed = await tested.renewed();
  t.not(changed, all);
  t.equal(changed.find('public', 'fixed'), fixed);
  t.not(changed.find('shop', 'item'), item);
});

t.test('a transaction is visible only after its commit', async (t) => {
  const all = await tested.renewed();
  const name = 'pending';
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`BEGIN; CREATE TABLE ${name} (id int)`);
  await postgres.sql('CREATE TABLE meanwhile (id int)');
  const during = await tested.renewed();
  t.not(during, all);
  t.equal(during.find('public', name), undefined);
  await client.query('COMMIT');
  t.ok((await tested.renewed()).find('public', name));
  await client.end();
});
