/** Lists of databases, schemas and tables, and descriptions: everything that the caller may see, in pages. */
import t from 'tap';
import {
  databasesJson,
  descriptionJson,
  schemasJson,
  tablesJson,
} from '#app/mcp/tools/listings.js';
import { TableSet } from '#app/mcp/tables/table-set.js';
import type { TableCatalog, Column, Table, VisibleTables } from '#app/mcp/tables/table.js';
import type { Arguments } from '#app/mcp/arguments/tool.js';
import { column, tableOf } from '../tested-table.js';

const COLUMN = column('id', {
  type: 'integer',
  kind: 'integer',
  nullable: false,
  defaultValue: "nextval('item_id_seq'::regclass)",
});

function table(schema: string, name: string, columns: readonly Column[] = [COLUMN]): Table {
  return tableOf(columns, { schema, name, owner: 'ann' });
}

function visible(tables: readonly Table[]): VisibleTables {
  return new TableSet(tables);
}

const FEW = visible([table('a', 'x'), table('b', 'y'), table('b', 'z')]);

t.test('databases', (t) => {
  const databases = [
    { alias: 'main', database: 'shop' },
    { alias: 'other "one"', database: 'elsewhere' },
  ];
  const catalog: TableCatalog = {
    databases,
    visible: () => FEW,
    renewed: () => Promise.resolve(FEW),
  };
  t.strictSame(JSON.parse(databasesJson({}, catalog)), {
    databases: [
      { name: 'main', datname: 'main', physical_name: 'shop' },
      { name: 'other "one"', datname: 'other "one"', physical_name: 'elsewhere' },
    ],
  });
  t.end();
});

t.test('schemas', (t) => {
  t.equal(schemasJson({}, FEW), '{"schemas":[{"schema_name":"a"},{"schema_name":"b"}]}');
  t.equal(schemasJson({}, visible([])), '{"schemas":[]}');
  t.end();
});

interface Listed {
  readonly tables: readonly Readonly<Record<string, unknown>>[];
  readonly count?: number;
  readonly truncated?: boolean;
  readonly next_offset?: number;
}

const listed = async (args: Arguments, tables: VisibleTables): Promise<Listed> =>
  JSON.parse(await tablesJson(args, tables)) as Listed;

t.test('tables', async (t) => {
  const all = [
    { name: 'x', schema: 'a', type: 'table' },
    { name: 'y', schema: 'b', type: 'table' },
    { name: 'z', schema: 'b', type: 'table' },
  ];
  t.same(await listed({}, FEW), { tables: all });
  t.same(await listed({ verbose: true }, FEW), {
    tables: all.map((one) => ({ ...one, owner: 'ann' })),
  });
  t.equal((await listed({ schema: 'b' }, FEW)).tables.length, 2);
  t.equal(await tablesJson({ schema: 'nope' }, FEW), '{"tables":[]}');
  for (const [args, message] of [
    [{ schema: 1 }, 'schema must be a string, not 1.'],
    [{ verbose: 'yes' }, 'verbose must be true or false, not "yes".'],
    [{ search: 1 }, 'search must be a string, not 1.'],
    [{ search: ' … ' }, 'search must have words to look for; leave it out for all tables.'],
    [
      { search: Array.from({ length: 21 }, (_, i) => `w${i}`).join(' ') },
      'search holds 21 values; 20 are allowed at one time.',
    ],
    [{ search: 'x'.repeat(1_001) }, 'search must have at most 1000 characters: some words.'],
    [{ limit: 0 }, 'limit must be a whole number from 1 on (more than 1000 is 1000), not 0.'],
  ] as const)
    await t.rejects(tablesJson(args, FEW), { name: 'ArgumentError', message });
});

t.test('estimates, comments and partitions', async (t) => {
  const parent = tableOf([COLUMN], {
    id: '7',
    name: 'visit',
    type: 'partitioned_table',
    estimate: 12_000,
    description: `Visits\n${'x'.repeat(300)}`,
  });
  const parts = [1, 2].map((i) => tableOf([COLUMN], { id: `1${i}`, name: `p${i}`, parent: '7' }));
  const nested = tableOf([COLUMN], { id: '20', name: 'q', parent: '11' });
  const alone = tableOf([COLUMN], { id: '30', name: 'r', parent: '99' });
  const all = visible([parent, ...parts, nested, alone]);
  t.match(await listed({}, all), {
    tables: [
      { name: 'r', partitions: undefined },
      { name: 'visit', estimated_rows: 12_000, partitions: 2, description: /^Visits x{192}…$/ },
    ],
  });
  const { tables } = await listed({ verbose: true }, all);
  t.strictSame(
    tables.map(({ name }) => name),
    ['p1', 'p2', 'q', 'r', 'visit'],
  );
  const json = descriptionJson({}, parts[0]!, all);
  t.match(JSON.parse(json), { partition_of: { schema: 'public', table: 'visit' } });
  t.notMatch(descriptionJson({}, alone, all), /partition_of/, 'of a table that they may not read');
});

t.test('a search', async (t) => {
  const all = visible([
    table('public', 'customers', [column('id'), column('email')]),
    tableOf([column('id'), column('customer_id')], {
      name: 'orders',
      description: 'What was sold',
    }),
    tableOf([column('id'), column('reason', { description: 'Why it came back' })], {
      name: 'returns',
      description: 'Orders that came back',
    }),
    table('stock', 'categories', [column('parent')]),
  ]);
  const cases: [search: string, found: string[]][] = [
    ['customer', ['customers', 'orders (customer_id)']],
    ['Customers', ['customers', 'orders (customer_id)']],
    ['orders', ['orders', 'returns']],
    ['which customer orders came back?', ['returns (reason)', 'orders (customer_id)', 'customers']],
    ['email', ['customers (email)']],
    ['category', ['categories']],
    ['stock', ['categories']],
    ['why', ['returns (reason)']],
    ['nothing', []],
  ];
  for (const [search, found] of cases) {
    const { tables } = await listed({ search }, all);
    const names = tables.map(({ name, columns }) =>
      columns === undefined ? name : `${String(name)} (${(columns as string[]).join()})`,
    );
    t.strictSame(names, found, search);
  }
  t.equal((await listed({ search: 'id', limit: 2 }, all)).next_offset, 2);
});

t.test('thousands of tables', async (t) => {
  const many = visible(Array.from({ length: 2_500 }, (_, i) => table('s', `t${i}`)));
  const names: string[] = [];
  let offset: number | undefined = 0;
  let pages = 0;
  while (offset !== undefined) {
    const page: Listed = await listed({ limit: 5_000, offset }, many);
    names.push(...page.tables.map(({ name }) => String(name)));
    t.equal(page.truncated, page.next_offset === undefined ? undefined : true);
    t.equal(page.count, page.truncated && page.tables.length);
    offset = page.next_offset;
    pages++;
  }
  t.equal(pages, 3);
  t.strictSame(
    names,
    many.tables.map(({ name }) => name),
  );
  t.equal(await tablesJson({ offset: 2_500 }, many), '{"tables":[]}');
});

t.test('a description', (t) => {
  const mood = column('mood', {
    type: 'mood',
    kind: 'enum',
    labels: ['sad', 'glad'],
    position: 3,
    generated: { expression: 'lower(id)', columns: [1] },
    description: 'how "it" is',
  });
  const kind = column('kind', { position: 4, identity: 'always' });
  const described = tableOf([COLUMN, mood, kind], {
    owner: 'ann',
    description: 'All of them',
    estimate: 20,
    facts: {
      indexes: [
        { unique: true, primary: true, keys: [1], condition: undefined, columns: [1] },
        { unique: true, primary: false, keys: [4, 1], condition: undefined, columns: [4, 1] },
        { unique: true, primary: false, keys: [3], condition: 'id > 1', columns: [3, 1] },
        {
          unique: false,
          primary: false,
          keys: ['lower(kind)', 3],
          condition: undefined,
          columns: [4, 3],
        },
        { unique: false, primary: false, keys: [], condition: undefined, columns: [3] },
      ],
      checks: [
        { expression: "kind = ANY (ARRAY['a'::text, 'b''s'::text])", columns: [4] },
        { expression: 'id > 0', columns: [1] },
        { expression: `id <> ${'1'.repeat(1_000)}`, columns: [1] },
      ],
    },
  });
  const all = visible([described]);
  t.equal(
    descriptionJson({}, described, all),
    '{"database":"main","schema":"public","table":"item","description":"All of them","estimated_rows":20,' +
      '"unique":[["kind","id"]],"indexes":[{"columns":["mood"],"unique":true,"where":"id > 1"},' +
      '{"columns":["lower(kind)","mood"]}],"checks":["id > 0"],"columns":[' +
      '{"name":"id","data_type":"integer","nullable":false,' +
      `"default_value":"nextval('item_id_seq'::regclass)","position":1},` +
      '{"name":"mood","data_type":"mood","nullable":true,"generated":true,"expression":"lower(id)","position":3,' +
      '"description":"how \\"it\\" is","values":["sad","glad"]},' +
      '{"name":"kind","data_type":"text","nullable":true,"identity":"always","position":4,"values":["a","b\'s"]}' +
      '],"count":3}',
  );
  t.match(descriptionJson({ verbose: true }, described, all), /"owner":"ann","type":"table"/);
  t.equal(
    descriptionJson({}, tableOf([COLUMN]), visible([])),
    '{"database":"main","schema":"public","table":"item","columns":[{"name":"id","data_type":"integer","nullable":false,' +
      `"default_value":"nextval('item_id_seq'::regclass)","position":1}],"count":1}`,
  );
  // A caller who may not read one of the columns in it knows nothing of an index, a check or an expression.
  const hidden = tableOf([mood], { facts: described.facts });
  t.equal(
    descriptionJson({}, hidden, visible([hidden])).replace(/.*"columns":\[\{/, ''),
    '"name":"mood","data_type":"mood","nullable":true,"generated":true,"position":3,' +
      '"description":"how \\"it\\" is","values":["sad","glad"]}],"count":1}',
  );
  t.notMatch(descriptionJson({}, hidden, visible([hidden])), /unique|index|check|lower/);
  t.end();
});
