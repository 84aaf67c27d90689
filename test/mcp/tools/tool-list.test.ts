/** The tools offered to a caller, and their order; the table that a tool's name means. */
import t from 'tap';
import type { ScriptTools } from '#app/mcp/scripts/script-tools.js';
import { ToolList } from '#app/mcp/tools/tool-list.js';
import { tableToolName } from '#app/mcp/arguments/tool-names.js';
import type { ListedTool } from '#app/mcp/arguments/tool.js';
import type { TableAccessSettings } from '#app/messages/access-settings.js';
import { startPostgres } from '../../support/postgres.js';
import { TestDatabase } from '../../support/database.js';
import { callOf, OPEN, TestedCatalog, type Caller, type TestedOptions } from '../tested-catalog.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE ROLE reader; GRANT USAGE ON SCHEMA public TO reader;
    CREATE TABLE item (id int, name text); COMMENT ON TABLE item IS 'What we sell';
    CREATE TABLE "Item" (id int); CREATE VIEW items AS SELECT id FROM item;
    CREATE TABLE "two words" (id int); CREATE TABLE "two_words" (id int);
    CREATE TABLE "größe" (id int);
    CREATE SCHEMA shop; CREATE TABLE shop.sale (id int); CREATE TABLE shop."a.b" (id int);
    CREATE SCHEMA "shop.a"; CREATE TABLE "shop.a".b (id int);
    CREATE TABLE service_users (id int); CREATE TABLE service_scripts (id int);
    GRANT SELECT ON item TO reader;`,
});

const GENERIC = [
  'service.list_databases',
  'service.list_schemas',
  'service.list_tables',
  'service.describe_table',
  'service.select_table',
  'service.aggregate_table',
];
const TABLES = [
  'service.select.main.public.Item',
  'service.select.main.public.item',
  'service.select.main.public.items',
  'service.select.main.public.two_words',
  'service.select.main.shop.sale',
];

interface Listing extends TestedOptions {
  readonly scripts?: readonly string[];
}

const toolOf = (name: string): ListedTool => ({ name, json: JSON.stringify({ name }) });

function listOf(options: Listing = {}): { list: ToolList; tested: TestedCatalog } {
  const tested = new TestedCatalog(t, postgres, options);
  const tools = options.scripts?.map(toolOf);
  const scripts: Pick<ScriptTools, 'list'> | undefined = tools && {
    list: () => Promise.resolve(tools),
  };
  const { settings, catalog, log } = tested;
  return { list: new ToolList(settings, catalog, scripts, log), tested };
}

async function names(list: ToolList, caller?: Caller): Promise<string[]> {
  const { tools } = await list.page(callOf(caller), undefined);
  return tools.map(({ name }) => name);
}

const SHOWN = { databases: true, schemas: true, tables: true };

t.test('the offered tools', async (t) => {
  const cases: [what: string, options: Listing, expected: string[]][] = [
    ['everything', {}, [...GENERIC, ...TABLES]],
    [
      'two databases',
      { aliases: ['main', 'other'] },
      [...GENERIC, ...TABLES, ...TABLES.map((name) => name.replace('main', 'other'))],
    ],
    [
      'scripts before tables, by name',
      { scripts: ['service.script.main.b.x', 'service.script.main.a.y'] },
      [...GENERIC, 'service.script.main.a.y', 'service.script.main.b.x', ...TABLES],
    ],
    [
      'no more than are allowed',
      { settings: { maxTools: 2 } },
      [...GENERIC, ...TABLES.slice(0, 2)],
    ],
    [
      'scripts among those',
      { settings: { maxTools: 2 }, scripts: ['service.script.main.a.y'] },
      [...GENERIC, 'service.script.main.a.y', TABLES[0]!],
    ],
    [
      'scripts alone',
      { settings: { maxTools: 1 }, scripts: ['service.script.main.b', 'service.script.main.a'] },
      [...GENERIC, 'service.script.main.a'],
    ],
    ['none', { settings: { maxTools: 0 }, scripts: ['service.script.main.a'] }, GENERIC],
    ['a schema', { settings: { tables: ['shop.*'] } }, [...GENERIC, TABLES[4]!]],
    [
      'names',
      { settings: { tables: ['*.item*', '*.sa*'] } },
      [...GENERIC, TABLES[1]!, TABLES[2]!, TABLES[4]!],
    ],
    ['another case', { settings: { tables: ['PUBLIC.*', '*.ITEM'] } }, GENERIC],
    [
      'no wildcards but one',
      { settings: { tables: ['public.ite.', 'public.ite?', 'p[u]blic.item'] } },
      GENERIC,
    ],
    [
      'a database',
      { aliases: ['main', 'other'], settings: { tables: ['other.public.item', 'm*.shop.s*e'] } },
      [...GENERIC, TABLES[4]!, 'service.select.other.public.item'],
    ],
    ['no table', { settings: { tables: [] } }, GENERIC],
    ...(['databases', 'schemas', 'tables'] as const).map((hidden): [string, Listing, string[]] => [
      `${hidden} hidden`,
      { settings: { expose: { ...SHOWN, [hidden]: false } }, scripts: ['service.script.main.a.y'] },
      [...GENERIC.filter((name) => name !== `service.list_${hidden}`), 'service.script.main.a.y'],
    ]),
  ];
  for (const [what, options, expected] of cases)
    t.strictSame(await names(listOf(options).list), expected, what);
});

t.test('plain names', async (t) => {
  const { list } = listOf();
  t.match((await names(list, { form: 'plain' })).slice(GENERIC.length), [
    'select_main_public_Item',
    /^select_main_public_gr__e_[0-9a-f]{8}$/,
    'select_main_public_item',
    'select_main_public_items',
    /^select_main_public_two_words_[0-9a-f]{8}$/,
    'select_main_public_two_words',
    /^select_main_shop_a_b_[0-9a-f]{8}$/,
    'select_main_shop_sale',
    /^select_main_shop_a_b_[0-9a-f]{8}$/,
  ]);
});

const ACCESS: TableAccessSettings = {
  ...OPEN,
  restrict: true,
  tables: [{ name: 'item', permissions: ['read'], fields: ['id'] }],
  users: [
    { name: 'ann', tables: [{ name: 'shop.sale', permissions: ['read'], fields: undefined }] },
  ],
};

t.test('callers are offered the tables that they may read', async (t) => {
  const { list } = listOf({ access: ACCESS });
  t.strictSame(await names(list), [...GENERIC, TABLES[1]!]);
  t.strictSame(await names(list, { user: 'ann' }), [...GENERIC, TABLES[1]!, TABLES[4]!]);
  t.strictSame(await names(list, { user: 'ann', role: 'reader' }), [...GENERIC, TABLES[1]!]);
  const { tools } = await list.page(callOf(), undefined);
  t.match(tools.at(-1)!.json, /What we sell\. Columns: id integer\. .*"enum":\["id"\]/);
});

t.test('the table that a name means', async (t) => {
  const meant = async (name: string, options: Listing = {}, caller?: Caller): Promise<string> => {
    const table = await listOf(options).list.tableOf(callOf(caller), name);
    return table === undefined ? 'none' : `${table.alias} ${table.schema} ${table.name}`;
  };
  const plain = (schema: string, name: string): string =>
    tableToolName('plain', { alias: 'main', schema, name })!;
  const hidden = { databases: false, schemas: false, tables: false };
  const cases: [name: string, expected: string, options?: Listing, caller?: Caller][] = [
    [TABLES[1]!, 'main public item'],
    [TABLES[0]!, 'main public Item'],
    [TABLES[1]!, 'main public item', { settings: { expose: hidden } }],
    [TABLES[1]!, 'main public item', { settings: { maxTools: 0 } }],
    [TABLES[1]!, 'main public item', { settings: { tables: [] } }],
    [TABLES[1]!, 'main public item', { settings: { toolNames: 'plain' } }],
    ['select_main_public_item', 'main public item', { settings: { toolNames: 'plain' } }],
    ['select_main_public_item', 'main public item'],
    [plain('public', 'größe'), 'main public größe'],
    [plain('public', 'two words'), 'main public two words'],
    [plain('public', 'two_words'), 'main public two_words'],
    [plain('shop.a', 'b'), 'main shop.a b'],
    [plain('shop', 'a.b'), 'main shop a.b'],
    [plain('public', 'service_users'), 'none'],
    ['select_main_public_gr__e', 'none'],
    ['service_select_main_public_item', 'none'],
    ['service.select.main.shop.a.b', 'none'],
    ['service.select.main.shop.a.b', 'main shop a.b', { access: only('shop.a.b') }],
    ['service.select.main.public.größe', 'none'],
    ['service.select.main.public.ITEM', 'none'],
    ['service.select.main.public', 'none'],
    ['service.select.main.', 'none'],
    ['service.select.', 'none'],
    ['service.select.other.public.item', 'none'],
    ['service.select.other.public.item', 'other public item', { aliases: ['main', 'other'] }],
    ['service.select.main.public.service_users', 'none'],
    ['service.select.main.public.service_scripts', 'none'],
    ['service.select.main.shop.sale', 'none', { access: ACCESS }],
    ['service.select.main.shop.sale', 'main shop sale', { access: ACCESS }, { user: 'ann' }],
    ['service.select_table', 'none'],
    ['toString', 'none'],
    ['', 'none'],
  ];
  for (const [name, expected, options, caller] of cases)
    t.equal(
      await meant(name, options, caller),
      expected,
      `${name} ${JSON.stringify(options ?? {})}`,
    );
});

function only(name: string): TableAccessSettings {
  return { ...ACCESS, tables: [{ name, permissions: ['read'], fields: undefined }] };
}

t.test('a name that tables of two databases share means neither', async (t) => {
  const { list } = listOf({ aliases: ['a', 'a.public'], access: only('public.item') });
  await postgres.sql('CREATE SCHEMA item; CREATE TABLE "public"."public.item" (id int)');
  t.strictSame(await names(list), [
    ...GENERIC,
    'service.select.a.public.item',
    'service.select.a.public.public.item',
  ]);
  const both = listOf({
    aliases: ['a', 'a.public'],
    access: {
      ...ACCESS,
      tables: ['public.item', 'public.public.item'].map((name) => ({
        name,
        permissions: ['read'],
        fields: undefined,
      })),
    },
  });
  const name = 'service.select.a.public.public.item';
  t.notOk((await names(both.list)).includes(name));
  t.equal(await both.list.tableOf(callOf(), name), undefined);
  await postgres.sql('DROP SCHEMA item; DROP TABLE "public"."public.item"');
});

t.test('the number of tables without a tool is logged once', async (t) => {
  const { list, tested } = listOf();
  for (let i = 0; i < 3; i++) await names(list);
  t.match(tested.lines, [{ level: 'info', tables: 4, msg: /have no MCP tool of their own/ }]);
  t.equal(tested.lines.length, 1);
});

t.test('the characters of the whole list', async (t) => {
  const scripts = ['service.script.main.a.y', 'service.script.main.b.x'];
  const { tools } = await listOf({ scripts }).list.page(callOf(), undefined);
  const sizeOf = (most: number): number =>
    JSON.stringify(tools.slice(0, most).map(({ json }) => JSON.parse(json) as object)).length;
  const all = tools.map(({ name }) => name);
  const cases: [budget: number, listed: number, left: object | undefined][] = [
    [sizeOf(all.length), all.length, undefined],
    [sizeOf(all.length) - 1, all.length - 1, { scripts: 0, tables: 1 }],
    [sizeOf(GENERIC.length + 2), GENERIC.length + 2, { scripts: 0, tables: TABLES.length }],
    [sizeOf(GENERIC.length + 2) - 1, GENERIC.length + 1, { scripts: 1, tables: TABLES.length }],
    [sizeOf(GENERIC.length), GENERIC.length, { scripts: 2, tables: TABLES.length }],
    [0, GENERIC.length, { scripts: 2, tables: TABLES.length }],
  ];
  for (const [listBudget, listed, left] of cases) {
    const { list, tested } = listOf({ settings: { listBudget }, scripts });
    t.strictSame(await names(list), all.slice(0, listed), `${listBudget} characters`);
    await names(list, { user: 'ann' });
    const lines = tested.lines.filter(({ msg }) => msg.includes('mcp.list_budget'));
    t.match(lines, left === undefined ? [] : [{ level: 'warn', ...left }], 'one warning');
    for (const name of all.slice(GENERIC.length + scripts.length))
      t.ok(await list.tableOf(callOf(), name), 'its tool works all the same');
  }
});

t.test('partitions have no tool in the list, but can be read by name', async (t) => {
  await postgres.sql(`CREATE SCHEMA parts; CREATE TABLE parts.visit (id int) PARTITION BY LIST (id);
    CREATE TABLE parts.visit_1 PARTITION OF parts.visit DEFAULT`);
  const { list } = listOf({ settings: { tables: ['parts.*'] } });
  t.strictSame(await names(list), [...GENERIC, 'service.select.main.parts.visit']);
  t.match(await list.tableOf(callOf(), 'service.select.main.parts.visit_1'), { name: 'visit_1' });
  const access = {
    ...ACCESS,
    tables: [{ name: 'parts.visit_1', permissions: ['read'], fields: undefined }],
  };
  const alone = await names(listOf({ access }).list);
  t.strictSame(alone, [...GENERIC, 'service.select.main.parts.visit_1'], 'without its table');
  await postgres.sql('DROP SCHEMA parts CASCADE');
});

t.test('an entry is written once', async (t) => {
  const { list, tested } = listOf();
  const jsonOf = async () =>
    (await list.page(callOf(), undefined)).tools.find(({ name }) => name === TABLES[4]);
  const before = await jsonOf();
  await postgres.sql('CREATE TABLE another (id int)');
  await tested.renewed();
  t.equal(await jsonOf(), before);
  t.ok((await names(list)).includes('service.select.main.public.another'));
  await postgres.sql('DROP TABLE another');
});

t.test('an unreachable database hides only its own tables', async (t) => {
  const { list, tested } = listOf({
    aliases: ['main', 'away'],
    scripts: ['service.script.main.a.y'],
  });
  const nowhere = { host: '127.0.0.1', port: 1, password: 'none' };
  tested.databases.set('away', new TestDatabase(t, nowhere, { alias: 'away' }));
  t.strictSame(await names(list), [...GENERIC, 'service.script.main.a.y', ...TABLES]);
  await t.rejects(async () => list.tableOf(callOf(), 'service.select.away.public.item'), {
    code: 'busy',
  });
});
