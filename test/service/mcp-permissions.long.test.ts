/** Who is offered which tools, and what they show: by token, `[access]`, `[expose]`, database role and script permissions. */
import t from 'tap';
import { callTool, post, rowsOf, toolNames } from '../support/mcp.js';
import { startPostgres } from '../support/postgres.js';
import { startService, type AskOptions, type Configuration } from '../support/service.js';
import { SECRET, signToken, userToken } from '../support/tokens.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE TABLE item (id int PRIMARY KEY, name text, price int);
    INSERT INTO item VALUES (1, 'tea', 3), (2, 'milk', 1);
    CREATE TABLE pay (id int, amount int);
    CREATE TABLE service_users (id serial, username text, password text);
    INSERT INTO service_users (username, password) VALUES ('ann', 'hash');
    CREATE TABLE service_queries (id int, read_sql text);
    CREATE TABLE service_queries_history (id int, read_sql text);
    CREATE TABLE service_queries_proofs (id int, proof text);
    CREATE SCHEMA other; CREATE TABLE other.item (id int);
    CREATE TABLE owned (owner text, note text);
    INSERT INTO owned VALUES ('ann', 'a'), ('bob', 'b');
    ALTER TABLE owned ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON owned USING (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');
    CREATE ROLE web NOLOGIN; CREATE ROLE clerk NOLOGIN;
    GRANT SELECT ON owned TO web, clerk; GRANT SELECT (id, name) ON item TO clerk;`,
});
const scripts = {
  'shop/items.read.sql': '-- All items.\nSELECT id, name FROM item ORDER BY id',
  'shop/pay.read.sql': 'SELECT * FROM pay',
};

const AUTH = {
  'auth.enabled': true,
  'auth.login': false,
  'auth.migrate_on_startup': false,
  'http.host': '127.0.0.1',
  'jwt.key': SECRET,
} as const;
const start = (config: Configuration) =>
  startService(t, {
    database: postgres.url,
    scripts,
    config: { 'http.processes': 1, 'pool.threads': 1, ...config },
  });
const as = (token: string): AskOptions => ({ headers: { authorization: `Bearer ${token}` } });
const ann = as(userToken('ann'));
const bob = as(userToken('bob'));

const SELECT = 'service.select_table';
const AGGREGATE = 'service.aggregate_table';
const item = { schema: 'public', table: 'item' };
const GENERAL = [
  'list_databases',
  'list_schemas',
  'list_tables',
  'describe_table',
  'select_table',
  'aggregate_table',
].map((name) => `service.${name}`);
const tables = (names: readonly string[]) =>
  names.filter((name) => name.startsWith('service.select.')).map((name) => name.slice(24));

t.test('[access], for each caller', async (t) => {
  const service = await start({
    ...AUTH,
    'access.restrict': true,
    'access.tables': [{ name: 'item', permissions: ['read'], fields: ['id', 'name'] }],
    'access.users': [
      {
        name: 'ann',
        tables: [
          { name: 'item', permissions: ['read'] },
          { name: 'other.item', permissions: ['read'] },
          { name: 'service_users', permissions: ['read'] },
          { name: 'service_queries', permissions: ['read'] },
          { name: 'service_queries_history', permissions: ['read'] },
          { name: 'service_queries_proofs', permissions: ['read'] },
          { name: 'pg_catalog.pg_class', permissions: ['read'] },
        ],
      },
      { name: 'bob', tables: [{ name: 'pay', permissions: ['write'] }] },
    ],
  });
  t.strictSame(tables(await toolNames(service, ann)), ['other.item', 'public.item']);
  t.strictSame(tables(await toolNames(service, bob)), ['public.item']);
  t.match(await rowsOf(service, SELECT, item, ann), [{ id: 1, name: 'tea', price: 3 }]);
  t.strictSame(await rowsOf(service, SELECT, { ...item, limit: 1 }, bob), [{ id: 1, name: 'tea' }]);

  const hidden = await rowsOf(service, SELECT, { ...item, columns: ['price'] }, bob);
  const absent = await rowsOf(service, SELECT, { ...item, columns: ['nope'] }, bob);
  t.match(hidden, /^unknown column/);
  t.equal(String(hidden).replace('price', 'nope'), absent, 'as one that there is not');
  for (const args of [{ filters: { price: 3 } }, { order_by: ['-price'] }])
    t.match(await rowsOf(service, SELECT, { ...item, ...args }, bob), /^unknown column/);
  for (const args of [
    { group_by: ['price'] },
    { aggregates: [{ function: 'max', column: 'price' }] },
    { filters: { price: { '>': 0 } } },
    { having: { price: 3 } },
    { order_by: ['price'] },
  ])
    t.match(await rowsOf(service, AGGREGATE, { ...item, ...args }, bob), /^unknown column/);
  const described = await callTool(service, 'service.describe_table', item, bob);
  t.match(described.structuredContent, { columns: [{ name: 'id' }, { name: 'name' }], count: 2 });

  const nothing = await rowsOf(service, SELECT, { schema: 'public', table: 'nope' }, ann);
  t.match(nothing, /^permission denied/);
  const secret: [schema: string, table: string][] = [
    ['public', 'pay'],
    ['public', 'service_users'],
    ['public', 'service_queries'],
    ['public', 'service_queries_history'],
    ['public', 'service_queries_proofs'],
    ['pg_catalog', 'pg_class'],
    ['information_schema', 'tables'],
  ];
  // At once, because each waits for the tables to be read again.
  const calls = secret.flatMap(([schema, table]) => [
    [SELECT, { schema, table }] as const,
    [AGGREGATE, { schema, table }] as const,
    ['service.describe_table', { schema, table }] as const,
    [`service.select.postgres.${schema}.${table}`, {}] as const,
  ]);
  await Promise.all(
    calls.map(async ([tool, args]) => {
      t.equal(await rowsOf(service, tool, args, ann), nothing, `${tool} ${JSON.stringify(args)}`);
    }),
  );
  const listed = await callTool(service, 'service.list_tables', {}, bob);
  t.match(listed.structuredContent, {
    tables: [{ name: 'item', schema: 'public', type: 'table' }],
  });
  t.equal((await post(service, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status, 401);
});

t.test('nothing but its own tables is hidden where nothing is restricted', async (t) => {
  const service = await start({});
  const names = await toolNames(service);
  t.strictSame(names.slice(0, GENERAL.length), GENERAL);
  t.strictSame(tables(names), ['other.item', 'public.item', 'public.owned', 'public.pay']);
  const own = [
    'service_users',
    'service_queries',
    'service_queries_history',
    'service_queries_proofs',
  ];
  for (const table of own)
    t.match(await rowsOf(service, SELECT, { schema: 'public', table }), /^permission denied/);
});

t.test('[expose]', async (t) => {
  const all = ['databases', 'schemas', 'tables'];
  for (const hidden of all) {
    const service = await start({ 'expose.enabled': true, [`expose.${hidden}`]: false });
    const shown = GENERAL.filter((name) => name !== `service.list_${hidden}`);
    t.strictSame(await toolNames(service), shown, hidden);
    const { tools } = (await service.ask('/_mcp')).json as { tools: { name: string }[] };
    t.strictSame(
      tools.map(({ name }) => name),
      shown,
    );
    for (const other of all) {
      const params = { name: `service.list_${other}` };
      const answer = await post(service, { jsonrpc: '2.0', id: 'x', method: 'tools/call', params });
      if (other !== hidden) t.equal(answer.status, 200, other);
      else {
        const error = { code: 400, message: 'unauthorized listing' };
        t.equal(answer.status, 400);
        t.strictSame(answer.json, { jsonrpc: '2.0', id: 'x', error });
      }
    }
    t.match(await rowsOf(service, SELECT, item), [{ id: 1 }], 'who knows a name may read');
    t.match(await rowsOf(service, 'service.select.postgres.public.item'), [{ id: 1 }]);
  }
});

t.test('a role for each caller decides what there is, and policies know him', async (t) => {
  const service = await start({
    ...AUTH,
    'auth.settings': true,
    'auth.db_role': 'role',
    'auth.db_roles': ['web', 'clerk'],
  });
  const web = as(signToken({ sub: 'ann', role: 'web' }));
  const clerk = as(signToken({ sub: 'bob', role: 'clerk' }));
  t.strictSame(tables(await toolNames(service, web)), ['public.owned']);
  t.strictSame(tables(await toolNames(service, clerk)), ['public.item', 'public.owned']);
  const owned = { schema: 'public', table: 'owned' };
  t.strictSame(await rowsOf(service, SELECT, owned, web), [{ owner: 'ann', note: 'a' }]);
  t.strictSame(await rowsOf(service, SELECT, owned, clerk), [{ owner: 'bob', note: 'b' }]);
  t.match(await rowsOf(service, SELECT, item, clerk), [{ id: 1, name: 'tea' }], 'by its columns');
  t.match(await rowsOf(service, SELECT, item, web), /^permission denied/);
  t.equal((await post(service, {}, as(signToken({ sub: 'x', role: 'postgres' })))).status, 403);
});

t.test('scripts, where they are tools', async (t) => {
  const off = await start({});
  t.notOk((await toolNames(off)).some((name) => name.startsWith('service.script.')));
  const service = await start({
    ...AUTH,
    'mcp.scripts': true,
    'queries.restrict': true,
    'queries.scripts': [{ location: 'shop', name: 'items', permissions: ['read'] }],
    'queries.users': [{ name: 'bob', scripts: [{ location: 'shop', permissions: ['write'] }] }],
  });
  const tool = 'service.script.postgres.shop.items';
  const of = async (who: AskOptions) =>
    (await toolNames(service, who)).filter((name) => name.startsWith('service.script.'));
  t.strictSame(await of(ann), [tool]);
  t.strictSame(await of(bob), []);
  const rows = [{ id: 1, name: 'tea' }, { id: 2, name: 'milk' }]; // prettier-ignore
  t.strictSame(await rowsOf(service, tool, {}, ann), rows);
  for (const [name, who] of [
    [tool, bob],
    ['service.script.postgres.shop.pay', ann],
  ] as const)
    // prettier-ignore
    t.match(await rowsOf(service, name, {}, who), /^200 .*-32602.*unknown tool/);
});

t.test(
  'scripts that are restricted need a token, also where the endpoint needs none',
  async (t) => {
    const service = await start({
      ...AUTH,
      'jwt.whitelist': ['^/_mcp$', '^/_QUERIES/.*$'],
      'mcp.scripts': true,
      'queries.restrict': true,
      'queries.scripts': [{ location: 'shop', name: 'items', permissions: ['read'] }],
    });
    const tool = 'service.script.postgres.shop.items';
    const nameless = as(signToken({ role: 'web' }));
    for (const [who, offered] of [
      [{}, false],
      [nameless, true],
      [{}, false],
    ] as const) {
      t.equal((await toolNames(service, who)).includes(tool), offered, 'as over HTTP');
      t.equal((await service.ask('shop/items', who)).status, offered ? 200 : 401);
      const rows = await rowsOf(service, tool, {}, who);
      if (offered) t.match(rows, [{ id: 1 }, { id: 2 }]);
      else t.match(rows, /^200 .*-32602.*unknown tool/);
    }
  },
);
