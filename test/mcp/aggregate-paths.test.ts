/** Aggregations over columns of referenced tables, of keys, tables and columns that the caller may read. */
import t from 'tap';
import { callOf, read, startToolDatabase, type Selected } from './arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `
    CREATE SCHEMA geo;
    CREATE TABLE geo.country (code text PRIMARY KEY, name text, area int);
    CREATE TABLE customer (id int PRIMARY KEY, name text, country text REFERENCES geo.country, secret text,
      referrer int REFERENCES customer, born date);
    CREATE TABLE old_customer () INHERITS (customer);
    CREATE TABLE part (area int, id int, label text, at date, PRIMARY KEY (area, id)) PARTITION BY LIST (area);
    CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
    CREATE TABLE hidden (id int PRIMARY KEY, name text);
    CREATE TABLE sale (id int PRIMARY KEY, customer_id int REFERENCES customer, payer_id int, area int, part int,
      hidden_id int REFERENCES hidden, total int, "customer.name" text, x int, tags text[],
      FOREIGN KEY (area, part) REFERENCES part);
    CREATE TABLE bill (id int PRIMARY KEY, buyer_id int REFERENCES customer, payer_id int REFERENCES customer, sale_id int REFERENCES sale);
    CREATE TABLE wide (id int PRIMARY KEY, ${Array.from({ length: 11 }, (_, i) => `c${i} int REFERENCES hidden`).join(', ')});
    CREATE TABLE alone (id int);
    CREATE VIEW sales AS SELECT * FROM sale;
    INSERT INTO geo.country VALUES ('DE', 'Germany', 4), ('MT', 'Malta', 1);
    INSERT INTO customer VALUES (1, 'ann', 'DE', 's', NULL, '1990-05-01'), (2, 'bob', 'MT', 's', 1, '1990-06-01'), (3, 'cid', NULL, 's', 2, NULL);
    INSERT INTO old_customer VALUES (1, 'ann again', 'MT'), (2, 'bob again', 'MT');
    INSERT INTO part VALUES (1, 1, 'one', NULL), (1, 2, 'two', NULL);
    INSERT INTO hidden VALUES (1, 'h');
    INSERT INTO sale VALUES (1, 1, 1, 1, 1, 1, 10, 'own', 1, '{a}'), (2, 1, 1, 1, 2, 1, 20, 'own', 1, '{}'),
      (3, 2, 1, 1, 1, NULL, 40, 'own', 1, '{}'), (4, 3, 1, NULL, 1, NULL, 80, NULL, 1, '{}'), (5, NULL, 1, NULL, NULL, NULL, 160, NULL, 1, '{}');
    INSERT INTO bill VALUES (1, 1, 2, 1), (2, 2, 2, 3);
    CREATE ROLE clerk; GRANT USAGE ON SCHEMA geo TO clerk; GRANT SELECT ON sale, bill, geo.country TO clerk;
    GRANT SELECT (id, name, country) ON customer TO clerk;
    CREATE ROLE seller; GRANT SELECT ON sale, customer TO seller;
    ALTER TABLE customer ENABLE ROW LEVEL SECURITY;
    CREATE POLICY few ON customer TO seller USING (id = 1); CREATE POLICY "all" ON customer TO clerk USING (true)`,
});

const aggregate = async (table: string, args: object, role = ''): Promise<Selected> =>
  read(await db.run('service.aggregate_table', { table, ...args }, callOf(role)));

const SUM = [{ function: 'sum', column: 'total' }];

for (const [args, message, table = 'sale'] of [
  [
    { group_by: ['custmer.name'] },
    /^unknown column: custmer\.name \(in group_by\)\. Did you mean customer\? The tables that sale references are: part, customer, hidden\.$/,
  ],
  [
    { group_by: ['customer.contry'] },
    /^unknown column: contry \(in group_by, customer\)\. Did you mean country\? The columns are: id, name, country/,
  ],
  [{ filters: { 'customer.nope': 1 } }, /^unknown column: nope \(in filters, customer\)/],
  [
    { aggregates: [{ function: 'max', column: 'customer.nope' }] },
    /^unknown column: nope \(in aggregates\[0\], customer\)/,
  ],
  [
    { group_by: ['customer.geo.name'] },
    /^unknown column: customer\.geo\.name \(in group_by\)\. The tables that customer references are: country, (?:referrer|customer)\.$/,
  ],
  [
    { group_by: ['part.at.x'] },
    /^unknown column: part\.at\.x \(in group_by\)\. part references no table that you may read\.$/,
  ],
  [{ group_by: ['customer'] }, 'group_by: customer is a table. Name a column of it: "customer.…".'],
  [{ group_by: ['customer.country.'] }, /^unknown column/],
  [{ group_by: ['.name'] }, /^unknown column: \.name/],
  [{ group_by: ['customer..name'] }, /^unknown column/],
  [{ group_by: ['bill.id'] }, /^unknown column: bill\.id \(in group_by\)/],
  [{ group_by: ['sale.total'] }, /^unknown column: sale\.total/],
  [{ group_by: ['customer.name; DROP TABLE sale'] }, /^unknown column: name; DROP/],
  [
    { group_by: ['customer.' + 'referrer.'.repeat(3) + 'name'] },
    'group_by: a path has at most 3 foreign keys.',
  ],
  [
    { group_by: ['customer.' + 'referrer.'.repeat(500) + 'name'] },
    /^unknown column: customer\.referrer/,
  ],
  [
    { group_by: ['customer.name'] },
    /"customer" means several foreign keys\. Name one of: buyer_id, payer_id\.$/,
    'bill',
  ],
  [
    { group_by: ['hidden.name'] },
    /^group_by: "hidden" means several foreign keys\. Name one of: c0, c10, c1, /,
    'wide',
  ],
  [
    {
      aggregates: Array.from({ length: 11 }, (_, i) => ({
        function: 'count',
        column: `c${i}.name`,
      })),
    },
    /^aggregates\[10\]: paths lead to more than 10 tables/,
    'wide',
  ],
  [
    { group_by: ['customer.name'] },
    /^unknown column: customer\.name \(in group_by\)\. The columns are: id\./,
    'alone',
  ],
  [{ group_by: ['customer.country'] }, /^unknown column: customer\.country /, 'sales'],
  [{ group_by: [{ column: 'customer.name', by: 'year' }] }, /"by" is for columns of dates/],
  [
    { aggregates: [{ function: 'sum', column: 'customer.country' }] },
    /"sum" is for numbers; country is of the type text/,
  ],
  [
    { filters: { 'customer.id': 'x' } },
    'filters.customer.id: "x" is no value of its type, integer.',
  ],
  [{ filters: { 'customer.id': { like: 'x' } } }, /^filters\.customer\.id: "like" is no operator/],
  [{ having: { 'customer.country': 'DE' } }, /^unknown column: customer\.country \(in having\)/],
  [{ order_by: ['customer.country'] }, /^unknown column: customer\.country \(in order_by\)/],
  [
    { group_by: ['customer.country', { column: 'customer.country' }] },
    /^two columns of the result are called customer\.country/,
  ],
] as [object, RegExp | string, string?][])
  // prettier-ignore
  t.test(`refused: ${table} ${JSON.stringify(args).slice(0, 90)}`, async (t) => {
    const { error } = await aggregate(table, args);
    if (typeof message === 'string') t.equal(error, message);
    else t.match(error, message);
  });

t.test('keys, tables and columns that a caller may not read do not exist', async (t) => {
  const paths = (path: string): object[] => [
    { group_by: [path] },
    { aggregates: [{ function: 'count_distinct', column: path }] },
    { filters: { [path]: null } },
  ];
  for (const args of paths('hidden.name'))
    t.match(await aggregate('sale', args, 'clerk'), {
      error: /^unknown column: hidden\.name .* The tables that sale references are: customer\.$/,
    });
  for (const args of paths('customer.secret'))
    t.match(await aggregate('sale', args, 'clerk'), {
      error: /^unknown column: secret .*The columns are: id, name, country\.$/,
    });
  for (const args of paths('customer.referrer.name'))
    t.match(await aggregate('sale', args, 'clerk'), {
      error: /^unknown column: customer\.referrer\.name .* customer references are: country\.$/,
    });
  for (const args of paths('customer.country.name'))
    t.match(await aggregate('sale', args, 'seller'), {
      error: /^unknown column: customer\.country\.name .* customer references are: customer\.$/,
    });
});

for (const [what, table, args, rows] of [
  [
    'a group; rows without a referenced one have null',
    'sale',
    { group_by: ['customer.country'], aggregates: SUM },
    [
      { 'customer.country': null, sum_total: 240 },
      { 'customer.country': 'MT', sum_total: 40 },
      { 'customer.country': 'DE', sum_total: 30 },
    ],
  ],
  [
    'two levels, named by a schema, by columns, and with and without _id',
    'sale',
    {
      group_by: [
        'customer.country.name',
        { column: 'public.customer.geo.country.name', as: 'b' },
        { column: 'customer_id.country.area', as: 'c' },
      ],
      filters: { 'customer.country.area': { '>=': 1 } },
      order_by: ['-c'],
    },
    [
      { 'customer.country.name': 'Germany', b: 'Germany', c: 4, count: 2 },
      { 'customer.country.name': 'Malta', b: 'Malta', c: 1, count: 1 },
    ],
  ],
  [
    'the same table along two keys, and along itself',
    'bill',
    {
      group_by: ['buyer.name', { column: 'payer_id.name', as: 'payer' }, 'payer.referrer.name'],
      order_by: ['buyer.name'],
    },
    [
      { 'buyer.name': 'ann', payer: 'bob', 'payer.referrer.name': 'ann', count: 1 },
      { 'buyer.name': 'bob', payer: 'bob', 'payer.referrer.name': 'ann', count: 1 },
    ],
  ],
  [
    'three levels',
    'bill',
    { group_by: ['sale.customer.country.name'], limit: 1 },
    [{ 'sale.customer.country.name': 'Germany', count: 1 }],
  ],
  [
    'functions',
    'sale',
    {
      aggregates: [
        { function: 'sum', column: 'customer.country.area' },
        { function: 'count', column: 'customer.name' },
        { function: 'count_distinct', column: 'customer.country', as: 'countries' },
        { function: 'avg', column: 'customer.id' },
        { function: 'min', column: 'customer.born' },
      ],
    },
    [
      {
        'sum_customer.country.area': 9,
        'count_customer.name': 3,
        countries: 2,
        'avg_customer.id': 1.75,
        'min_customer.born': '1990-05-01',
      },
    ],
  ],
  [
    'a key of two columns of a partitioned table',
    'sale',
    { group_by: ['part.label'], filters: { 'part.label': { not: null } } },
    [
      { 'part.label': 'one', count: 2 },
      { 'part.label': 'two', count: 1 },
    ],
  ],
  [
    'a span of time',
    'sale',
    {
      group_by: [{ column: 'customer.born', by: 'month' }],
      having: { 'customer.born': { '>': '1990-05-15' } },
    },
    [{ 'customer.born': '1990-06-01', count: 1 }],
  ],
  [
    'an own column of that name',
    'sale',
    { group_by: ['customer.name'], limit: 1 },
    [{ 'customer.name': 'own', count: 3 }],
  ],
  [
    'having and order name the result',
    'sale',
    {
      group_by: 'customer.country',
      aggregates: SUM,
      having: { sum_total: { '<': 100 } },
      order_by: '-customer.country',
    },
    [
      { 'customer.country': 'MT', sum_total: 40 },
      { 'customer.country': 'DE', sum_total: 30 },
    ],
  ],
  [
    'a filter for rows without a referenced one',
    'sale',
    { filters: { 'hidden.name': null } },
    [{ count: 3 }],
  ],
] as const)
  // prettier-ignore
  t.test(what, async (t) => {
    const { error, ...result } = await aggregate(table, args);
    t.equal(error, undefined);
    t.strictSame(result.rows, rows);
  });

t.test('row-level security of each table holds', async (t) => {
  t.match(await aggregate('sale', { group_by: ['customer.country'] }, 'seller'), {
    rows: [
      { 'customer.country': null, count: 3 },
      { 'customer.country': 'DE', count: 2 },
    ],
  });
});

t.test('a table that has changed meanwhile', async (t) => {
  const args = { group_by: ['customer.grade'], limit: 1 };
  t.match(await aggregate('sale', args), { error: /^unknown column: grade/ });
  await db.postgres.sql('ALTER TABLE customer ADD grade int');
  t.match(await aggregate('sale', args), { rows: [{ 'customer.grade': null, count: 5 }] });
  await db.postgres.sql('ALTER TABLE customer DROP grade');
  t.match(await aggregate('sale', args), { error: /^unknown column: grade/ });
});
