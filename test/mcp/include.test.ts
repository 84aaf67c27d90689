/** Related rows along foreign keys, in both directions, of tables and columns that the caller may read. */
import t from 'tap';
import { callOf, read, startToolDatabase, type Selected } from './arguments/tool-database.js';

/** A name as long as PostgreSQL allows. */
const LONG = 'l'.repeat(63);

const db = await startToolDatabase(t, {
  setup: `
    CREATE SCHEMA crm;
    CREATE TABLE customer (id int PRIMARY KEY, name text, secret text);
    CREATE TABLE person (id int PRIMARY KEY, boss int REFERENCES person, name text);
    CREATE TABLE line (part int, id int, label text, PRIMARY KEY (part, id));
    CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customer, total numeric);
    CREATE TABLE sale (id int PRIMARY KEY, buyer_id int REFERENCES customer, payer_id int REFERENCES customer,
      part int, line int, FOREIGN KEY (part, line) REFERENCES line, x int, r int);
    CREATE TABLE crm.orders (id int PRIMARY KEY, customer_id int REFERENCES public.customer);
    CREATE TABLE apart (id int);
    CREATE TABLE "${LONG}" (id int PRIMARY KEY, boss int REFERENCES person, other int REFERENCES person);
    INSERT INTO customer VALUES (1, 'ann', 's1'), (2, 'bob', 's2'), (3, 'cid', 's3');
    INSERT INTO person VALUES (1, NULL, 'top'), (2, 1, 'mid'), (3, 1, 'low');
    INSERT INTO "${LONG}" VALUES (7, 1, 2);
    INSERT INTO line VALUES (1, 1, 'one'), (1, 2, 'two');
    INSERT INTO orders SELECT i, 1 + i % 2, i * 1.5 FROM generate_series(1, 30) i;
    INSERT INTO orders VALUES (31, NULL, 9007199254740993);
    INSERT INTO sale VALUES (1, 1, 2, 1, 2, 5, 6), (2, 3, NULL, NULL, NULL, 7, 8);
    CREATE ROLE clerk; GRANT SELECT ON orders, sale TO clerk; GRANT SELECT (id, name) ON customer TO clerk;
    CREATE ROLE buyer; GRANT SELECT ON customer, orders TO buyer;
    ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
    CREATE POLICY few ON orders TO buyer USING (id < 4); CREATE POLICY "all" ON orders TO clerk USING (true);
    CREATE ROLE nothing; GRANT SELECT (id, total) ON orders TO nothing; GRANT SELECT ON customer TO nothing`,
});

const select = async (table: string, args: object, role = ''): Promise<Selected> =>
  read(await db.run('service.select_table', { schema: 'public', table, ...args }, callOf(role)));

for (const [what, table, args, rows] of [
  [
    'one level out',
    'orders',
    { columns: ['id'], order_by: 'id', limit: 1, include: { customer: ['name'] } },
    [{ id: 1, customer: { name: 'bob' } }],
  ],
  [
    'null without one',
    'orders',
    { columns: ['id'], filters: { id: 31 }, include: { customer: ['name'] } },
    [{ id: 31, customer: null }],
  ],
  [
    'all columns',
    'orders',
    { columns: ['id'], filters: { id: 2 }, include: { customer: true } },
    [{ id: 2, customer: { id: 1, name: 'ann', secret: 's1' } }],
  ],
  [
    'by the column of the key',
    'sale',
    { columns: ['id'], filters: { id: 1 }, include: { buyer_id: 'name', payer_id: ['name'] } },
    [{ id: 1, buyer_id: { name: 'ann' }, payer_id: { name: 'bob' } }],
  ],
  [
    'by the column of the key, which is selected',
    'sale',
    { columns: ['id', 'buyer_id'], filters: { id: 1 }, include: { buyer_id: ['name'] } },
    [{ id: 1, buyer_id: 1, buyer: { name: 'ann' } }],
  ],
  [
    'by the column of the key without _id',
    'sale',
    { columns: ['id'], filters: { id: 1 }, include: { payer: { columns: 'name' } } },
    [{ id: 1, payer: { name: 'bob' } }],
  ],
  [
    'a key of two columns',
    'sale',
    { columns: ['id'], order_by: 'id', include: { line: ['label'] } },
    [
      { id: 1, line: { label: 'two' } },
      { id: 2, line: null },
    ],
  ],
  [
    'one level in',
    'customer',
    {
      columns: ['name'],
      order_by: 'id',
      include: { 'public.orders': { columns: ['id'], limit: 2, order_by: '-id' } },
    },
    [
      { name: 'ann', 'public.orders': [{ id: 30 }, { id: 28 }], 'public.orders_truncated': true },
      { name: 'bob', 'public.orders': [{ id: 29 }, { id: 27 }], 'public.orders_truncated': true },
      { name: 'cid', 'public.orders': [], 'public.orders_truncated': false },
    ],
  ],
  [
    'a filter of the related rows',
    'customer',
    {
      columns: ['id'],
      filters: { id: 1 },
      include: { 'public.orders': { columns: ['id'], filters: { total: { '>': 40 } } } },
    },
    [{ id: 1, 'public.orders': [{ id: 28 }, { id: 30 }], 'public.orders_truncated': false }],
  ],
  [
    'one of several keys',
    'customer',
    {
      columns: ['id'],
      filters: { id: 1 },
      include: { 'sale.buyer_id': ['id'], 'sale.payer_id': ['id'] },
    },
    [
      {
        id: 1,
        'sale.buyer_id': [{ id: 1 }],
        'sale.buyer_id_truncated': false,
        'sale.payer_id': [],
        'sale.payer_id_truncated': false,
      },
    ],
  ],
  [
    'the table itself, both ways',
    'person',
    {
      columns: ['name'],
      order_by: 'id',
      include: { boss: ['name'], 'person.boss': ['name'] },
      limit: 2,
    },
    [
      {
        name: 'top',
        boss: null,
        'person.boss': [{ name: 'mid' }, { name: 'low' }],
        'person.boss_truncated': false,
      },
      { name: 'mid', boss: { name: 'top' }, 'person.boss': [], 'person.boss_truncated': false },
    ],
  ],
  [
    'names of ours',
    'sale',
    { columns: ['x', 'r'], limit: 1, order_by: 'id', include: { line: ['id'] } },
    [{ x: 5, r: 6, line: { id: 2 } }],
  ],
  [
    'numbers that a double does not hold',
    'orders',
    { columns: ['total'], filters: { id: 31 }, include: { customer: ['id'] } },
    [{ total: '9007199254740993', customer: null }],
  ],
] as const)
  t.test(what, async (t) => {
    const { error, rows: found } = await select(table, args);
    t.equal(error, undefined);
    t.strictSame(found, rows);
  });

t.test('long names', async (t) => {
  const { rows } = await select('person', {
    columns: ['id'],
    filters: { id: 1 },
    include: { [`${LONG}.boss`]: ['id'] },
  });
  t.strictSame(rows, [{ id: 1, [LONG]: [{ id: 7 }], truncated_1: false }]);
});

t.test('pages keep their order and their rows', async (t) => {
  const args = { columns: ['id'], order_by: '-id', limit: 10, include: { customer: ['id'] } };
  const pages = await Promise.all([0, 10].map((offset) => select('orders', { ...args, offset })));
  const ids = pages.flatMap(({ rows }) => rows!.map(({ id }) => id));
  t.strictSame(
    ids,
    Array.from({ length: 20 }, (_, i) => 31 - i),
  );
  t.match(pages[0], { count: 10, truncated: true, next_offset: 10, columns: ['id'] });
  t.match(await select('orders', { ...args, total: true }), { total: 31 });
});

for (const [table, args, message] of [
  [
    'orders',
    { include: { customr: ['name'] } },
    'unknown table in include: customr. Did you mean customer? The related tables are: customer.',
  ],
  [
    'apart',
    { include: { customer: [] } },
    /No foreign key connects this table with one that you may read\.$/,
  ],
  [
    'sale',
    { include: { customer: ['name'] } },
    'include: "customer" means several foreign keys. Name one of: buyer_id, payer_id.',
  ],
  [
    'customer',
    { include: { orders: ['id'] } },
    /^include: "orders" means several foreign keys\. Name one of: .*\./,
  ],
  [
    'customer',
    { include: { sale: ['id'] } },
    'include: "sale" means several foreign keys. Name one of: sale.buyer_id, sale.payer_id.',
  ],
  [
    'orders',
    { include: { customer: ['nope'] } },
    /^unknown column: nope \(in include\.customer\.columns\)/,
  ],
  [
    'orders',
    { include: { customer: ['name" FROM customer --'] } },
    /^unknown column: name" FROM customer --/,
  ],
  ['orders', { include: { 'customer" --': ['name'] } }, /^unknown table in include: customer" --/],
  [
    'orders',
    { include: { customer: { limit: 1 } } },
    /^include\.customer: unknown argument: limit\. It takes columns\./,
  ],
  [
    'customer',
    { include: { 'sale.buyer_id': { include: {} } } },
    /^include\.sale\.buyer_id: unknown argument: include/,
  ],
  [
    'customer',
    { include: { 'sale.buyer_id': { limit: '1; DROP' } } },
    /^limit must be a whole number/,
  ],
  [
    'customer',
    { include: { 'sale.buyer_id': { filters: { nope: 1 } } } },
    /^unknown column: nope \(in include\.sale\.buyer_id\.filters\)/,
  ],
  [
    'customer',
    { include: { 'sale.buyer_id': { filters: { x: 'y' } } } },
    'include.sale.buyer_id.filters.x: "y" is no value of its type, integer.',
  ],
  ['orders', { include: { customer: 5 } }, /^include\.customer must be a list of column names/],
  ['orders', { include: ['customer'] }, /^include must be an object of related tables/],
  [
    'orders',
    { include: { customer: [], customer_id: [] }, columns: ['id', 'customer'] },
    /^unknown column: customer/,
  ],
  [
    'orders',
    { include: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`t${i}`, []])) },
    /^include names 11 tables/,
  ],
] as const)
  t.test(`refused: ${JSON.stringify(args).slice(0, 80)}`, async (t) => {
    const { error } = await select(table, args);
    if (typeof message === 'string') t.equal(error, message);
    else t.match(error, message);
  });

t.test('permissions and row-level security of each table hold', async (t) => {
  const customer = { columns: ['id'], filters: { id: 2 }, include: { customer: true } };
  t.match(await select('orders', customer, 'clerk'), {
    rows: [{ id: 2, customer: { id: 1, name: 'ann' } }],
  });
  t.notMatch(JSON.stringify(await select('orders', customer, 'clerk')), /secret|s1/);
  for (const include of [{ customer: ['secret'] }, { customer: { columns: ['id', 'secret'] } }])
    t.match(await select('orders', { include }, 'clerk'), {
      error: /^unknown column: secret .* The columns are: id, name\.$/,
    });
  // crm.orders and the line of a sale are tables that the role may not read.
  t.match(
    await select(
      'customer',
      { columns: ['id'], filters: { id: 1 }, include: { orders: { limit: 100 } } },
      'buyer',
    ),
    {
      rows: [{ id: 1, orders: [{ id: 2 }], orders_truncated: false }],
    },
  );
  t.match(await select('sale', { include: { line: ['label'] } }, 'clerk'), {
    error: /^unknown table in include: line\./,
  });
  for (const table of ['orders', 'customer'])
    t.match(await select(table, { include: { customer: [], orders: [] } }, 'nothing'), {
      error: /^unknown table in include: .* No foreign key connects/,
    });
});
