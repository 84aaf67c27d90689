/**
 * Every surface of a service over a database in which another user has planted shadows (support/shadows.ts): files and stored
 * scripts, their proofs, listings, MCP tools, logins, the registry, slow statements, questions to replicas, and commands.
 */
import bcrypt from 'bcrypt';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import { runShared } from '../commands/program.js';
import { callTool, toolNames } from '../support/mcp.js';
import { startOwnPostgres } from '../support/postgres.js';
import {
  startService,
  type AskOptions,
  type Configuration,
  type Service,
} from '../support/service.js';
import { called, plant } from '../support/shadows.js';
import { SECRET, signToken } from '../support/tokens.js';

export interface ShadowCase {
  /** The user of the service. */
  readonly user: 'postgres' | 'svc';
  /** The search path of the database. */
  readonly searchPath?: string;
  /** Whether callers have roles of their own. */
  readonly roles?: boolean;
}

const SETUP = `
  CREATE ROLE svc LOGIN NOINHERIT PASSWORD 'a'; CREATE ROLE web; GRANT web TO svc;
  GRANT pg_read_all_stats TO svc;
  CREATE SCHEMA ext; GRANT USAGE ON SCHEMA ext TO PUBLIC; CREATE EXTENSION citext SCHEMA public;
  CREATE SCHEMA app AUTHORIZATION svc; GRANT USAGE ON SCHEMA app TO PUBLIC; SET ROLE svc;
  CREATE DOMAIN app.handle AS public.citext; CREATE DOMAIN app.login AS app.handle;
  CREATE TABLE app.author (name app.login PRIMARY KEY, born date);
  CREATE TABLE app.book (id int PRIMARY KEY, title text, price numeric CHECK (price > 0), added timestamptz,
    tags text[], doc jsonb, pair json, author app.login REFERENCES app.author);
  CREATE VIEW app.titles AS SELECT id, title FROM app.book;
  INSERT INTO app.author VALUES ('Ann', '1990-05-01');
  INSERT INTO app.book VALUES (1, 'One', 10, '2026-01-02', '{a}', '{"a": 1}', '{"b": 2}', 'ANN'),
    (2, 'Two', 20, '2026-02-03', '{b}', '{"a": 2}', '{"b": 2}', 'ann');
  GRANT SELECT, INSERT ON app.book, app.author, app.titles TO web;
  CREATE TABLE app.users (id serial PRIMARY KEY, name text, username app.handle UNIQUE, password text, metadata jsonb);
  CREATE TABLE app.prest_users (id serial PRIMARY KEY, name text, username text unique, password text, metadata jsonb);
  CREATE TABLE app.prest_queries (id BIGSERIAL PRIMARY KEY, database_alias TEXT NOT NULL DEFAULT '', location TEXT NOT NULL,
    name TEXT NOT NULL, read_sql TEXT, write_sql TEXT, update_sql TEXT, delete_sql TEXT, description TEXT, created_by TEXT,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(), updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    UNIQUE (database_alias, location, name));
  INSERT INTO app.prest_queries (location, name, read_sql) VALUES ('demo', 'one', 'SELECT 1 AS one');
  RESET ROLE`;

/** They use no operator and no function by itself: with a search path of its own, that is up to their author. */
const SCRIPTS = {
  's/list.read.sql':
    'SELECT b.id, b.title, b.author, b.added FROM app.book b {{if isSet "n"}}LIMIT {{sqlVal "n"}}{{end}}',
  's/one.read.sql': '-- @one\nSELECT b.id FROM app.book b LIMIT 1',
  's/count.read.sql': '-- @scalar\nSELECT b.title FROM app.book b LIMIT 1',
  's/head.read.sql': '-- @header X-Id: {id}\nSELECT b.id, b.title FROM app.titles b',
  's/slow.read.sql': 'SELECT b.id FROM app.book b, pg_catalog.pg_sleep(0.05)',
  's/add.write.sql':
    'INSERT INTO app.book (id, title, tags, doc) VALUES ({{sqlVal "id"}}, {{sqlVal "title"}}, \'{x,y}\', \'{"a": [1]}\') RETURNING id, title, tags, doc, added',
};

const USERS: Configuration = {
  'auth.enabled': true,
  'auth.schema': 'app',
  'auth.table': 'users',
  'auth.encrypt': 'bcrypt',
  'http.host': '127.0.0.1',
  'jwt.key': SECRET,
};

/** shadowTests runs the surfaces of a case, and fails where a shadow was called, or one of them does not work. */
export async function shadowTests(t: Test, { user, searchPath, roles }: ShadowCase): Promise<void> {
  const postgres = await startOwnPostgres(t, {
    settings: {
      wal_level: 'replica',
      shared_preload_libraries: 'pg_stat_statements',
      compute_query_id: 'on',
    },
    setup: `${SETUP}; CREATE EXTENSION pg_stat_statements SCHEMA ext`,
  });
  t.ok((await plant(postgres, ['public.citext', 'app.handle', 'app.login'])) > 20_000);
  if (searchPath !== undefined)
    await postgres.sql(`ALTER DATABASE postgres SET search_path = ${searchPath}`);
  const seen = { at: 0 };
  const none = (what: string): void => {
    t.strictSame(called(postgres, seen), [], what);
  };
  const { host, port } = postgres;
  const login = user === 'postgres' ? `postgres:${postgres.password}` : 'svc:a';
  const database = `postgres://${login}@${host}:${port}/postgres`;
  const config: Configuration = {
    ...USERS,
    'expose.enabled': true,
    'http.processes': 1,
    'pool.threads': 1,
    'log.level': 'debug',
    'log.slow': '20ms',
    'mcp.scripts': true,
    // The same server, which is asked what it is.
    'pg.replicas': [database.replace(host, 'localhost')],
    ...(roles === true
      ? {
          'auth.db_role': 'role',
          'auth.db_roles': ['web'],
          'auth.anonymous_role': 'web',
          'auth.claims': true,
          'auth.settings': true,
        }
      : {}),
  };
  const bearer = signToken({
    sub: 'ann',
    role: 'web',
    UserInfo: { id: 1, name: '', username: 'ann', metadata: null },
  });
  const as: AskOptions = { headers: { authorization: `Bearer ${bearer}` } };

  const files = await startService(t, { database, scripts: SCRIPTS, config });
  await files.line(({ msg }) => msg.startsWith('the scripts were proved'));
  none('the prover, the start and questions to replicas');
  await scripts(t, files, as);
  await files.line(({ msg, plan }) => msg === 'a statement was slow' && plan !== undefined);
  none('scripts, and the plan of a slow one');
  for (const target of [
    '/databases',
    '/schemas?schema_name=$like.a%25',
    '/tables?name=book&schema=$in.app,b',
    '/tables?_order=-name&_page=1',
  ])
    t.equal((await files.ask(target, as)).status, 200, target);
  none('listings');
  await tools(t, files, as);
  none('MCP tools');

  const run = async (args: readonly string[], input = ''): Promise<string> => {
    const { code, stdout, stderr } = await runShared(
      files.folder,
      [...args, '--config', 'service.toml'],
      {},
      input,
    );
    t.equal(code, 0, `${args.join(' ')}: ${stdout.slice(-2_000)} ${stderr}`);
    return stdout;
  };
  await run(['user', 'add', 'bob'], 'a good password');
  await run(['user', 'passwd', 'BOB'], 'another password');
  t.match(await run(['user', 'list']), /bob/);
  const asked = {
    method: 'POST',
    body: JSON.stringify({ username: 'bob', password: 'another password' }),
  };
  t.equal((await files.ask('/auth', asked)).status, 200);
  await postgres.sql(
    `INSERT INTO app.users (username, password) VALUES ('old', pg_catalog.md5('old password'))`,
  );
  await run(['user', 'remove', 'Bob']);
  t.match(await run(['check', '--privileges']), /mallory/, 'check warns');
  t.match(JSON.parse(await run(['contract'])), { scripts: Object });
  await run(['client', 'typescript']);
  none('commands and logins');

  const stored = await startService(t, {
    database,
    scripts: SCRIPTS,
    config: {
      ...config,
      'queries.storage': 'database',
      'queries.schema': 'app',
      'queries.migrate_on_startup': true,
      'queries.import_on_startup': true,
      'queries.register_enabled': true,
      'queries.register_admins': ['ann'],
    },
  });
  await stored.line(({ msg }) => msg.startsWith('the scripts were proved'));
  await scripts(t, stored, as);
  const record = '/_QUERIES/registry/s/new';
  const put = {
    ...as,
    method: 'PUT',
    body: JSON.stringify({ read_sql: 'SELECT b.id FROM app.book b' }),
  };
  for (const [target, options, status] of [
    [`${record}?validate`, put, 201],
    [record, { ...put, body: JSON.stringify({ read_sql: 'SELECT b.title FROM app.book b' }) }, 200],
    [`${record}?history`, as, 200],
    [`${record}?proof`, as, 200],
    ['/_QUERIES/registry?location=s', as, 200],
    [record, { ...as, method: 'DELETE' }, 204],
  ] as const)
    t.equal((await stored.ask(target, options)).status, status, target);
  const inStored = (args: readonly string[]): Promise<unknown> =>
    runShared(stored.folder, [...args, '--config', 'service.toml']).then(
      ({ code, stdout, stderr }) => t.equal(code, 0, `${args.join(' ')}: ${stdout} ${stderr}`),
    );
  await inStored(['check']);
  await inStored(['scripts', 'export', 'exported']);
  t.ok(readdirSync(path.join(stored.folder, 'exported')).length > 0);
  await inStored(['scripts', 'import', 'exported']);
  await inStored(['scripts', 'diff', 'exported']);
  none('stored scripts and the registry');

  const toml = `[pg]\nurl = "${database}"\n[auth]\nenabled = true\nschema = "app"\ntable = "prest_users"\n[jwt]\nkey = "${SECRET}"\n[queries]\nlocation = "queries"\nstorage = "database"\nschema = "app"\ntable = "prest_queries"\n`;
  writeFileSync(path.join(files.folder, 'prest.toml'), toml);
  await postgres.sql(
    `INSERT INTO app.prest_users (name, username, password) VALUES ('Ann', 'ann', $1)`,
    [await bcrypt.hash('p', 4)],
  );
  const from = await runShared(files.folder, [
    'migrate',
    'from-prest',
    '--yes',
    '--tables',
    'copy',
  ]);
  t.equal(from.code, 0, from.stdout + from.stderr);
  none('migrate from-prest');
}

async function scripts(t: Test, service: Service, as: AskOptions): Promise<void> {
  const titles = ['One', 'Two'];
  const list = (await service.rows('s/list?n=2', as)) as { title: string }[];
  t.strictSame(
    list.map(({ title }) => title),
    titles,
  );
  t.strictSame((await service.ask('s/one', as)).json, { id: 1 });
  t.equal((await service.ask('s/count', as)).json, 'One');
  t.equal((await service.ask('s/head', as)).headers.get('x-id'), '1');
  t.equal((await service.ask('s/list?_renderer=xml', as)).status, 200);
  const id = String(Date.now() % 1_000_000);
  const added = await service.ask(`s/add?id=${id}&title=New`, { ...as, method: 'POST' });
  t.match(added.json, { rows: [{ title: 'New', tags: ['x', 'y'], doc: { a: [1] } }] }, added.text);
  for (let i = 0; i < 3; i++) t.equal((await service.ask('s/slow', as)).status, 200);
}

async function tools(t: Test, service: Service, as: AskOptions): Promise<void> {
  const names = await toolNames(service, as);
  t.ok(
    names.some((name) => name.includes('list')),
    'tools',
  );
  const table = { schema: 'app', table: 'book' };
  const filters = [
    { id: 1 },
    { id: { '>=': 1, '<': 3 } },
    { id: [1, 2] },
    { title: { like: 'O%' } },
    { title: { ilike: 'o%' } },
    { title: { not: 'x' } },
    { title: { contains: 'n' } },
    { price: { '<=': 10 } },
    { added: { '>': '2026-01-01' } },
    { tags: { contains: ['a'] } },
    { doc: { a: 1 } },
    { author: 'ann', id: 1 },
    { author: { ilike: 'an%' }, id: 1 },
    { author: ['aNN'], id: 1 },
  ];
  for (const [name, args] of [
    ['list_databases', {}],
    ['list_tables', { schema: 'app' }],
    ['describe_table', table],
    ...filters.map(
      (one) =>
        [
          'select_table',
          { ...table, filters: one, order_by: '-id', total: true, offset: 0 },
        ] as const,
    ),
    ['select_table', { ...table, columns: ['id'], include: { author: true }, limit: 1, offset: 1 }],
    ['select_table', { schema: 'app', table: 'author', include: { book: { filters: { id: 1 } } } }],
    [
      'aggregate_table',
      {
        ...table,
        group_by: ['author'],
        aggregates: [
          { function: 'count' },
          { function: 'avg', column: 'price' },
          { function: 'count_distinct', column: 'title' },
        ],
      },
    ],
    [
      'aggregate_table',
      {
        ...table,
        group_by: [{ column: 'added', by: 'month', time_zone: 'UTC' }],
        aggregates: [{ function: 'max', column: 'price', as: 'most' }],
        having: { most: { '>': 1 } },
      },
    ],
    [
      'aggregate_table',
      { ...table, group_by: ['author.born'], aggregates: [{ function: 'min', column: 'title' }] },
    ],
  ] as const) {
    const { isError, content, structuredContent } = await callTool(
      service,
      `service.${name}`,
      args,
      as,
    );
    t.not(isError, true, `${JSON.stringify(args)}: ${content[0]?.text}`);
    if ('filters' in args)
      t.ok((structuredContent?.['rows'] as unknown[]).length > 0, JSON.stringify(args));
  }
  const script = names.find((name) => /s[._]list$|s_list/.test(name));
  if (script !== undefined) t.not((await callTool(service, script, {}, as)).isError, true);
}
