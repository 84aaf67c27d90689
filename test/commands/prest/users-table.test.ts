/** Users tables that pREST did not create: other columns, other types, repeated names. */
import { openSession } from '#app/postgres/lanes/database.js';
import { databaseOf } from '#app/commands/config/databases.js';
import { loadConfig } from '#app/commands/config/load.js';
import { Draft } from '#app/commands/prest/draft.js';
import { PrestUsers } from '#app/commands/prest/users-table.js';
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';

const server = await startPostgres(t, {
  setup: `
CREATE SCHEMA app;
CREATE TABLE app.people (login text, secret text, metadata json, o text);
INSERT INTO app.people VALUES ('ann', md5('a'), '{"b":1}'), ('Bob', '$2y$10$x', NULL), (NULL, 'x', NULL);
CREATE TABLE app.uuids (id uuid, username text, password text);
CREATE TABLE app.twice (id bigint, username text, password text);
INSERT INTO app.twice VALUES (1, 'ann', 'x'), (2, 'ann', 'y')`,
});
const { config } = loadConfig({ env: { DATABASE_URL: server.url }, cwd: '/' });
const database = openSession(databaseOf(config));
t.teardown(() => database.close());

const users = (table: string, username = 'username', password = 'password'): PrestUsers =>
  new PrestUsers({ schema: 'app', table, username, password, metadata: [] }, database);
const target = {
  schema: 'app',
  table: 'service_users',
  username: 'username',
  password: 'password',
  metadata: [],
};

t.test('columns of other names', async (t) => {
  const people = users('people', 'login', 'secret');
  const draft = new Draft();
  t.ok(await people.exists(draft));
  await people.describe('md5', draft);
  t.strictSame(
    draft.findings.map(({ kind, message }) => `${kind}: ${message}`),
    [
      'taken: 3 users: 1 with bcrypt, 1 with md5',
      'differs: 1 user with bcrypt may log in here; in pREST they cannot while auth.encrypt is md5',
      'unused: 1 user with a password in no known form cannot log in, in pREST neither',
      'unused: 1 user with capital letters in the name cannot log in, in pREST neither',
      'unused: 1 user without a name cannot log in, in pREST neither',
    ],
  );
  const copy = await people.copyTo(target, draft);
  t.match(copy, { rows: 2, conflicts: [] });
  t.equal(await copy!.execute(), 2);
  t.match(
    await server.sql('SELECT username, metadata FROM app.service_users ORDER BY lower(username)'),
    [
      { username: 'ann', metadata: { b: 1 } },
      { username: 'Bob', metadata: null },
    ],
  );
  t.equal(await (await people.copyTo(target, draft))!.execute(), 0);
  t.strictSame(draft.problems, []);
});

t.test('tables that cannot be copied', async (t) => {
  const draft = new Draft();
  t.notOk(await users('people').exists(draft));
  t.match(draft.problems, [/app\.people: there is no column username, password/]);
  t.notOk(await users('nowhere').exists(draft));
  t.equal(await users('uuids').copyTo(target, draft), undefined);
  t.match(draft.problems[1], /the column id is no number \(uuid\); use --tables adopt/);
  t.equal(await users('twice').copyTo({ ...target, table: 'people' }, draft), undefined);
  t.match(draft.problems[2], /app\.people: it is there, without id, name, username, password/);
});

t.test('repeated names', async (t) => {
  const draft = new Draft();
  const twice = users('twice');
  await twice.describe('bcrypt', draft);
  t.match(draft.findings.at(-1), { kind: 'unsupported', message: /same name/ });
  const copy = await twice.copyTo({ ...target, table: 'fresh' }, draft);
  await t.rejects(copy!.execute(), { name: 'StatementFailure', state: '23505' });
  t.equal((await server.sql('SELECT FROM app.fresh')).length, 0, 'all or nothing');
});
