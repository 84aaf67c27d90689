/** What is proved again after a change of the database: what depends on it, and nothing else. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { ScriptFolder, TestedProver } from './tested-prover.js';

const SETUP = `CREATE SCHEMA early; CREATE SCHEMA late;
  CREATE TABLE late.product (id int PRIMARY KEY, name text, price numeric);
  CREATE VIEW late.cheap AS SELECT id, name FROM late.product WHERE price < 10;
  CREATE TABLE late.other (id int); CREATE TABLE late.marker (id int);
  CREATE TYPE late.mood AS ENUM ('well'); CREATE TABLE late.person (id int, mood late.mood);
  CREATE FUNCTION late.doubled(int) RETURNS int LANGUAGE sql RETURN 2 * $1`;

const FILES = {
  'v/product.read.sql':
    'SELECT name, price FROM product{{if isSet "id"}} WHERE id = {{sqlVal "id"}}{{end}}',
  'v/cheap.read.sql': 'SELECT * FROM cheap',
  'v/doubled.read.sql': 'SELECT doubled(7) AS n',
  'v/length.read.sql': "SELECT length('x'::varchar) AS n",
  'v/person.read.sql': "SELECT id FROM person WHERE mood = 'well'",
  'v/constant.read.sql': 'SELECT 1 AS n',
  'v/marker.read.sql': 'SELECT id FROM marker',
};
const ALL = Object.keys(FILES).map((file) => file.split('.')[0]!);

const server = await startPostgres(t, { setup: SETUP });
await server.sql('ALTER DATABASE postgres SET search_path = early, late');
const folder = new ScriptFolder(t, FILES);

let changes = 0;

/** Runs a statement, and gives the scripts that were proved again, and what was logged about them. */
async function after(
  t: Test,
  sql: string,
): Promise<{ proved: string[]; lines: string[]; prover: TestedProver }> {
  const prover = new TestedProver(t, server, { scripts: folder.location });
  await prover.rounds(1);
  const known = prover.updates.length;
  await server.sql(sql);
  // Once it was proved again what the last statement concerns, the one before was looked at too.
  await server.sql(`ALTER TABLE late.marker ADD added_${++changes} int`);
  const proved = (): string[] =>
    prover.updates.slice(known).flatMap(({ proofs }) => proofs.map(({ script }) => script));
  await until(() => proved().includes('v/marker') && prover.logged().length >= 2);
  const lines = prover.lines
    .filter(({ level, script }) => level === 40 && script !== undefined)
    .map(({ msg }) => msg);
  return {
    proved: [...new Set(proved())].filter((script) => script !== 'v/marker').sort(),
    lines,
    prover,
  };
}

interface Case {
  readonly sql: string;
  readonly undo: string;
  readonly proved: readonly string[];
  readonly lines: readonly string[];
}

const CASES: readonly Case[] = [
  {
    sql: 'CREATE TABLE late.unrelated (id int)',
    undo: 'DROP TABLE late.unrelated',
    proved: [],
    lines: [],
  },
  {
    sql: 'ALTER TABLE late.other ADD name text',
    undo: 'ALTER TABLE late.other DROP name',
    proved: [],
    lines: [],
  },
  {
    sql: 'CREATE INDEX named ON late.product (name)',
    undo: 'DROP INDEX late.named',
    proved: [],
    lines: [],
  },
  { sql: 'TRUNCATE late.product', undo: 'SELECT', proved: [], lines: [] },
  {
    sql: 'ALTER TABLE late.product DROP price CASCADE',
    undo: 'ALTER TABLE late.product ADD price numeric; CREATE VIEW late.cheap AS SELECT id, name FROM late.product WHERE price < 10',
    proved: ['v/cheap', 'v/product'],
    lines: [
      'the script is broken, since table late.product changed: column "price" does not exist',
      'the script is broken, since view late.cheap is gone and table late.product changed: relation "cheap" does not exist',
    ],
  },
  {
    sql: 'ALTER TABLE late.product RENAME TO goods',
    undo: 'ALTER TABLE late.goods RENAME TO product',
    proved: ['v/cheap', 'v/product'],
    lines: [
      'the script is broken, since table late.product is gone: relation "product" does not exist',
    ],
  },
  {
    sql: 'CREATE TABLE early.product (id int)',
    undo: 'DROP TABLE early.product',
    proved: ['v/cheap', 'v/product'],
    lines: [
      'the script is broken, since table early.product was created: column "name" does not exist',
    ],
  },
  {
    sql: 'CREATE FUNCTION early.doubled(bigint) RETURNS text LANGUAGE sql RETURN $1',
    undo: 'DROP FUNCTION early.doubled',
    proved: ['v/doubled'],
    lines: [],
  },
  {
    sql: 'CREATE FUNCTION early.length(varchar) RETURNS bool LANGUAGE sql RETURN true',
    undo: 'DROP FUNCTION early.length',
    proved: ['v/length'],
    lines: [],
  },
  {
    sql: 'DROP FUNCTION late.doubled',
    undo: 'CREATE FUNCTION late.doubled(int) RETURNS int LANGUAGE sql RETURN 2 * $1',
    proved: ['v/doubled'],
    lines: [
      'the script is broken, since function late.doubled is gone: function doubled(integer) does not exist',
    ],
  },
  {
    sql: "ALTER TYPE late.mood RENAME VALUE 'well' TO 'fine'",
    undo: "ALTER TYPE late.mood RENAME VALUE 'fine' TO 'well'",
    proved: ALL.filter((script) => script !== 'v/marker').sort(),
    lines: [
      'the script is broken, since types, schemas or settings of database main changed: invalid input value for enum mood: …',
    ],
  },
];

for (const { sql, undo, proved, lines } of CASES)
  t.test(sql, async (t) => {
    const found = await after(t, sql);
    t.strictSame(found.proved, proved);
    t.strictSame(found.lines.sort(), lines);
    await server.sql(undo);
  });

t.test('good again', async (t) => {
  const { prover } = await after(t, 'ALTER TABLE late.product RENAME price TO cost');
  t.equal(prover.verdict('v/product'), 'broken');
  await server.sql('ALTER TABLE late.product RENAME cost TO price');
  await prover.becomes('v/product', 'proved');
  t.ok(prover.logged('v/product').some(({ msg }) => msg === 'the script is not broken any more'));
});

t.test('temporary objects of another session', async (t) => {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  t.teardown(() => client.end());
  const prover = new TestedProver(t, server, { scripts: folder.location });
  await prover.rounds(1);
  const { length } = prover.described;
  await client.query(
    'CREATE TEMP TABLE product (id int); CREATE TEMP VIEW cheap AS SELECT 1 AS one',
  );
  await server.sql('ALTER TABLE late.marker ADD added int');
  await prover.rounds(2);
  t.strictSame(
    prover.described.slice(length).filter((sql) => !sql.includes('marker')),
    [],
  );
  await server.sql('ALTER TABLE late.marker DROP added');
});

t.test('another search path', async (t) => {
  const prover = new TestedProver(t, server, { scripts: folder.location });
  await prover.rounds(1);
  await server.sql('ALTER DATABASE postgres SET search_path = early');
  await server.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'`,
  );
  await prover.becomes('v/product', 'broken');
  t.match(prover.logged('v/product', 40), [
    { msg: /since types, schemas or settings of database main changed: / },
  ]);
});
