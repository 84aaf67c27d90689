/** Descriptions of tables as resources: those of the tables that a caller may see, with the result of describe_table. */
import t from 'tap';
import { ReadOnly } from '#app/mcp/tables/read-only.js';
import { TableResources } from '#app/mcp/tools/table-resources.js';
import { ToolCalls } from '#app/mcp/tools/tool-calls.js';
import { ToolList } from '#app/mcp/tools/tool-list.js';
import type { TableAccessSettings } from '#app/messages/access-settings.js';
import { startPostgres } from '../../support/postgres.js';
import { callOf, TestedCatalog, type Caller, type TestedOptions } from '../tested-catalog.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE ROLE reader; GRANT USAGE ON SCHEMA public TO reader;
    CREATE TABLE item (id int PRIMARY KEY, name text, cost int); COMMENT ON TABLE item IS E'What\\nwe sell';
    CREATE VIEW items AS SELECT id FROM item;
    CREATE TABLE event (at date) PARTITION BY RANGE (at);
    CREATE TABLE event_1 PARTITION OF event FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
    CREATE SCHEMA "a/b %é"; CREATE TABLE "a/b %é"."x?#*'(y) 😀" (id int);
    CREATE TABLE service_users (id int);
    GRANT SELECT (id, name) ON item TO reader; COMMENT ON VIEW items IS '${'long '.repeat(100)}'`,
});

const ODD = 'service://main/a%2Fb%20%25%C3%A9/x%3F%23%2A%27%28y%29%20%F0%9F%98%80';
const uris = (alias = 'main'): string[] => [
  ODD.replace('main', alias),
  ...['event', 'item', 'items'].map((name) => `service://${alias}/public/${name}`),
];

const SHOWN = { databases: true, schemas: true, tables: true };

const ONLY_ID: TableAccessSettings = {
  restrict: true,
  tables: [{ name: 'item', permissions: ['read'], fields: ['id'] }],
  users: [],
  ignored: [],
};

interface Entry {
  readonly uri: string;
  readonly description?: string;
}

function resourcesOf(options: TestedOptions = {}): [TableResources, TestedCatalog] {
  const tested = new TestedCatalog(t, postgres, options);
  return [new TableResources(tested.settings, tested.catalog), tested];
}

/** listed is the whole list, from all of its pages. */
async function listed(resources: TableResources, caller?: Caller): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await resources.page(callOf(caller), cursor);
    entries.push(...page.resources.map(({ json }) => JSON.parse(json) as Entry));
    cursor = page.next;
  }
  return entries;
}

t.test('what is no resource of the caller', async (t) => {
  const [resources] = resourcesOf();
  const reader = callOf({ role: 'reader' });
  for (const uri of [
    'service://main/public/nothing',
    'service://main/public/service_users',
    'service://main/pg_catalog/pg_class',
    'service://other/public/item',
    'service://main/public/Item',
    'service://main/public/item/',
    'service://main/public/item?',
    'service://main/public/item#x',
    'service://main/public',
    'service:///public/item',
    'service://main//item',
    'service://main/public/../public/item',
    'service://main/public/%FF',
    'service://main/public/%',
    'service://main/public/item%00',
    'other://main/public/item',
    'main/public/item',
    '',
  ])
    t.equal(await resources.read(callOf(), uri), undefined, uri);
  t.equal(await resources.read(reader, uris()[0]!), undefined, 'a table of others');
  const [restricted] = resourcesOf({ access: ONLY_ID });
  t.equal(await restricted.read(callOf(), uris()[1]!), undefined, 'a table that [access] hides');
});

t.test('invalid cursors', async (t) => {
  const [resources] = resourcesOf();
  const cursor = (position: string[]): string =>
    Buffer.from(JSON.stringify(position)).toString('base64url');
  for (const wrong of ['', 'x', cursor(['generic', 'a']), cursor(['table', 'other', 'a', 'b'])])
    await t.rejects(resources.page(callOf(), wrong), { code: -32602, message: /^invalid cursor/ });
});

t.test('the list', async (t) => {
  const [resources] = resourcesOf();
  const entries = await listed(resources);
  t.strictSame(
    entries.map(({ uri }) => uri),
    uris(),
    'without partitions and the table of users',
  );
  t.strictSame(entries[2], {
    uri: 'service://main/public/item',
    name: 'main.public.item',
    title: 'public.item',
    description: 'What we sell',
    mimeType: 'application/json',
  });
  t.notOk('description' in entries[0]!);
  t.equal(entries[3]!.description?.length, 200, 'long comments are cut');
  const [several] = resourcesOf({ aliases: ['main', 'other'] });
  t.strictSame(
    (await listed(several)).map(({ uri }) => uri),
    [...uris(), ...uris('other')],
  );
});

t.test('the list of a caller', async (t) => {
  const [resources] = resourcesOf();
  const item = { uri: 'service://main/public/item' };
  t.match(await listed(resources, { role: 'reader' }), [item]);
  t.equal((await listed(resources, { role: 'reader' })).length, 1);
  const [restricted] = resourcesOf({ access: ONLY_ID });
  t.equal((await listed(restricted)).length, 1);
  for (const hidden of ['databases', 'schemas', 'tables']) {
    const settings = { expose: { ...SHOWN, [hidden]: false } };
    const [unlisted] = resourcesOf({ settings });
    t.strictSame(await listed(unlisted), [], `${hidden} hidden`);
    t.ok(await unlisted.read(callOf(), item.uri), 'as describe_table describes it');
  }
});

t.test('a text is the result of describe_table', async (t) => {
  for (const [options, caller] of [
    [{}, {}],
    [{}, { role: 'reader' }],
    [{ access: ONLY_ID }, {}],
  ] as const) {
    const [resources, { settings, catalog, log, databases }] = resourcesOf(options);
    const readOnly = new ReadOnly((alias) => databases.get(alias)!.database);
    const list = new ToolList(settings, catalog, undefined, log);
    const calls = new ToolCalls(settings, catalog, list, undefined, readOnly, log);
    const names = { database: 'main', schema: 'public', table: 'item' };
    const described = await calls.run(callOf(caller), 'service.describe_table', names);
    const text = await resources.read(callOf(caller), 'service://main/public/item');
    t.strictSame({ json: text }, described);
    const { columns } = JSON.parse(text!) as { columns: { name: string }[] };
    const readable = options.access
      ? ['id']
      : caller.role
        ? ['id', 'name']
        : ['id', 'name', 'cost'];
    t.strictSame(
      columns.map(({ name }) => name),
      readable,
    );
  }
});

t.test('names in any encoding, partitions, and tables created meanwhile', async (t) => {
  const [resources] = resourcesOf();
  for (const uri of [
    ODD,
    ODD.replace('%27%28y%29', "'(y)"),
    ODD.replace('%C3%A9', 'é').toLowerCase(),
    'service://%6dain/public/event_1',
  ])
    t.ok(await resources.read(callOf(), uri), uri);
  await postgres.sql('CREATE TABLE created (id int)');
  t.ok(await resources.read(callOf(), 'service://main/public/created'));
  await postgres.sql('DROP TABLE created');
});

t.test('pages of at most 100 entries, which tables created meanwhile do not shift', async (t) => {
  await postgres.sql(
    `CREATE SCHEMA many; DO $$ BEGIN FOR n IN 100..349 LOOP EXECUTE format('CREATE TABLE many.t%s ()', n);
      EXECUTE format('ALTER TABLE many.t%s ADD a int', n); END LOOP; END $$`,
  );
  const [resources, tested] = resourcesOf({ aliases: ['main', 'other'] });
  t.equal((await listed(resources)).length, 2 * 254);
  const first = await resources.page(callOf(), undefined);
  t.equal(first.resources.length, 100);
  await postgres.sql('CREATE TABLE many.aaa (a int)');
  await tested.renewed();
  const second = await resources.page(callOf(), first.next);
  const [last, next] = [first.resources.at(-1)!, second.resources[0]!].map(
    ({ json }) => (JSON.parse(json) as Entry).uri,
  ) as [string, string];
  const number = (uri: string): number => Number(/\d+$/.exec(uri)![0]);
  t.equal(number(next), number(last) + 1);
});

t.test('a database that cannot be read has no entries, and its texts are an error', async (t) => {
  const [resources, { databases }] = resourcesOf({ aliases: ['main', 'other'] });
  databases.get('main')!.database.close();
  t.ok((await listed(resources)).every(({ uri }) => uri.startsWith('service://other/')));
  await t.rejects(resources.read(callOf(), 'service://main/public/item'), { name: 'ServiceError' });
});
