/** The privileges that a script needs: who lacks them, and what is broken because nobody has them. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import type { Database } from '#app/postgres/lanes/database.js';
import type { AnalysedRecord } from '#app/proof/branches/proof-record.js';
import { proveText } from '#app/proof/text-proof.js';
import { Prover, USUAL_LIMITS } from '#app/proof/branches/prover.js';
import { compileText } from '#app/script/script-text.js';
import type { Verb } from '#app/script/verb.js';
import type { RoleSettings } from '#app/messages/access-settings.js';
import { TestDatabase } from '../../support/database.js';
import { startPostgres, versionOf } from '../../support/postgres.js';

const server = await startPostgres(t, {
  setup: `
    CREATE ROLE web LOGIN PASSWORD 'web' NOINHERIT;
    CREATE ROLE anon; CREATE ROLE staff; CREATE ROLE "Chief" IN ROLE staff; CREATE ROLE boss SUPERUSER;
    CREATE ROLE keeper; CREATE ROLE pauper;
    GRANT anon, staff, "Chief" TO web;
    CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO web, staff, keeper, pauper;
    CREATE TABLE app.orders (id int PRIMARY KEY, status text, total numeric);
    CREATE TABLE app.secrets (id int, word text);
    CREATE TABLE app."Odd name" ("select" int, b int);
    CREATE TABLE app.open (id int, note text);
    CREATE VIEW app.kept AS SELECT id, status FROM app.orders;
    CREATE VIEW app.poor AS SELECT id FROM app.secrets;
    CREATE MATERIALIZED VIEW app.stale AS SELECT id FROM app.orders;
    CREATE FUNCTION app.price(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';
    CREATE FUNCTION app.free(a int) RETURNS int LANGUAGE sql AS 'SELECT 1';
    CREATE AGGREGATE app.total(int) (SFUNC = int4pl, STYPE = int);
    CREATE VIEW app.priced AS SELECT id, app.price(id) AS price FROM app.open;
    REVOKE EXECUTE ON FUNCTION app.price, app.total FROM PUBLIC;
    ALTER VIEW app.kept OWNER TO keeper; ALTER VIEW app.poor OWNER TO pauper; ALTER VIEW app.priced OWNER TO keeper;
    GRANT SELECT ON app.orders, app.open TO keeper;
    GRANT SELECT ON app.kept, app.poor, app.priced TO web, staff;
    GRANT ALL ON app.open TO web, staff; GRANT SELECT (id, status), UPDATE (status), INSERT (id) ON app.orders TO web;
    GRANT ALL ON app.orders TO staff; GRANT EXECUTE ON FUNCTION app.price TO staff;
    DO $$ BEGIN IF current_setting('server_version_num')::int >= 150000 THEN
      EXECUTE 'CREATE VIEW app.invoked WITH (security_invoker = true) AS SELECT id FROM app.secrets';
      EXECUTE 'ALTER VIEW app.invoked OWNER TO keeper';
      EXECUTE 'CREATE VIEW app.around AS SELECT id FROM app.invoked';
      EXECUTE 'GRANT SELECT ON app.invoked, app.around TO web, staff';
    END IF; END $$`,
});
const version = await versionOf(server);

function connected(user: string, password: string): Database {
  const conninfo = `host=${server.host} port=${server.port} user=${user} password=${password} dbname=${server.database}`;
  return new TestDatabase(t, server, { conninfo }).database;
}

const web = connected('web', 'web');
const superuser = new TestDatabase(t, server).database;
const PATIENCE = 250_000;

async function proved(
  text: string,
  {
    verb = 'read',
    database = web,
    role,
  }: { verb?: Verb; database?: Database; role?: RoleSettings } = {},
): Promise<AnalysedRecord> {
  const compiled = compileText(text, 'shop/script', verb);
  if (compiled instanceof ServiceError) throw compiled;
  const prover = new Prover(database, {
    aggregate: 'json_agg',
    maxResult: 32 << 20,
    limits: { ...USUAL_LIMITS, time: PATIENCE },
    patience: PATIENCE,
    analysis: database,
    role,
  });
  return (await proveText(prover, database, 'shop/script', compiled)).record;
}

/** What is wrong: `always: permission denied for table orders: GRANT …`; the verdict when nothing is. */
function wrong({ verdict, findings }: AnalysedRecord): string {
  if (findings.length === 0) return verdict;
  return findings.map(({ when, message, hint }) => `${when}: ${message}: ${hint}`).join('\n');
}

interface Case {
  readonly sql: string;
  readonly verb?: Verb;
  readonly since?: number;
  readonly wrong: string;
}

const CASES: readonly Case[] = [
  { sql: 'SELECT 1 AS n', wrong: 'proved' },
  { sql: 'SELECT * FROM app.open', wrong: 'proved' },
  { sql: 'SELECT id, status FROM app.orders', wrong: 'proved' },
  { sql: 'SELECT count(*) FROM app.orders', wrong: 'proved' },
  {
    sql: 'SELECT id FROM app.secrets',
    wrong: 'always: permission denied for table secrets: GRANT SELECT ON app.secrets TO web',
  },
  {
    sql: 'SELECT id, total FROM app.orders',
    wrong:
      'always: permission denied for table orders: GRANT SELECT (id, total) ON app.orders TO web',
  },
  {
    sql: 'SELECT o FROM app.orders o',
    wrong: 'always: permission denied for table orders: GRANT SELECT ON app.orders TO web',
  },
  {
    sql: 'SELECT "select" FROM app."Odd name"',
    wrong: 'always: permission denied for table Odd name: GRANT SELECT ON app."Odd name" TO web',
  },
  {
    sql: 'SELECT id FROM app.stale',
    wrong:
      'always: permission denied for materialized view stale: GRANT SELECT ON app.stale TO web',
  },
  {
    sql: 'SELECT id FROM app.open WHERE true {{if isSet "q"}}AND id IN (SELECT id FROM app.secrets){{end}}',
    wrong: '`q` is sent: permission denied for table secrets: GRANT SELECT ON app.secrets TO web',
  },
  {
    sql: '{{if isSet "q"}}SELECT id FROM app.secrets{{else}}SELECT total FROM app.orders{{end}}',
    wrong:
      '`q` is sent: permission denied for table secrets: GRANT SELECT ON app.secrets TO web\n' +
      '`q` is not sent: permission denied for table orders: GRANT SELECT (total) ON app.orders TO web',
  },
  {
    sql: 'UPDATE app.orders SET status = {{sqlVal "s"}} WHERE id = 1',
    verb: 'update',
    wrong: 'proved',
  },
  {
    sql: 'UPDATE app.orders SET total = 1 WHERE id = 1',
    verb: 'update',
    wrong: 'always: permission denied for table orders: GRANT UPDATE (total) ON app.orders TO web',
  },
  { sql: 'INSERT INTO app.orders (id) VALUES (1)', verb: 'write', wrong: 'proved' },
  {
    sql: 'INSERT INTO app.orders (id, total) VALUES (1, 2)',
    verb: 'write',
    wrong:
      'always: permission denied for table orders: GRANT INSERT (id, total) ON app.orders TO web',
  },
  {
    sql: 'DELETE FROM app.orders WHERE id = 1',
    verb: 'delete',
    wrong: 'always: permission denied for table orders: GRANT DELETE ON app.orders TO web',
  },
  {
    sql: 'DELETE FROM app.open WHERE id = 1; DELETE FROM app.secrets WHERE id = 1',
    verb: 'delete',
    wrong:
      'always: permission denied for table secrets: GRANT SELECT ON app.secrets TO web; GRANT DELETE ON app.secrets TO web',
  },
  {
    sql: 'SELECT app.price(1) AS p',
    wrong:
      'always: permission denied for function price: GRANT EXECUTE ON FUNCTION app.price(integer) TO web',
  },
  { sql: 'SELECT app.free(1) AS p', wrong: 'proved' },
  {
    sql: 'SELECT app.total(id) FROM app.open',
    wrong:
      'always: permission denied for aggregate total: GRANT EXECUTE ON FUNCTION app.total(integer) TO web',
  },
  // PostgreSQL leaves out what a view computes and the statement does not use, unless it is volatile.
  { sql: 'SELECT id FROM app.priced', wrong: 'proved' },
  { sql: 'SELECT id FROM app.kept', wrong: 'proved' },
  {
    sql: 'SELECT id FROM app.poor',
    wrong:
      'always: permission denied for table secrets: for the owner of a view: GRANT SELECT ON app.secrets TO pauper',
  },
  {
    sql: 'SELECT id FROM app.invoked',
    since: 15,
    wrong: 'always: permission denied for table secrets: GRANT SELECT ON app.secrets TO web',
  },
  {
    sql: 'SELECT id FROM app.around',
    since: 15,
    wrong: 'always: permission denied for table secrets: GRANT SELECT ON app.secrets TO web',
  },
  // Callers choose the table, and may choose one that they may read.
  { sql: 'SELECT count(*) FROM {{ident "t"}}', wrong: 'open' },
];

t.test('as the user of the connection, what PostgreSQL says when the statement runs', async (t) => {
  for (const { sql, verb, since = 14, wrong: expected } of CASES) {
    if (since > version) continue;
    t.equal(wrong(await proved(sql, verb === undefined ? {} : { verb })), expected, sql);
    if (/isSet|ident|sqlVal/.test(sql)) continue;
    const ran = await web.query(sql.split('; ').at(-1)!, [], {
      alone: true,
      rolledBack: 'READ WRITE',
    });
    const { message = 'none' } = (ran.failure ?? {}) as { message?: string };
    t.equal(message, /: (permission .*?):/.exec(expected)?.[1] ?? 'none', `run: ${sql}`);
  }
});

t.test(
  'with roles, nobody of whom may run it: the one that lacks least, and what it lacks',
  async (t) => {
    const role: RoleSettings = {
      claim: 'role',
      allowed: ['anon', 'staff', 'gone'],
      anonymous: undefined,
    };
    const cases: readonly (readonly [sql: string, expected: string])[] = [
      [
        'SELECT id FROM app.secrets',
        'always: permission denied for table secrets: for a role that is to run it, for example: GRANT SELECT ON app.secrets TO staff',
      ],
      [
        'SELECT s.id, app.total(s.id) OVER () FROM app.secrets s',
        'always: permission denied for table secrets: for a role that is to run it, for example: ' +
          'GRANT SELECT ON app.secrets TO staff; GRANT EXECUTE ON FUNCTION app.total(integer) TO staff',
      ],
      ['SELECT id, total, app.price(1) FROM app.orders', 'proved'],
    ];
    for (const [sql, expected] of cases)
      t.equal(wrong(await proved(sql, { database: superuser, role })), expected, sql);
  },
);

t.test('a role that lacks what others have is shown', async (t) => {
  const cases: readonly (readonly [
    sql: string,
    allowed: readonly string[],
    denied: readonly string[],
  ])[] = [
    ['SELECT id FROM app.orders', ['staff', 'boss', 'Chief'], []],
    [
      'SELECT id FROM app.orders',
      ['staff', 'anon', 'keeper'],
      ['anon USAGE schema app', 'anon SELECT table app.orders'],
    ],
    [
      'SELECT id, total FROM app.orders',
      ['web', 'staff'],
      ['web SELECT (id, total) table app.orders'],
    ],
    [
      'SELECT app.price(id) FROM app.open',
      ['web', 'staff'],
      ['web EXECUTE function app.price(integer)'],
    ],
    ['SELECT id FROM app.secrets', ['gone', 'missing'], []],
    [
      'SELECT "select" FROM app."Odd name"',
      ['Chief', 'boss'],
      ['Chief SELECT table app."Odd name"'],
    ],
    ['SELECT 1 + 1 AS n', ['anon', 'staff'], []],
  ];
  for (const [sql, allowed, denied] of cases) {
    const [last] = allowed.slice(-1);
    const role = { claim: 'role', allowed: allowed.slice(0, -1), anonymous: last };
    const record = await proved(sql, { database: superuser, role });
    t.strictSame(
      record.denied!.map(({ role, object, right }) => `${role} ${right} ${object}`),
      denied,
      sql,
    );
    t.equal(record.verdict, 'proved', sql);
  }
});

t.test('what the superuser of the connection may do is no matter to the roles', async (t) => {
  t.equal((await proved('SELECT id FROM app.secrets', { database: superuser })).verdict, 'proved');
  const role = { claim: 'role', allowed: ['anon'], anonymous: undefined };
  t.equal(
    wrong(await proved('SELECT id FROM app.secrets', { database: superuser, role })),
    'always: permission denied for schema app: GRANT USAGE ON SCHEMA app TO anon; GRANT SELECT ON app.secrets TO anon',
  );
});

t.test('nothing is said when statements cannot be analysed', async (t) => {
  await server.sql('REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC');
  const { verdict, denied } = await proved('SELECT id FROM app.secrets', {
    database: connected('web', 'web'),
  });
  t.strictSame([verdict, denied], ['proved', []]);
});
