/** Converting a configuration of pREST, with tables as pREST 2.4.2 creates them. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import bcrypt from 'bcrypt';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { makeFolder, run, start, type Finished } from './program.js';

const KEY = 'a key of more than thirty-two bytes, for HS256';

const server = await startPostgres(t, {
  setup: `
CREATE TABLE IF NOT EXISTS "public"."prest_users" (id serial PRIMARY KEY, name text, username text unique, password text, metadata jsonb);
CREATE TABLE IF NOT EXISTS "public"."prest_queries" (
  id             BIGSERIAL PRIMARY KEY,
  database_alias TEXT NOT NULL DEFAULT '',
  location       TEXT NOT NULL,
  name           TEXT NOT NULL,
  read_sql       TEXT,
  write_sql      TEXT,
  update_sql     TEXT,
  delete_sql     TEXT,
  description    TEXT,
  created_by     TEXT,
  created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
  UNIQUE (database_alias, location, name)
);
CREATE INDEX IF NOT EXISTS "prest_queries_location_idx" ON "public"."prest_queries" (location);
INSERT INTO prest_queries (location, name, read_sql, created_by, created_at) VALUES
  ('demo', 'one', 'SELECT 1 AS one', 'filesystem-import', '2024-01-02T03:04:05Z');
INSERT INTO prest_queries (location, name, write_sql, delete_sql) VALUES ('demo', 'two', 'SELECT 2', '')`,
});
await server.sql(
  `INSERT INTO prest_users (name, username, password, metadata) VALUES
    ('Ann', 'ann', $1, '{"team":"a"}'), ('Bob', 'bob', md5('bob''s password'), NULL)`,
  [await bcrypt.hash("ann's password", 4)],
);

const TOML = `
[pg]
url = "${server.url}"
[auth]
enabled = true
[jwt]
key = "${KEY}"
[http]
port = 0
[queries]
location = "queries"
storage = "database"
`;

/** A folder with a prest.toml. */
const folderWith = (toml: string): string => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'prest.toml'), toml);
  return folder;
};
const migrate = (
  folder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> => run(folder, ['migrate', 'from-prest', ...args], env);
const dump = (): Promise<unknown[]> =>
  server.sql(`SELECT c.relname, pg_relation_size(c.oid) AS size FROM pg_class c
    WHERE relnamespace = 'public'::regnamespace ORDER BY 1`);
const rows = (table: string): Promise<Record<string, unknown>[]> =>
  server.sql(`SELECT * FROM ${table} ORDER BY id`);

t.test('a dry run changes nothing', async (t) => {
  const folder = folderWith(TOML);
  for (const tables of ['adopt', 'copy']) {
    const before = await dump();
    const { code, stdout, stderr } = await migrate(folder, ['--dry-run', '--tables', tables]);
    t.equal(stderr, '');
    t.equal(code, 0, stdout);
    t.match(stdout, /public\.prest_users: 2 users: 1 with bcrypt, 1 with md5/);
    t.match(stdout, /public\.prest_queries: 2 texts of scripts/);
    t.match(stdout, /nothing was changed/);
    t.notMatch(stdout, KEY);
    t.strictSame(readdirSync(folder), ['prest.toml']);
    t.strictSame(await dump(), before);
  }
});

t.test('the tables are adopted: logins and stored scripts work', async (t) => {
  const folder = folderWith(TOML);
  const before = [await dump(), await rows('prest_users'), await rows('prest_queries')];
  const { code, stdout } = await migrate(folder);
  t.equal(code, 0, stdout);
  const file = join(folder, 'service.toml');
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(readFileSync(file, 'utf8'), /table = "prest_users"/);
  t.strictSame([await dump(), await rows('prest_users'), await rows('prest_queries')], before);
  t.match(await migrate(folder), { code: 1, stdout: /it is there already; --yes replaces it/ });
  t.match(await migrate(folder, ['--yes']), { code: 0 });
  t.match(await run(folder, ['check']), { code: 0 });

  const service = start(folder, ['serve']);
  t.teardown(async () => {
    service.child.kill();
    await service.finished;
  });
  const [, port] = await service.seen(/http:\/\/[^:]+:(\d+)/);
  for (const [username, password] of [
    ['ann', "ann's password"],
    ['bob', "bob's password"],
  ]) {
    const answer = await fetch(`http://127.0.0.1:${port}/auth`, {
      method: 'POST',
      body: JSON.stringify({ username, password }),
    });
    const { token, ...rest } = (await answer.json()) as { token: string };
    t.match(rest, { user_info: { username } });
    const headers = { authorization: `Bearer ${token}` };
    const stored = await fetch(`http://127.0.0.1:${port}/_QUERIES/demo/one`, { headers });
    t.same(await stored.json(), [{ one: 1 }], 'a stored script answers as there');
  }
});

t.test('the rows are copied, once', async (t) => {
  const folder = folderWith(TOML);
  const { code, stdout } = await migrate(folder, ['--tables', 'copy']);
  t.equal(code, 0, stdout);
  t.match(stdout, /2 rows copied into public\.service_users/);
  t.match(stdout, /2 rows copied into public\.service_queries/);
  t.strictSame(await rows('service_users'), await rows('prest_users'));
  t.match(await rows('service_queries'), [
    { location: 'demo', name: 'one', read_sql: 'SELECT 1 AS one', created_by: 'filesystem-import' },
    { location: 'demo', name: 'two', write_sql: 'SELECT 2', delete_sql: null },
  ]);
  t.same((await rows('service_queries'))[0]!['created_at'], new Date('2024-01-02T03:04:05Z'));
  await server.sql("INSERT INTO service_users (username) VALUES ('later')");
  t.match(await migrate(folder, ['--tables', 'copy', '--yes']), {
    code: 0,
    stdout: /0 rows copied into public\.service_users/,
  });
  t.equal((await rows('service_users')).length, 3);
  t.match(await run(folder, ['check']), { code: 0 });
});

t.test('existing files and rows are never overwritten', async (t) => {
  await server.sql(`UPDATE service_users SET password = 'x' WHERE username = 'ann';
    DELETE FROM service_users WHERE username = 'later';
    UPDATE service_queries SET read_sql = 'SELECT 3' WHERE name = 'one';
    INSERT INTO service_users (id, username) VALUES (99, 'other');
    INSERT INTO prest_users (id, username, password) VALUES (99, 'new', 'y')`);
  const before = [await rows('service_users'), await rows('service_queries')];
  const folder = folderWith(TOML);
  for (const flags of [[], ['--dry-run']]) {
    const { code, stdout } = await migrate(folder, ['--tables', 'copy', ...flags]);
    t.equal(code, 1);
    t.match(stdout, /public\.service_users: it has "ann", "new" with another content/);
    t.match(stdout, /public\.service_queries: it has "demo\/one" with another content/);
    t.notOk(existsSync(join(folder, 'service.toml')));
  }
  t.strictSame([await rows('service_users'), await rows('service_queries')], before);
});

t.test('secrets from variables are not written, and no secret is printed', async (t) => {
  const folder = folderWith(TOML.replace(/^url.*$/m, '').replace(/^key.*$/m, ''));
  const env = { PREST_JWT_KEY: KEY, PREST_PG_URL: server.url };
  const password = decodeURIComponent(new URL(server.url).password);
  const { code, stdout } = await migrate(folder, ['--json'], env);
  t.equal(code, 0, stdout);
  t.notMatch(stdout, KEY);
  t.match(JSON.parse(stdout), {
    ok: true,
    written: true,
    variables: [
      { name: 'SERVICE_PG_PASS', from: 'the password in PREST_PG_URL' },
      { name: 'SERVICE_JWT_KEY', from: 'PREST_JWT_KEY' },
    ],
  });
  const text = readFileSync(join(folder, 'service.toml'), 'utf8');
  t.notMatch(text, KEY);
  t.match(
    await run(folder, ['check'], {
      SERVICE_JWT_KEY: KEY,
      SERVICE_PG_PASS: password,
    }),
    { code: 0 },
  );
});

t.test('scripts that would behave differently are named', async (t) => {
  await server.sql(`INSERT INTO prest_queries (database_alias, location, name, read_sql) VALUES
    ('', 'demo', 'broken', 'SELECT {{nothing}}'), ('', 'demo', 'set', 'SET x = 1'),
    ('', 'de.mo', 'dot', 'SELECT 1'), ('nowhere', 'demo', 'one', 'SELECT 1'),
    ('', 'demo', 'second', 'SELECT 1; COMMIT'),
    ('', 'demo', 'branches', '{{if isSet "a"}}SELECT 1;{{else}}VACUUM item;{{end}}')`);
  t.teardown(() =>
    server.sql(
      `DELETE FROM prest_queries WHERE name IN ('broken', 'set', 'dot', 'second', 'branches') OR database_alias <> ''`,
    ),
  );
  const { code, stdout } = await migrate(folderWith(TOML), ['--dry-run']);
  t.equal(code, 1);
  t.match(stdout, /demo\/broken \(read\): 1:10: /);
  t.match(stdout, /demo\/set \(read\): statement is not allowed in a script: SET/);
  t.match(stdout, /demo\/second \(read\): statement is not allowed in a script: COMMIT/);
  t.notMatch(stdout, 'demo/branches');
  t.match(stdout, /de\.mo\/dot \(read\): no request can name it/);
  t.match(stdout, /nowhere\/demo\/one \(read\): no database has the alias "nowhere"/);
});

t.test('nothing is written if check fails, or without the database', async (t) => {
  for (const [toml, reason] of [
    [TOML.replace(KEY, 'short'), /jwt\.key/],
    [TOML.replace('port = 0', 'port = 70000'), /http\.port: found 70000/],
    [TOML.replace('port = 0', 'port = "x"'), /http\.port: found something other/],
    [TOML.replace(/^url.*$/m, 'port = 1'), /the database refused/],
    ['[pg', /prest\.toml:1:/],
  ] as const) {
    const folder = folderWith(toml);
    const { code, stdout } = await migrate(folder);
    t.equal(code, 1);
    t.match(stdout, reason);
    t.match(stdout, /^.*prest\.toml → [^]*service\.toml was not written/);
    t.strictSame(readdirSync(folder), ['prest.toml']);
  }
  const empty = makeFolder(t);
  t.match(await migrate(empty), { code: 1, stdout: /there is no prest\.toml here/ });
  t.match(await migrate(empty, ['--from', 'other.toml']), { code: 1, stdout: /ENOENT/ });
  t.match(await migrate(empty, ['--http.port', '1']), { code: 2, stderr: /takes no keys/ });
  t.match(await migrate(empty, ['--tables', 'move']), { code: 2, stderr: /adopt or copy/ });
});
