/** Aggregations: groups, functions, conditions and order, for what the caller may read. */
import t from 'tap';
import {
  callOf,
  read,
  startToolDatabase,
  ToolDatabase,
  type Selected,
} from './arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `
    CREATE TABLE sale (id int PRIMARY KEY, status text, buyer int, total numeric(12,2), big int8, at timestamptz, day date,
      local timestamp, yes bool, j json, "odd ""name" int, span interval);
    INSERT INTO sale VALUES
      (1, 'paid', 1, 10.50, 9007199254740993, '2024-03-31 23:30Z', '2024-03-31', '2024-03-31 23:30', true, '{}', 7, '1 day'),
      (2, 'paid', 1, 20.00, 1, '2024-04-01 00:10Z', '2024-04-01', '2024-04-01 00:10', false, '{}', 7, '2 days'),
      (3, 'open', 2, NULL, 1, '2024-04-01 12:00Z', '2024-04-01', NULL, NULL, '{}', 8, NULL),
      (4, NULL, 3, 5, 1, NULL, NULL, NULL, NULL, NULL, 8, NULL);
    CREATE TABLE many AS SELECT i AS n, i % 3 AS part FROM generate_series(1, 250) i;
    CREATE TABLE none (a int);
    CREATE ROLE clerk; GRANT SELECT (id, status) ON sale TO clerk;
    CREATE TABLE own (who text, n int); ALTER TABLE own ENABLE ROW LEVEL SECURITY;
    CREATE POLICY mine ON own USING (who = current_user); GRANT SELECT ON own TO clerk;
    INSERT INTO own VALUES ('clerk', 1), ('clerk', 2), ('other', 5)`,
});

const aggregate = async (
  table: string,
  args: object,
  call = callOf(),
  tools: ToolDatabase = db,
): Promise<Selected> =>
  read(await tools.run('service.aggregate_table', { schema: 'public', table, ...args }, call));

for (const [what, args, rows] of [
  ['all rows', {}, [{ count: 4 }]],
  [
    'distinct values with counts, the most frequent first',
    { group_by: ['status'] },
    [
      { status: 'paid', count: 2 },
      { status: 'open', count: 1 },
      { status: null, count: 1 },
    ],
  ],
  ['a column as text', { group_by: 'status', limit: 1 }, [{ status: 'paid', count: 2 }]],
  [
    'two columns as text',
    { group_by: 'status,buyer', limit: 1 },
    [{ status: 'paid', buyer: 1, count: 2 }],
  ],
  [
    'several functions',
    {
      aggregates: [
        { function: 'count' },
        { function: 'count', column: 'total' },
        { function: 'count_distinct', column: 'buyer' },
        { function: 'sum', column: 'total' },
        { function: 'avg', column: 'total', as: 'mean' },
        { function: 'min', column: 'at' },
        { function: 'MAX', column: 'status' },
        { function: 'sum', column: 'span' },
      ],
    },
    [
      {
        count: 4,
        count_total: 3,
        count_distinct_buyer: 3,
        sum_total: 35.5,
        mean: 11.833333333333334,
        min_at: '2024-03-31T23:30:00+00:00',
        max_status: 'paid',
        sum_span: '3 days',
      },
    ],
  ],
  ['count as a word', { aggregates: ['count'] }, [{ count: 4 }]],
  [
    'a sum that a double does not hold',
    { aggregates: [{ function: 'sum', column: 'big' }] },
    [{ sum_big: '9007199254740996' }],
  ],
  [
    'a month',
    { group_by: [{ column: 'at', by: 'month' }] },
    [
      { at: '2024-03-01', count: 1 },
      { at: '2024-04-01', count: 2 },
      { at: null, count: 1 },
    ],
  ],
  [
    'one that is no list',
    { group_by: { column: 'day', by: 'year' } },
    [
      { day: '2024-01-01', count: 3 },
      { day: null, count: 1 },
    ],
  ],
  [
    'a month in a time zone',
    {
      group_by: [{ column: 'at', by: 'month', time_zone: 'Europe/Berlin', as: 'month' }],
      filters: { at: { not: null } },
    },
    [{ month: '2024-04-01', count: 3 }],
  ],
  [
    'an hour in a time zone',
    { group_by: [{ column: 'at', by: 'hour', time_zone: 'Asia/Kolkata' }], limit: 1 },
    [{ at: '2024-03-31T23:30:00+00:00', count: 2 }],
  ],
  [
    'an hour',
    { group_by: [{ column: 'local', by: 'hour' }], limit: 1 },
    [{ local: '2024-03-31T23:00:00', count: 1 }],
  ],
  [
    'a week and a quarter of a date',
    {
      group_by: [
        { column: 'day', by: 'week', as: 'w' },
        { column: 'day', by: 'quarter', as: 'q' },
      ],
      filters: { day: '2024-03-31' },
    },
    [{ w: '2024-03-25', q: '2024-01-01', count: 1 }],
  ],
  [
    'a day of a timestamp',
    { group_by: [{ column: 'local', by: 'day' }], limit: 1 },
    [{ local: '2024-03-31', count: 1 }],
  ],
  ['filters', { filters: { total: { '>': 5 } } }, [{ count: 2 }]],
  [
    'having',
    { group_by: ['status'], having: { count: { '>=': 2 } } },
    [{ status: 'paid', count: 2 }],
  ],
  [
    'having another function',
    {
      group_by: ['buyer'],
      aggregates: [{ function: 'sum', column: 'total' }],
      having: { sum_total: { '>': '5.00' } },
    },
    [{ buyer: 1, sum_total: 30.5 }],
  ],
  [
    'having a group',
    { group_by: ['status'], having: { status: { not: null } }, order_by: ['status'] },
    [
      { status: 'open', count: 1 },
      { status: 'paid', count: 2 },
    ],
  ],
  [
    'an order',
    { group_by: ['status'], order_by: '-status' },
    [
      { status: 'paid', count: 2 },
      { status: 'open', count: 1 },
      { status: null, count: 1 },
    ],
  ],
  [
    'an order with a word',
    { group_by: ['buyer'], order_by: 'count desc, buyer desc', limit: 2 },
    [
      { buyer: 1, count: 2 },
      { buyer: 3, count: 1 },
    ],
  ],
  [
    'names that need quotes',
    {
      group_by: ['odd "name'],
      aggregates: [{ function: 'count', as: '"; DROP TABLE sale; --' }],
      limit: 1,
    },
    [{ 'odd "name': 7, '"; DROP TABLE sale; --': 2 }],
  ],
  [
    'names of ours',
    {
      group_by: [{ column: 'status', as: 'g' }],
      aggregates: [{ function: 'count', as: 's' }],
      having: { s: 2 },
    },
    [{ g: 'paid', s: 2 }],
  ],
  [
    'lists as text',
    { group_by: '["buyer"]', aggregates: '[{"function": "count"}]', having: '{"count": 2}' },
    [{ buyer: 1, count: 2 }],
  ],
] as const)
  t.test(what, async (t) => {
    const { error, ...result } = await aggregate('sale', args);
    t.equal(error, undefined);
    t.strictSame(result.rows, rows);
  });

t.test('pages of groups', async (t) => {
  const first = await aggregate('many', { group_by: ['n'] });
  t.match(first, { count: 100, truncated: true, next_offset: 100, columns: ['n', 'count'] });
  const pages = [first];
  for (const offset of [100, 200]) pages.push(await aggregate('many', { group_by: ['n'], offset }));
  t.equal(new Set(pages.flatMap(({ rows }) => rows!.map(({ n }) => n))).size, 250);
  t.equal(pages[2]!.truncated, undefined);
  t.match(await aggregate('none', { group_by: ['a'] }), { rows: [], count: 0 });
  t.match(await aggregate('none', {}), { rows: [{ count: 0 }] });
});

t.test('a text with % gets a hint', async (t) => {
  t.match(await aggregate('sale', { filters: { status: 'pa%' } }), {
    rows: [{ count: 0 }],
    hint: /ilike/,
  });
  t.match(await aggregate('sale', { filters: { status: 'pa%' }, group_by: ['buyer'] }), {
    rows: [],
    hint: /ilike/,
  });
});

for (const [args, message] of [
  [{ group_by: ['nope'] }, /^unknown column: nope \(in group_by\)/],
  [{ group_by: [{ column: 'nope', by: 'day' }] }, /^unknown column: nope \(in group_by\[0\]\)/],
  [{ group_by: [{ by: 'day' }] }, 'group_by[0] needs a "column".'],
  [
    { group_by: [{ column: 'at', by: "day', now()) --" }] },
    /^group_by\[0\]: "by" must be one of hour, day, week/,
  ],
  [
    { group_by: [{ column: 'status', by: 'day' }] },
    /^group_by\[0\]: "by" is for columns of dates and timestamps; status is of the type text\./,
  ],
  [
    { group_by: [{ column: 'at', by: 'day', time_zone: '+02:00' }] },
    /^group_by\[0\]: "time_zone" must be the name/,
  ],
  [
    { group_by: [{ column: 'at', by: 'day', time_zone: "UTC'); DROP TABLE sale; --" }] },
    /"time_zone" must be the name/,
  ],
  [
    { group_by: [{ column: 'at', by: 'day', time_zone: 'Nowhere/Town' }] },
    /"time_zone" must be the name/,
  ],
  [
    { group_by: [{ column: 'day', by: 'day', time_zone: 'UTC' }] },
    /"time_zone" is for "by" with a column of the type/,
  ],
  [
    { group_by: [{ column: 'at', expression: 'now()' }] },
    /^group_by\[0\]: unknown: expression\. It takes column, by, time_zone, as\./,
  ],
  [{ group_by: [1] }, /^group_by\[0\] must be an object/],
  [{ group_by: ['status', 'status'] }, /^two columns of the result are called status/],
  [
    { group_by: [{ column: 'status', as: 'count' }] },
    /^two columns of the result are called count/,
  ],
  [{ group_by: [{ column: 'status', as: '' }] }, /"as" must be a name/],
  [{ group_by: [{ column: 'status', as: 'x'.repeat(64) }] }, /"as" must be a name/],
  [{ group_by: [{ column: 'status', as: 'a\0' }] }, /"as" must be a name/],
  [{ group_by: [{ column: 'status', as: 5 }] }, /^as must be a string/],
  [{ group_by: new Array<string>(11).fill('id') }, /^group_by holds 11 values/],
  [{ group_by: ['j'] }, /^a column has a type that cannot be compared\. .*: j \(json\)\.$/],
  [
    { aggregates: [{ function: 'string_agg', column: 'status' }] },
    /^aggregates\[0\]: "function" must be one of count, count_distinct/,
  ],
  [{ aggregates: [{ column: 'status' }] }, /^aggregates\[0\] needs a "function"/],
  [{ aggregates: [{ function: 'sum' }] }, 'aggregates[0] needs a "column".'],
  [
    { aggregates: [{ function: 'sum', column: 'nope' }] },
    /^unknown column: nope \(in aggregates\[0\]\)/,
  ],
  [
    { aggregates: [{ function: 'sum', column: 'status' }] },
    /^aggregates\[0\]: "sum" is for numbers; status is of the type text\./,
  ],
  [
    { aggregates: [{ function: 'sum', column: 'id) FROM sale; --' }] },
    /^unknown column: id\) FROM sale/,
  ],
  [
    { aggregates: [{ function: 'max', column: 'yes' }] },
    /^a column has a type that cannot be compared\. .*: yes \(boolean\)\.$/,
  ],
  [{ aggregates: { function: 'count' } }, /^aggregates must be a list/],
  [
    { aggregates: new Array<object>(31).fill({ function: 'count' }) },
    /^aggregates holds 31 values/,
  ],
  [{ having: { total: 1 } }, /^unknown column: total \(in having\)\. .*The columns are: count\./],
  [
    { having: { count: { like: '1' } } },
    /^having\.count: "like" is no operator for a column of type bigint/,
  ],
  [{ having: { count: 'x' } }, 'having.count: "x" is no value of its type, bigint.'],
  [{ order_by: ['id'] }, /^unknown column: id \(in order_by\)/],
  [{ order_by: ['count; DROP TABLE sale'] }, /^unknown column: count; DROP/],
  [{ limit: 0 }, /^limit must be/],
  [{ columns: ['id'] }, /^unknown argument: columns\. It takes database, schema, table, group_by/],
] as const)
  t.test(`refused: ${JSON.stringify(args).slice(0, 80)}`, async (t) => {
    const { error } = await aggregate('sale', args);
    if (typeof message === 'string') t.equal(error, message);
    else t.match(error, message);
  });

t.test('columns that a caller may not read do not exist', async (t) => {
  const clerk = callOf('clerk');
  t.match(await aggregate('sale', { group_by: ['status'], limit: 1 }, clerk), {
    rows: [{ count: 2 }],
  });
  for (const args of [
    { group_by: ['buyer'] },
    { group_by: [{ column: 'at', by: 'day' }] },
    { aggregates: [{ function: 'max', column: 'total' }] },
    { aggregates: [{ function: 'count_distinct', column: 'total', as: 'status' }] },
    { filters: { total: { '>': 0 } } },
    { having: { total: 1 } },
    { order_by: ['total'] },
  ])
    t.match(await aggregate('sale', args, clerk), {
      error: /^unknown column: (?:buyer|at|total) /,
    });
});

t.test('row-level security and read-only access hold', async (t) => {
  const sum = { aggregates: [{ function: 'sum', column: 'n' }] };
  t.match(await aggregate('own', sum, callOf('clerk')), { rows: [{ sum_n: 3 }] });
  t.match(await aggregate('sale', {}, callOf('nobody')), { error: 'permission denied' });
  t.match(await aggregate('missing', {}), { error: /^permission denied/ });
});
