/** Finding a user, in tables of all kinds. */
import t from 'tap';
import type { UsersTable } from '#app/messages/database-settings.js';
import { connections, startOwnPostgres, startPostgres } from '../../support/postgres.js';
import { fails, usersOf } from './tables.js';

interface Case {
  readonly setup: string;
  readonly table?: Partial<UsersTable>;
  /** The user found, by name. */
  readonly found: Readonly<Record<string, unknown>>;
}

const OURS =
  'CREATE TABLE service_users (id serial PRIMARY KEY, name text, username text UNIQUE, password text, metadata jsonb);';
const user = (fields: object): object => ({
  id: 1,
  name: '',
  username: 'ann',
  password: 'h',
  metadata: null,
  ...fields,
});

const CASES: Readonly<Record<string, Case>> = {
  'our own table': {
    setup: `${OURS} INSERT INTO service_users (name, username, password, metadata)
      VALUES ('Ann', 'ann', 'h', '{"a":[1,null]}'), (NULL, 'bob', NULL, NULL), ('U', 'Upper', 'h', NULL)`,
    found: {
      ann: user({ name: 'Ann', metadata: { a: [1, null] } }),
      bob: user({ id: 2, username: 'bob', password: null }),
      upper: undefined,
      Upper: user({ id: 3, name: 'U', username: 'Upper' }),
      carol: undefined,
      '': undefined,
      "ann' OR '1'='1": undefined,
      'ann"; DROP TABLE service_users; --': undefined,
      'ann\ud800': undefined,
      'ann\0': undefined, // on its way to the database a text ends there
    },
  },
  'two columns': {
    setup:
      "CREATE TABLE service_users AS SELECT 'ann'::varchar(20) AS username, 'h'::varchar AS password",
    found: { ann: user({ id: 0 }), bob: undefined },
  },
  'other names, quoted ones': {
    setup: `CREATE SCHEMA "a ""b' c\\"; CREATE TABLE "a ""b' c\\"."T; DROP" ("log""in" text, "ha'sh\\" text);
      INSERT INTO "a ""b' c\\"."T; DROP" VALUES ('ann', 'h')`,
    table: { schema: 'a "b\' c\\', table: 'T; DROP', username: 'log"in', password: "ha'sh\\" },
    found: { ann: user({ id: 0 }) },
  },
  'metadata of columns': {
    setup: `CREATE TABLE service_users AS SELECT 7 AS id, 'ann' AS username, 'h' AS password, 'x' AS "o'rg",
      true AS admin, NULL::int AS age, 'secret' AS other, '{"no":1}'::jsonb AS metadata`,
    table: { metadata: ["o'rg", 'admin', 'age', 'absent', 'password'] },
    found: { ann: user({ id: 7, metadata: { "o'rg": 'x', admin: true, age: null } }) },
  },
  'the password under the name of another column': {
    setup: "CREATE TABLE service_users AS SELECT 'ann' AS username, 'h' AS name",
    table: { password: 'name' },
    found: { ann: user({ id: 0 }) },
  },
  'columns named as the aliases in our statements': {
    setup: `CREATE TABLE service_users AS SELECT 7 AS id, 'ann' AS username, 'h' AS password,
      '{"id":8,"name":"Eve"}'::jsonb AS u, 'x' AS s`,
    table: { metadata: ['s'] },
    found: { ann: user({ id: 7, metadata: { s: 'x' } }) },
  },
  'ids of all kinds': {
    setup: `CREATE TABLE service_users AS SELECT * FROM (VALUES ('"u-1"'::jsonb, 'ann'), ('9007199254740993', 'big'),
      ('null', 'none')) AS v (id, username), (VALUES ('h')) AS p (password)`,
    found: {
      ann: user({ id: 'u-1' }),
      big: user({ id: '9007199254740993', username: 'big' }),
      none: user({ id: 0, username: 'none' }),
    },
  },
  'a name twice': {
    setup: `CREATE TABLE service_users AS SELECT * FROM (VALUES ('ann', 'h'), ('ann', 'h'), ('bob', 'h'))
      AS v (username, password)`,
    found: { ann: 'ambiguous', bob: user({ id: 0, username: 'bob' }) },
  },
  'a type that ignores blanks at the end': {
    setup:
      "CREATE TABLE service_users AS SELECT 'ann'::char(10) AS username, 'h'::char(5) AS password",
    found: { ann: user({ id: 0 }), 'ann ': undefined, 'ann  ': undefined },
  },
  'a collation that ignores case and accents': {
    setup: `CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
      CREATE TABLE service_users (username text COLLATE loose, password text);
      INSERT INTO service_users VALUES ('Ann', 'h')`,
    found: { ann: user({ id: 0, username: 'Ann' }), änn: undefined },
  },
  'names that are no texts': {
    setup: 'CREATE TABLE service_users AS SELECT 12 AS username, 34 AS password',
    found: { '12': user({ id: 0, username: '12', password: '34' }), ann: undefined },
  },
  'a view': {
    setup: `CREATE TABLE people AS SELECT 'ann' AS mail, 'h' AS hash;
      CREATE VIEW service_users AS SELECT mail AS username, hash AS password FROM people`,
    found: { ann: user({ id: 0 }) },
  },
};

t.test('find', async (t) => {
  const server = await startPostgres(t);
  for (const [name, { setup, table, found }] of Object.entries(CASES))
    await t.test(name, async (t) => {
      await server.sql(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${setup}`);
      const users = usersOf(t, server, table);
      for (const [username, expected] of Object.entries(found))
        t.strictSame(await users.find(username), expected, JSON.stringify(username));
      t.ok(await users.exists(), 'the table is still there');
    });
});

t.test('a database whose encoding lacks the letter: no such user', async (t) => {
  const server = await startPostgres(t);
  await server.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
  const users = usersOf(t, server, {}, 'dbname=latin');
  await users.make();
  t.equal(await users.find('\u0142'), undefined);
});

t.test('failures', async (t) => {
  const server = await startOwnPostgres(t);
  await t.test('no table', async (t) => {
    await fails(t, usersOf(t, server).find('ann'), {
      state: '42P01',
      passing: false,
    });
  });
  await t.test('no column', async (t) => {
    await server.sql('CREATE TABLE service_users (username text, hash text)');
    await fails(t, usersOf(t, server).find('ann'), { state: '42703', passing: false });
  });
  await t.test('not permitted', async (t) => {
    await server.sql("CREATE ROLE poor LOGIN PASSWORD 'poor'");
    await server.sql('CREATE TABLE closed (username text, password text)');
    const users = usersOf(t, server, { table: 'closed' }, 'user=poor password=poor');
    await fails(t, users.find('ann'), { state: '42501', passing: false });
  });
  await t.test('unreachable', async (t) => {
    const users = usersOf(t, server);
    await users.make();
    t.equal(await connections(server), 1);
    await server.stop();
    await fails(t, users.find('ann'), { passing: true });
    await fails(t, users.find('ann'), {});
  });
});
