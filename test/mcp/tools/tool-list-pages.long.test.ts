/** The list of tools in pages: with more tables than one statement lists, while tables are created and dropped, and with invalid cursors. */
import t from 'tap';
import type { ScriptTools } from '#app/mcp/scripts/script-tools.js';
import { ToolList } from '#app/mcp/tools/tool-list.js';
import { GENERIC_TOOLS } from '#app/mcp/arguments/tool-names.js';
import type { ListedTool, ToolPage } from '#app/mcp/arguments/tool.js';
import { startPostgres, type Postgres } from '../../support/postgres.js';
import { callOf, TestedCatalog, type TestedOptions } from '../tested-catalog.js';

const TABLES = 750;

const postgres = await startPostgres(t);
await makeTables(postgres);

/** Creates tables in several transactions, because each takes locks and their number is limited. */
async function makeTables(server: Postgres): Promise<void> {
  for (let from = 0; from < TABLES; from += 250)
    await server.sql(`DO $$ BEGIN FOR i IN ${from}..${from + 249} LOOP
      EXECUTE format('CREATE TABLE table_%s (id int PRIMARY KEY, name text NOT NULL, price numeric(10,2), made timestamptz DEFAULT now())', lpad(i::text, 4, '0'));
    END LOOP; END $$`);
}

const tableName = (i: number): string =>
  `service.select.main.public.table_${String(i).padStart(4, '0')}`;

const toolOf = (name: string): ListedTool => ({ name, json: JSON.stringify({ name }) });
const SCRIPTS = Array.from({ length: 150 }, (_, i) =>
  toolOf(`service.script.main.a.s${String(i).padStart(3, '0')}`),
);

function listOf(options: TestedOptions = {}, scripts = SCRIPTS): ToolList {
  const { settings, catalog, log } = new TestedCatalog(t, postgres, options);
  const tools: Pick<ScriptTools, 'list'> = { list: () => Promise.resolve(scripts) };
  return new ToolList(settings, catalog, tools, log);
}

const page = async (list: ToolList, cursor?: string): Promise<ToolPage> =>
  list.page(callOf(), cursor);

async function allPages(list: ToolList): Promise<ToolPage[]> {
  const pages = [await page(list)];
  while (pages.at(-1)!.next !== undefined) pages.push(await page(list, pages.at(-1)!.next));
  return pages;
}

const namesOnPages = (pages: readonly ToolPage[]): string[] =>
  pages.flatMap(({ tools }) => tools.map(({ name }) => name));

t.test('all pages together have each tool once', async (t) => {
  const pages = await allPages(listOf({ settings: { maxTools: 100_000 } }));
  const names = namesOnPages(pages);
  t.equal(names.length, GENERIC_TOOLS.length + SCRIPTS.length + TABLES);
  t.equal(new Set(names).size, names.length);
  t.equal(names[0], 'service.list_databases');
  t.equal(names[GENERIC_TOOLS.length], SCRIPTS[0]!.name);
  t.equal(names.at(-1), tableName(TABLES - 1));
  for (const { tools } of pages) {
    t.ok(tools.length <= 100);
    t.ok(tools.reduce((sum, { json }) => sum + json.length, 0) <= 256 << 10);
  }
  for (const { name, json } of pages.flatMap(({ tools }) => tools))
    if ((JSON.parse(json) as ListedTool).name !== name) t.fail(name);
});

t.test('the number of tools on all pages is limited', async (t) => {
  const pages = await allPages(listOf({ settings: { maxTools: 400 } }));
  const names = namesOnPages(pages);
  t.equal(names.length, 400 + GENERIC_TOOLS.length);
  t.equal(names.at(-1), tableName(249));
});

t.test('the tools of a page are made once', async (t) => {
  const list = listOf({ settings: { maxTools: 100_000 } });
  const first = await page(list);
  const [made, again] = [await page(list, first.next), await page(list, first.next)];
  t.ok(made.tools.length > 0);
  t.ok(made.tools.every((tool, i) => tool === again.tools[i]));
});

t.test('tables created and dropped do not shift pages', async (t) => {
  const tested = new TestedCatalog(t, postgres, { settings: { maxTools: 100_000 } });
  const list = new ToolList(tested.settings, tested.catalog, undefined, tested.log);
  const first = await page(list);
  const last = first.tools.at(-1)!.name;
  t.equal(last, tableName(93));
  await postgres.sql(
    'CREATE TABLE table_0000a (id int); CREATE TABLE table_0093a (id int); DROP TABLE table_0093; DROP TABLE table_0003',
  );
  await tested.renewed();
  const second = await page(list, first.next);
  t.equal(second.tools[0]!.name, 'service.select.main.public.table_0093a');
  t.equal(second.tools[1]!.name, tableName(94));
  await postgres.sql(
    'DROP TABLE table_0000a, table_0093a; CREATE TABLE table_0093 (id int); CREATE TABLE table_0003 (id int)',
  );
});

t.test('scripts created and deleted do not shift pages', async (t) => {
  const first = await page(listOf());
  t.equal(first.tools.at(-1)!.name, SCRIPTS[93]!.name);
  const without = SCRIPTS.filter((_, i) => i !== 93 && i !== 3);
  const second = await page(listOf({}, without), first.next);
  t.equal(second.tools[0]?.name, SCRIPTS[94]!.name);
  const none = await page(listOf({}, []), first.next);
  t.equal(none.tools[0]!.name, tableName(0));
});

t.test('a page has as many tools as fit, and at least one', async (t) => {
  const large = Array.from({ length: 5 }, (_, i) => ({
    name: `service.script.main.a.s${i}`,
    json: JSON.stringify('x'.repeat(i === 2 ? 300_000 : 100_000)),
  }));
  const pages = await allPages(listOf({ settings: { tables: [] } }, large));
  t.strictSame(
    pages.map(({ tools }) => tools.filter(({ name }) => name.includes('.script.')).length),
    [2, 1, 2],
  );
});

t.test('an invalid cursor', async (t) => {
  const list = listOf();
  const encoded = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const { next } = await page(list);
  const cursors = [
    '',
    'x',
    '1',
    '%%%',
    'null',
    encoded('{'),
    encoded('null'),
    encoded([]),
    encoded({}),
    encoded(['other', 'a']),
    encoded(['toString', 'a']),
    encoded(['generic', 'service.nothing']),
    encoded(['generic', 1]),
    encoded(['script']),
    encoded(['table', 'main', 'public']),
    encoded(['table', 'other', 'public', 'item']),
    encoded(['table', 'main', 'public', 'item', 'more']),
    `${next!} `,
    `${next!}=`,
    next!.slice(0, -1),
    'A'.repeat(1_000_000),
  ];
  for (const cursor of cursors)
    await t.rejects(
      async () => list.page(callOf(), cursor),
      { name: 'RpcError', code: -32602 },
      cursor.slice(0, 80),
    );
});

t.test('a cursor applies only to the own list', async (t) => {
  const list = listOf({ settings: { maxTools: 200 } });
  const beyond = Buffer.from(JSON.stringify(['table', 'main', 'public', 'table_0100'])).toString(
    'base64url',
  );
  const { tools, next } = await page(list, beyond);
  t.strictSame([tools, next], [[], undefined]);
});
