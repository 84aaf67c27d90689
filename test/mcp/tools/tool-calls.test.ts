/** Finding the tool and the table of a call: unknown, hidden, denied and missing ones. */
import t from 'tap';
import type { McpCall } from '#app/mcp/arguments/call.js';
import type { RpcError } from '#app/mcp/arguments/tool.js';
import { callWith } from '../tested-call.js';
import { callOf, ToolDatabase, startToolDatabase } from '../arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `CREATE TABLE item AS SELECT 1 AS id; CREATE SCHEMA "a.b"; CREATE TABLE "a.b"."c.d" AS SELECT 2 AS id;
    CREATE TABLE twice (id int); CREATE TABLE "a.b".twice (id int)`,
});
const DENIED = {
  error:
    'permission denied: there is no such table that you may read. service.list_tables lists those.',
};
const OF_ITEM = { json: /"table":"item","columns":\["id"\],"rows":\[\{"id":1\}\],"count":1\}$/ };

for (const [what, name, args, outcome] of [
  [
    'an unknown argument',
    'service.select_table',
    { schema: 'public', table: 'item', where: 'x' },
    {
      error:
        'unknown argument: where. It takes database, schema, table, columns, filters, order_by, limit, offset, total, include.',
    },
  ],
  [
    'an unknown argument of a tool of a table',
    'service.select.main.public.item',
    { where: 'x' },
    {
      error:
        'unknown argument: where. It takes columns, filters, order_by, limit, offset, total, include.',
    },
  ],
  [
    'an argument of what objects have',
    'service.list_databases',
    { constructor: 1 },
    { error: 'unknown argument: constructor. It takes none.' },
  ],
  ['no schema', 'service.select_table', { table: 'item' }, OF_ITEM],
  ['a schema in the name', 'service.select_table', { table: 'public.item' }, OF_ITEM],
  [
    'a schema and a table with dots',
    'service.select_table',
    { table: 'a.b.c.d' },
    { json: /"schema":"a\.b","table":"c\.d"/ },
  ],
  [
    'no schema, and several have it',
    'service.describe_table',
    { table: 'twice' },
    {
      error: 'several schemas have a table twice. Give one of them as schema: a.b, public.',
    },
  ],
  ['no schema, and none has it', 'service.describe_table', { table: 'nope' }, DENIED],
  [
    'an empty table',
    'service.describe_table',
    { schema: 'public', table: '' },
    { error: 'table is required: give its name.' },
  ],
  ['no arguments', 'service.describe_table', {}, { error: 'table is required: give its name.' }],
  [
    'a schema that is a number',
    'service.describe_table',
    { schema: 1, table: 'item' },
    { error: 'schema must be a string, not 1.' },
  ],
  [
    'a database that is a list',
    'service.list_schemas',
    { database: ['main'] },
    { error: 'database must be a string, not a list.' },
  ],
  [
    'an unknown database',
    'service.list_schemas',
    { database: 'nodb' },
    {
      error:
        'database not registered: nodb. Leave "database" out for the default one, or use one that service.list_databases gives.',
    },
  ],
  [
    'a table that is not there',
    'service.select_table',
    { schema: 'public', table: 'nope' },
    DENIED,
  ],
  [
    'a schema that is not there',
    'service.select_table',
    { schema: 'nope', table: 'item' },
    {
      error:
        'permission denied: there is no such table that you may read. Did you mean public.item? service.list_tables lists those.',
    },
  ],
  [
    'a mistyped table',
    'service.aggregate_table',
    { schema: 'public', table: 'itme' },
    { error: /Did you mean public\.item\?/ },
  ],
  [
    'a mistyped table to describe',
    'service.describe_table',
    { schema: 'public', table: 'items' },
    { error: /Did you mean public\.item\?/ },
  ],
  [
    'a long name of a table',
    'service.select_table',
    { schema: 'public', table: 'item'.repeat(100_000) },
    DENIED,
  ],
  [
    'SQL as a table',
    'service.select_table',
    { schema: 'public', table: 'item"; DROP TABLE item; --' },
    DENIED,
  ],
  [
    'a table with NUL',
    'service.select_table',
    { schema: 'public', table: 'item\0' },
    { error: /^permission denied/ },
  ],
  ['a catalog', 'service.select_table', { schema: 'pg_catalog', table: 'pg_authid' }, DENIED],
  [
    'a table to describe that is not there',
    'service.describe_table',
    { schema: 'public', table: 'nope' },
    DENIED,
  ],
  ['a tool of a table that is not there', 'service.select.main.public.nope', {}, DENIED],
  ['a tool of a database that is not there', 'service.select.nodb.public.item', {}, DENIED],
  ['a select', 'service.select_table', { schema: 'public', table: 'item' }, OF_ITEM],
  [
    'a select that names its database',
    'service.select_table',
    { database: 'main', schema: 'public', table: 'item' },
    OF_ITEM,
  ],
  ['a tool of a table', 'service.select.main.public.item', {}, OF_ITEM],
  [
    'a tool of a table knows its table',
    'service.select.main.public.item',
    { database: 'nodb', schema: 5, table: ['x'] },
    OF_ITEM,
  ],
  [
    'a tool of a table has the same arguments',
    'service.select.main.public.item',
    { bogus: 1 },
    { error: /^unknown argument: bogus/ },
  ],
  [
    'names with dots',
    'service.select.main.a.b.c.d',
    { filters: { id: 2 } },
    { json: /"schema":"a\.b","table":"c\.d".*"rows":\[\{"id":2\}\]/ },
  ],
  [
    'a description',
    'service.describe_table',
    { schema: 'public', table: 'item' },
    {
      json: /^\{"database":"main","schema":"public","table":"item","columns":\[\{"name":"id","data_type":"integer",.*"position":1\}\],"count":1\}$/,
    },
  ],
] as const)
  t.test(what, async (t) => t.match(await db.run(name, args), outcome));

for (const name of [
  '',
  'service.drop_table',
  'service.select',
  'service.select.',
  'service.select.main.public',
  'service.script.main.t.x',
  'select_',
  'script_main_t_x',
  'service_select_table',
  '__proto__',
  'x'.repeat(500),
])
  t.test(`no tool: ${name.slice(0, 30)}`, async (t) => {
    await t.rejects(db.run(name, {}), {
      name: 'RpcError',
      code: -32602,
      status: 200,
      message: /^unknown tool: .{0,90}$/,
    });
  });

t.test('hidden listings', async (t) => {
  const hidden = new ToolDatabase(t, db.postgres, {
    settings: { expose: { databases: false, schemas: false, tables: false } },
  });
  for (const name of ['databases', 'schemas', 'tables'])
    await t.rejects(hidden.run(`service.list_${name}`, { bogus: 1 }), {
      name: 'RpcError',
      code: 400,
      status: 400,
      message: 'unauthorized listing',
    } satisfies Partial<RpcError>);
  t.match(await hidden.run('service.select.main.public.item', {}), OF_ITEM);
  t.match(await hidden.run('service.select_table', { schema: 'public', table: 'item' }), OF_ITEM);
  t.match(await hidden.run('service.describe_table', { schema: 'public', table: 'item' }), {
    json: /"count":1/,
  });
  for (const table of ['nope', 'itme'])
    t.strictSame(await hidden.run('service.describe_table', { schema: 'public', table }), {
      error: 'permission denied: there is no such table that you may read.',
    });
  t.strictSame(
    await hidden
      .run('service.list_nothing', {})
      .catch((error: unknown) => (error as Error).message),
    'unknown tool: service.list_nothing',
  );
  t.match(
    await hidden.run('service.describe_table', { database: 'x', schema: 'public', table: 'item' }),
    {
      error: 'database not registered: x. Leave "database" out for the default one.',
    },
  );
});

t.test('plain names', async (t) => {
  const plain = callWith({}, false, 'plain');
  for (const call of [plain, callOf()]) {
    for (const name of ['list_tables', 'service.list_tables'])
      t.match(await db.run(name, {}, call), { json: /"name":"item"/ });
    for (const name of ['select_table', 'service.select_table'])
      t.match(await db.run(name, { schema: 'public', table: 'item' }, call), OF_ITEM);
    for (const name of ['select_main_public_item', 'service.select.main.public.item'])
      t.match(await db.run(name, {}, call), OF_ITEM);
  }
  const denied = async (call: McpCall) => db.run('select_main_public_nope', {}, call);
  t.match(await denied(plain), { error: /^permission denied: .* list_tables/ });
  t.match(await denied(callOf()), { error: /^permission denied: .* service\.list_tables/ });
});

t.test('a table that is new', async (t) => {
  await db.select('item');
  await db.postgres.sql('CREATE TABLE late AS SELECT 3 AS id');
  t.match(await db.select('late'), { rows: [{ id: 3 }] });
  await db.postgres.sql('CREATE TABLE later AS SELECT 4 AS id');
  t.match(await db.run('service.select.main.public.later', {}), { json: /"rows":\[\{"id":4\}\]/ });
  await db.postgres.sql('CREATE TABLE latest AS SELECT 5 AS id');
  const described = await db.run('service.describe_table', { schema: 'public', table: 'latest' });
  t.match(described, { json: /"table":"latest"/ });
});

t.test('an abandoned call runs nothing', async (t) => {
  const call = callOf();
  call.abandoned = true;
  t.match(await db.run('service.select.main.public.item', {}, call), {
    error: /^the statement took too long/,
  });
});
