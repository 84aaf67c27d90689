/** Visible tables: those that PostgreSQL lets a role read, restricted by `[access]` for each caller. */
import t from 'tap';
import type { TableAccessSettings, TableEntry } from '#app/messages/access-settings.js';
import { startPostgres } from '../../support/postgres.js';
import { HIDDEN, namesIn, OPEN, TestedCatalog, type Caller } from '../tested-catalog.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE ROLE reader; CREATE ROLE clerk; CREATE ROLE member IN ROLE clerk; CREATE ROLE apart NOINHERIT IN ROLE clerk;
    CREATE ROLE everything IN ROLE pg_read_all_data;
    CREATE TABLE item (id int, name text, secret text);
    CREATE TABLE sale (id int);
    CREATE TABLE note (id int);
    CREATE TABLE ledger (id int);
    CREATE SCHEMA shut; CREATE TABLE shut.open (id int); GRANT SELECT ON shut.open TO PUBLIC;
    CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO PUBLIC;
    CREATE TABLE shop.item (id int, price int); GRANT SELECT ON shop.item TO PUBLIC;
    GRANT SELECT (id, name) ON item TO reader;
    GRANT SELECT ON sale TO reader;
    GRANT INSERT, UPDATE, DELETE ON note TO reader;
    GRANT SELECT ON ledger TO clerk;
    CREATE TABLE service_users (id int); CREATE TABLE service_scripts (id int); CREATE TABLE service_scripts_history (id int);
    GRANT SELECT ON service_users, service_scripts, service_scripts_history TO PUBLIC;`,
});

const ALL = [
  'public.item',
  'public.ledger',
  'public.note',
  'public.sale',
  'shop.item',
  'shut.open',
];

t.test('roles', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const cases: [role: string, string[]][] = [
    ['', ALL],
    ['postgres', ALL],
    ['reader', ['public.item', 'public.sale', 'shop.item']],
    ['clerk', ['public.ledger', 'shop.item']],
    ['member', ['public.ledger', 'shop.item']],
    ['apart', ['shop.item']],
    ['everything', ALL],
  ];
  for (const [role, names] of cases) {
    const visible = await tested.tables({ role });
    t.strictSame(namesIn(visible), names, role);
    for (const { schema, name } of visible.tables) t.ok(visible.find(schema, name));
    for (const { schema, table } of HIDDEN) t.equal(visible.find(schema, table), undefined, role);
  }
  const item = (await tested.tables({ role: 'reader' })).find('public', 'item')!;
  t.strictSame([...item.byName.keys()], ['id', 'name']);
});

t.test('a table that two roles see alike is cached once', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const [all, some] = [await tested.tables(), await tested.tables({ role: 'reader' })];
  t.equal(some.find('shop', 'item'), all.find('shop', 'item'));
  t.not(some.find('public', 'item'), all.find('public', 'item'), 'of which it sees less');
});

t.test('an unknown role sees nothing', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  await t.rejects(tested.tables({ role: 'nobody' }), { code: 'permission_denied' });
  t.strictSame(namesIn(await tested.tables()), ALL, 'that is nothing to the others');
});

const read = (name: string, fields?: string[]): TableEntry => ({
  name,
  permissions: ['read'],
  fields,
});
const ACCESS: TableAccessSettings = {
  restrict: true,
  tables: [
    read('item', ['id', 'gone']),
    read('shop.item'),
    { ...read('sale'), permissions: ['write'] },
    read('missing'),
    read('ledger', ['nothing', 'that', 'there', 'is']),
    ...HIDDEN.map(({ table }) => read(table)),
  ],
  users: [
    { name: 'ann', tables: [read('item', ['*']), read('sale'), read('shop.item', ['price'])] },
    { name: 'bob', tables: [{ ...read('item'), permissions: [] }, read('service_users')] },
  ],
  ignored: ['note', 'service_scripts'],
};

t.test('callers', async (t) => {
  const tested = new TestedCatalog(t, postgres, { access: ACCESS });
  const seen = async (caller: Caller): Promise<string[]> =>
    (await tested.tables(caller)).tables.map(
      ({ schema, name, columns }) => `${schema}.${name}: ${columns.map((c) => c.name).join(' ')}`,
    );
  const everybody = ['public.item: id', 'public.note: id', 'shop.item: id price'];
  const cases: [Caller, string[]][] = [
    [{}, everybody],
    [{ user: 'stranger' }, everybody],
    [
      { user: 'ann' },
      ['public.item: id name secret', 'public.note: id', 'public.sale: id', 'shop.item: price'],
    ],
    [{ user: 'bob' }, ['public.note: id', 'shop.item: id price']],
    [
      { user: 'ann', role: 'reader' },
      ['public.item: id name', 'public.sale: id', 'shop.item: price'],
    ],
    [{ role: 'clerk' }, ['shop.item: id price']],
  ];
  for (const [caller, expected] of cases)
    t.strictSame(await seen(caller), expected, JSON.stringify(caller));
});

t.test('a column that is not permitted is hidden', async (t) => {
  const tested = new TestedCatalog(t, postgres, { access: ACCESS });
  const item = (await tested.tables()).find('public', 'item')!;
  t.equal(item.byName.get('secret'), undefined);
  t.equal(item.byName.size, 1);
});

t.test('all callers that the configuration does not name share a set', async (t) => {
  const tested = new TestedCatalog(t, postgres, { access: ACCESS });
  const first = await tested.tables({ user: 'one' });
  for (let i = 0; i < 50; i++) t.equal(await tested.tables({ user: `user${i}` }), first);
  t.not(await tested.tables({ user: 'ann' }), first);
});

t.test('without restrictions all callers share a set', async (t) => {
  const tested = new TestedCatalog(t, postgres, { access: { ...ACCESS, restrict: false } });
  const all = await tested.tables({ user: 'bob' });
  t.strictSame(namesIn(all), ALL);
  t.equal(await tested.tables({ user: 'ann' }), all);
  t.strictSame(OPEN.users, []);
});
