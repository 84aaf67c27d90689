/** What a statement uses: relations with the rights that its caller needs, functions, volatility. */
import t from 'tap';
import { analyse, type Analysis } from '#app/proof/analysis/analysis.js';
import { TestDatabase } from '../../support/database.js';
import { startPostgres, versionOf } from '../../support/postgres.js';

const server = await startPostgres(t, {
  setup: `
    CREATE SCHEMA app;
    CREATE TABLE app.people (id int PRIMARY KEY, name text NOT NULL, gone int, email text);
    ALTER TABLE app.people DROP gone;
    CREATE TABLE app.orders (id int PRIMARY KEY, person int, total numeric DEFAULT 0);
    CREATE VIEW app.named AS SELECT id, name FROM app.people;
    CREATE VIEW app.twice AS SELECT n.id FROM app.named n JOIN app.orders o ON o.id = n.id;
    CREATE FUNCTION app.twice(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2 * $1';
    CREATE FUNCTION app.noisy(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
    CREATE FUNCTION app.same(text, text) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT $1 = $2';
    CREATE OPERATOR app.=== (LEFTARG = text, RIGHTARG = text, FUNCTION = app.same);
    CREATE AGGREGATE app.total(int) (SFUNC = int4pl, STYPE = int);
    CREATE VIEW app.calling AS SELECT app.noisy(name) AS name FROM app.people;
    CREATE TYPE app.mood AS ENUM ('good', 'bad');
    CREATE SEQUENCE app.numbers;
    DO $$ BEGIN IF current_setting('server_version_num')::int >= 150000 THEN
      EXECUTE 'CREATE VIEW app.invoked WITH (security_invoker = true) AS SELECT id, name FROM app.people';
    ELSE CREATE VIEW app.invoked AS SELECT id, name FROM app.people; END IF; END $$;`,
});
const { database } = new TestDatabase(t, server, { connections: 1 });
const version = await versionOf(server);

async function analysed(sql: string, parameters: readonly string[] = []): Promise<Analysis> {
  const analysis = await analyse(database, { sql, parameters }, 250_000);
  if (analysis === undefined) throw new Error(`not analysed: ${sql}`);
  return analysis;
}

/** For each relation its rights with their columns, `*` for all; in brackets those that the owner of a view needs. */
function rightsOf({ relations }: Analysis): string[] {
  return relations.map(({ name, direct, rights }) => {
    const needed = rights.map(({ right, columns }) =>
      `${right} ${columns?.join(',') ?? '*'}`.trim(),
    );
    const text = `${name}: ${needed.join('; ')}`;
    return direct ? text : `(${text})`;
  });
}

const RIGHTS: readonly (readonly [sql: string, rights: readonly string[], since?: number])[] = [
  ['SELECT 1', []],
  ['SELECT name, id FROM app.people WHERE id = 1', ['people: select id,name']],
  ['SELECT id FROM app.people WHERE name > $1 ORDER BY email', ['people: select email,id,name']],
  ['SELECT p FROM app.people p', ['people: select *']],
  ['SELECT count(*) FROM app.people', ['people: select']],
  ['SELECT ctid FROM app.people', ['people: select']],
  ['SELECT p.id, q.name FROM app.people p, app.people q', ['people: select id,name']],
  ["INSERT INTO app.people (id, name) VALUES (1, 'a')", ['people: insert id,name']],
  [
    "INSERT INTO app.people (id, name) VALUES (1, 'a') RETURNING email",
    ['people: select email; insert id,name'],
  ],
  [
    "INSERT INTO app.people VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET name = excluded.name",
    ['people: select id,name; insert id,name; update name'],
  ],
  ['UPDATE app.people SET name = email WHERE id = 1', ['people: select email,id; update name']],
  ["UPDATE app.people SET name = 'x'", ['people: update name']],
  ['DELETE FROM app.orders', ['orders: delete *']],
  [
    'DELETE FROM app.orders USING app.people p WHERE p.id = person',
    ['orders: select person; delete *', 'people: select id'],
  ],
  ['SELECT id FROM app.people FOR UPDATE', ['people: select id; update']],
  [
    'WITH d AS (DELETE FROM app.orders RETURNING person) SELECT p.name FROM d JOIN app.people p ON p.id = d.person',
    ['orders: select person; delete *', 'people: select id,name'],
  ],
  [
    'SELECT (SELECT max(total) FROM app.orders) FROM app.people',
    ['orders: select total', 'people: select'],
  ],
  [
    'SELECT id FROM app.orders UNION SELECT id FROM app.people',
    ['orders: select id', 'people: select id'],
  ],
  ['SELECT name FROM app.named', ['named: select name', '(people: select id,name)']],
  [
    'SELECT id FROM app.twice',
    ['twice: select id', '(named: select id)', '(orders: select id)', '(people: select id,name)'],
  ],
  [
    'SELECT n.name FROM app.named n, app.people p',
    ['named: select name', 'people: select', '(people: select id,name)'],
  ],
  ['SELECT name FROM app.invoked', ['invoked: select name', 'people: select id,name'], 15],
  [
    'MERGE INTO app.orders o USING app.people p ON o.person = p.id WHEN MATCHED THEN DELETE ' +
      'WHEN NOT MATCHED THEN INSERT (id) VALUES (p.id)',
    ['orders: select person; insert id; delete *', 'people: select id'],
    15,
  ],
];

t.test('rights', async (t) => {
  for (const [sql, rights, since = 14] of RIGHTS) {
    if (since > version) continue;
    t.strictSame(rightsOf(await analysed(sql, sql.includes('$1') ? ['text'] : [])), rights, sql);
  }
});

const FUNCTIONS: readonly (readonly [sql: string, functions: readonly string[]])[] = [
  ['SELECT 1 + 1, upper(name), count(*) FROM app.people GROUP BY name', []],
  ['SELECT app.twice(id) FROM app.people', ['twice(integer)']],
  [
    'SELECT app.noisy(name) FROM app.people WHERE app.twice(id) = 2',
    ['noisy(text)', 'twice(integer)'],
  ],
  ["SELECT 'a' OPERATOR(app.===) 'b'", ['same(text, text)']],
  ['SELECT app.total(id), app.total(id) OVER () FROM app.people GROUP BY id', ['total(integer)']],
  ['SELECT n FROM app.twice(2) n', ['twice(integer)']],
  ['SELECT name FROM app.calling', ['noisy(text)']],
];

t.test('functions', async (t) => {
  for (const [sql, functions] of FUNCTIONS) {
    const analysis = await analysed(sql);
    t.strictSame(
      analysis.functions.map((each) => `${each.name}(${each.arguments})`),
      functions,
      sql,
    );
    t.ok(analysis.functions.every(({ schema }) => schema === 'app'));
  }
});

const VOLATILITIES: readonly (readonly [sql: string, volatility: string, readOnly?: boolean])[] = [
  ['SELECT 1', 'immutable'],
  ['SELECT app.twice(1)', 'immutable'],
  ['SELECT id FROM app.people', 'stable'],
  ['SELECT now()', 'stable'],
  ['SELECT CURRENT_DATE', 'stable'],
  ["SELECT '1'::text::int", 'stable'],
  ["SELECT 'a' OPERATOR(app.===) 'b'", 'stable'],
  ['SELECT random()', 'volatile'],
  ["SELECT app.noisy('a')", 'volatile'],
  ["SELECT nextval('app.numbers')", 'volatile'],
  ['SELECT name FROM app.calling', 'volatile'],
  ['SELECT id FROM app.people FOR SHARE', 'volatile', false],
  ['DELETE FROM app.people', 'volatile', false],
  ['WITH d AS (DELETE FROM app.people RETURNING id) SELECT id FROM d', 'volatile', false],
];

t.test('volatility', async (t) => {
  for (const [sql, volatility, readOnly = true] of VOLATILITIES) {
    const found = await analysed(sql);
    t.strictSame([found.volatility, found.readOnly], [volatility, readOnly], sql);
  }
});

t.test('objects that PostgreSQL records', async (t) => {
  const { objects } = await analysed(
    "SELECT p.name, 'good'::app.mood, app.twice(1), nextval('app.numbers'), 'a' OPERATOR(app.===) 'b' FROM app.people p, app.named",
  );
  t.strictSame(
    objects.map(({ type, identity }) => `${type} ${identity}`),
    [
      'function app.twice(integer)',
      'operator app.===(pg_catalog.text,pg_catalog.text)',
      'sequence app.numbers',
      'table column app.people.name',
      'type app.mood',
      'view app.named',
    ],
  );
});
