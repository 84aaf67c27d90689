/** Rows of a table: columns, filters, order, and pages after the first hundred rows. */
import t from 'tap';
import { startToolDatabase } from './arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `
    CREATE TABLE item (id int PRIMARY KEY, name text, tags text[]);
    INSERT INTO item VALUES (1, 'cup', '{a,b}'), (2, 'pot', '{}'), (3, NULL, NULL), (4, 'pan', '{"c d","NULL"}');
    CREATE TABLE many AS SELECT i AS n FROM generate_series(1, 250) i;
    CREATE TABLE none (a int, b text);
    CREATE TABLE s (s int, t int, r int, j int);
    INSERT INTO s VALUES (1, 2, 3, 4);
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE DOMAIN words AS text[];
    CREATE DOMAIN amount AS int CHECK (VALUE > 0);
    CREATE TABLE typed (m mood, w words, a amount, v varchar(3), c char(4), d date, u uuid, b bool, i int8, n numeric, f float8, j jsonb);
    INSERT INTO typed VALUES ('glad', '{x,y}', 7, 'abc', 'ab', '2024-02-29', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
      true, 9007199254740993, 1.10, 1e300, '{"a": [1]}');
    CREATE TABLE "select ""from"".t" ("a ""b"".c" int, "-x" int, x int, "SELECT" text, "ä€" text, "$1" text, "__proto__" text);
    INSERT INTO "select ""from"".t" VALUES (1, 10, 100, 'w', 'u', 'd', 'p'), (2, 20, 50, 'W', 'U', 'D', 'P');
    CREATE VIEW shown AS SELECT id, upper(name) AS name FROM item;
    CREATE MATERIALIZED VIEW kept AS SELECT id FROM item;
    CREATE TABLE part (id int, at date) PARTITION BY RANGE (at);
    CREATE TABLE part_24 PARTITION OF part FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
    INSERT INTO part VALUES (1, '2024-05-05')`,
});

const odd = 'select "from".t';

for (const [what, table, args, rows] of [
  ['a filter', 'item', { filters: { id: 2 } }, [{ id: 2, name: 'pot', tags: [] }]],
  ['a number as text', 'item', { filters: { id: '2' }, columns: ['id'] }, [{ id: 2 }]],
  ['a list', 'item', { filters: { id: [1, '3'] }, columns: ['id'] }, [{ id: 1 }, { id: 3 }]],
  ['a list of one', 'item', { filters: { name: ['pot'] }, columns: ['id'] }, [{ id: 2 }]],
  ['null', 'item', { filters: { name: null }, columns: ['id'] }, [{ id: 3 }]],
  ['two filters', 'item', { filters: { id: [1, 2], name: 'pot' }, columns: ['id'] }, [{ id: 2 }]],
  ['filters that are none', 'item', { filters: {}, limit: 1, columns: ['id'] }, [{ id: 1 }]],
  ['nothing found', 'item', { filters: { name: 'nobody' } }, []],
  ['an empty table', 'none', {}, []],
  [
    'columns in the order asked for',
    'item',
    { columns: ['name', 'id', 'name'], limit: 1 },
    [{ name: 'cup', id: 1 }],
  ],
  [
    'no columns: all of them',
    'item',
    { columns: [], filters: { id: 2 } },
    [{ id: 2, name: 'pot', tags: [] }],
  ],
  [
    'nulls for what is left out',
    'item',
    { columns: null, filters: null, order_by: null, limit: null, offset: null, database: null },
    4,
  ],
  [
    'ascending',
    'item',
    { order_by: ['name'], columns: ['id'] },
    [{ id: 1 }, { id: 4 }, { id: 2 }, { id: 3 }],
  ],
  ['descending', 'item', { order_by: ['-id'], columns: ['id'], limit: 2 }, [{ id: 4 }, { id: 3 }]],
  [
    'a single name to order by',
    'item',
    { order_by: '-id', columns: ['id'], limit: 1 },
    [{ id: 4 }],
  ],
  [
    'the same column to order by twice',
    'item',
    { order_by: ['-id', 'id'], columns: ['id'], limit: 1 },
    [{ id: 4 }],
  ],
  ['an offset', 'item', { order_by: ['id'], columns: ['id'], offset: 3 }, [{ id: 4 }]],
  [
    'descending, with nulls last',
    'item',
    { order_by: ['-name'], columns: ['id'] },
    [{ id: 2 }, { id: 4 }, { id: 1 }, { id: 3 }],
  ],
  [
    'an order with a word',
    'item',
    { order_by: ['id desc'], columns: ['id'], limit: 1 },
    [{ id: 4 }],
  ],
  [
    'orders as one text',
    'item',
    { order_by: 'name DESC, id asc', columns: ['id'], limit: 1 },
    [{ id: 2 }],
  ],
  ['a name in a text', 'item', { columns: 'id', limit: 1 }, [{ id: 1 }]],
  ['names in a text', 'item', { columns: 'id, name', limit: 1 }, [{ id: 1, name: 'cup' }]],
  ['a list as text', 'item', { columns: '["id"]', limit: '1', offset: '1' }, [{ id: 2 }]],
  ['a star', 'item', { columns: '*', filters: { id: 2 } }, [{ id: 2, name: 'pot', tags: [] }]],
  [
    'a star in a list',
    'item',
    { columns: ['*'], filters: '{"id": 2}' },
    [{ id: 2, name: 'pot', tags: [] }],
  ],
  ['a name with spaces', 'select "from".t', { columns: 'a "b".c', limit: 1 }, [{ 'a "b".c': 1 }]],
  ['an offset beyond the end', 'item', { offset: 9_007_199_254_740_991 }, []],
  [
    'a limit written with a fraction',
    'item',
    { limit: 2.0, order_by: ['id'], columns: ['id'] },
    [{ id: 1 }, { id: 2 }],
  ],
  ['an array', 'item', { filters: { tags: ['a', 'b'] }, columns: ['id'] }, [{ id: 1 }]],
  [
    'an array as text',
    'item',
    { filters: { tags: '{"c d","NULL"}' }, columns: ['id'] },
    [{ id: 4 }],
  ],
  [
    'an array with spaces and NULL as a text',
    'item',
    { filters: { tags: ['c d', 'NULL'] }, columns: ['id'] },
    [{ id: 4 }],
  ],
  ['an empty array', 'item', { filters: { tags: [] }, columns: ['id'] }, [{ id: 2 }]],
  ['names that statements of ours use', 's', {}, [{ s: 1, t: 2, r: 3, j: 4 }]],
  ['an enumeration', 'typed', { filters: { m: 'glad' }, columns: ['m'] }, [{ m: 'glad' }]],
  [
    'an enumeration in a list',
    'typed',
    { filters: { m: ['sad', 'glad'] }, columns: ['m'] },
    [{ m: 'glad' }],
  ],
  [
    'a domain over an array',
    'typed',
    { filters: { w: ['x', 'y'] }, columns: ['w'] },
    [{ w: ['x', 'y'] }],
  ],
  ['a domain', 'typed', { filters: { a: [7, 8] }, columns: ['a'] }, [{ a: 7 }]],
  [
    'texts with a length',
    'typed',
    { filters: { v: 'abc', c: 'ab' }, columns: ['v', 'c'] },
    [{ v: 'abc', c: 'ab  ' }],
  ],
  [
    'texts with a length in lists',
    'typed',
    { filters: { v: ['abc', 'x'], c: ['ab', 'y'] }, columns: ['v'] },
    [{ v: 'abc' }],
  ],
  ['a date', 'typed', { filters: { d: '2024-02-29' }, columns: ['d'] }, [{ d: '2024-02-29' }]],
  [
    'a uuid in a list',
    'typed',
    {
      filters: {
        u: ['A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'],
      },
      columns: ['b'],
    },
    [{ b: true }],
  ],
  ['true', 'typed', { filters: { b: true }, columns: ['b'] }, [{ b: true }]],
  ['false', 'typed', { filters: { b: false }, columns: ['b'] }, []],
  ['a number with a fraction', 'typed', { filters: { n: 1.1 }, columns: ['b'] }, [{ b: true }]],
  [
    'a huge number of a type that is not exact',
    'typed',
    { filters: { f: 1e300 }, columns: ['b'] },
    [{ b: true }],
  ],
  ['JSON as text', 'typed', { filters: { j: '{"a":[1.0]}' }, columns: ['b'] }, [{ b: true }]],
  [
    'a large integer as text',
    'typed',
    { filters: { i: '9007199254740993' }, columns: ['b'] },
    [{ b: true }],
  ],
  [
    'odd names',
    odd,
    { columns: ['a "b".c', 'SELECT', 'ä€', '$1'], filters: { $1: 'd', 'ä€': 'u', 'a "b".c': 1 } },
    [{ 'a "b".c': 1, SELECT: 'w', 'ä€': 'u', $1: 'd' }],
  ],
  [
    'a name that begins with a minus',
    odd,
    { columns: ['-x'], order_by: ['--x'] },
    [{ '-x': 20 }, { '-x': 10 }],
  ],
  [
    'a minus before a name wins',
    odd,
    { columns: ['x'], order_by: ['-x'] },
    [{ x: 100 }, { x: 50 }],
  ],
  ['a view', 'shown', { filters: { name: 'CUP' } }, [{ id: 1, name: 'CUP' }]],
  ['a materialised view', 'kept', { filters: { id: 1 } }, [{ id: 1 }]],
  ['a table in partitions', 'part', {}, [{ id: 1, at: '2024-05-05' }]],
  ['a partition', 'part_24', { columns: ['id'] }, [{ id: 1 }]],
] as const)
  t.test(what, async (t) => {
    for (const time of ['first', 'prepared', 'prepared']) {
      const answer = await db.select(table, args);
      if (typeof rows === 'number') t.equal(answer.rows?.length, rows, time);
      else t.strictSame(answer.rows, rows, answer.error ?? time);
      t.equal(answer.count, answer.rows?.length);
    }
  });

t.test('the result', async (t) => {
  const outcome = await db.run('service.select_table', {
    schema: 'public',
    table: 'item',
    limit: 1,
    columns: ['id', 'name'],
    order_by: ['id'],
  });
  t.strictSame(outcome, {
    json: '{"database":"main","schema":"public","table":"item","columns":["id","name"],"rows":[{"id":1,"name":"cup"}],"count":1,"truncated":true,"next_offset":1}',
  });
});

t.test('a column with the name of an object property', async (t) => {
  const outcome = await db.run(
    'service.select_table',
    JSON.parse(
      `{"schema":"public","table":${JSON.stringify(odd)},"columns":["__proto__"],"filters":{"__proto__":"p"}}`,
    ) as Record<string, unknown>,
  );
  t.match(outcome, { json: /"rows":\[\{"__proto__":"p"\}\]/ });
});

t.test('page after page, each row once', async (t) => {
  const seen: unknown[] = [];
  let offset: number | undefined = 0;
  const counts = [];
  while (offset !== undefined) {
    const answer = await db.select('many', { order_by: ['n'], offset });
    seen.push(...answer.rows!.map(({ n }) => n));
    counts.push(answer.count);
    t.equal(answer.truncated === true, answer.next_offset !== undefined);
    offset = answer.next_offset;
  }
  t.strictSame(counts, [100, 100, 50]);
  t.strictSame(
    seen,
    Array.from({ length: 250 }, (_, i) => i + 1),
  );
});

for (const [limit, count] of [
  [1, 1],
  [99, 99],
  [100, 100],
  [101, 100],
  [1e300, 100],
  [undefined, 100],
] as const)
  t.test(`limit ${limit}`, async (t) => {
    const answer = await db.select('many', { limit });
    t.match(answer, { count, truncated: true, next_offset: count });
  });

t.test('a full last page is not marked as truncated', async (t) => {
  t.match(await db.select('many', { offset: 150 }), {
    count: 100,
    truncated: undefined,
    next_offset: undefined,
  });
  t.match(await db.select('many', { offset: 149 }), {
    count: 100,
    truncated: true,
    next_offset: 249,
  });
});
