/** Scripts as tools: entries, arguments, results. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { callWith } from '../tested-call.js';
import { callOf, TestedScripts } from '../tested-scripts.js';

const postgres = await startPostgres(t, {
  setup: `CREATE TABLE items (id int PRIMARY KEY, name text, price numeric, tags text[]);
    INSERT INTO items SELECT i, 'item ' || i, i * 1.5, ARRAY['t' || i % 3] FROM generate_series(1, 250) i;`,
});

const TEXTS = {
  'shop/one': '-- One item.\nSELECT id, name FROM items WHERE id = {{sqlVal "id"}}::int;\n-- end',
  'shop/some': 'SELECT id FROM items WHERE id IN {{sqlList "id"}} ORDER BY id',
  'shop/codes': 'SELECT id FROM items WHERE name IN {{inFormat "name"}} ORDER BY id',
  'shop/tagged':
    'SELECT count(*) FROM items WHERE tags && {{sqlVal "tags"}}::text[] AND id < {{sqlVal "below"}}::bigint',
  'shop/filtered': `/*
     * Items, filtered.
     */
    SELECT id FROM items WHERE true
    {{if isSet "name"}}AND name = {{sqlVal "name"}}{{end}}
    {{if isSet "above"}}AND price > {{sqlVal "above"}}::numeric{{end}}
    ORDER BY {{if isSet "column"}}{{ident "column"}}{{else}}id{{end}}{{if isSet "down"}} DESC{{end}}
    {{limitOffset ._page ._page_size}}`,
  'shop/top': 'SELECT id FROM items ORDER BY id LIMIT {{defaultOrValue "n" "3"}}::int',
  'shop/named':
    'SELECT id FROM items WHERE name = \'{{.name}}\' AND price > {{sqlVal "over"}}::money::numeric',
  'shop/by':
    'SELECT id FROM items ORDER BY {{if eq (defaultOrValue "by" "id") "name"}}name DESC{{else}}id{{end}} LIMIT 1',
  'shop/all': 'SELECT id FROM items ORDER BY id DESC',
  'shop/hundred': 'SELECT id FROM items WHERE id <= 100 ORDER BY id',
  'shop/none': 'SELECT id FROM items WHERE false',
  'shop/wide': "SELECT repeat('x', 30000) AS x FROM items",
  'shop/types':
    "SELECT 9007199254740993::bigint AS b, 1.50::numeric AS n, NULL AS z, '{\"a\": 1}'::jsonb AS j, ARRAY[1,2] AS a, 'ü\"' AS t",
  'shop/any':
    'SELECT {{range $k, $v := .}}{{if ne $k "header"}}{{if ne $k "_page"}}{{if ne $k "_page_size"}}{{sqlVal $k}} AS {{$k}}, {{end}}{{end}}{{end}}{{end}}1 AS last',
  'shop/caller':
    'SELECT {{sqlVal "header.X-Tenant"}} AS tenant, {{sqlVal "claims.sub"}} AS sub, {{sqlVal "header.Authorization"}} AS secret',
  'shop/slow': 'SELECT pg_sleep(5)',
  'shop/raises': 'SELECT raise_it()',
  'shop/denied': 'SELECT * FROM nowhere',
  'shop/empty': '-- nothing\n',
  'shop/broken': 'SELECT {{if}}',
  'shop/odd-required': 'SELECT {{sqlVal "a b"}}',
  'shop/odd-optional': 'SELECT 1{{if isSet "a b"}}{{sqlVal "a b"}}{{end}}',
  'shop/too-many': Array.from({ length: 101 }, (_, i) => `{{sqlVal "p${i}"}}`).join(),
  'shop/new.write.sql': 'INSERT INTO items VALUES (0)',
  'Größe/x': 'SELECT 1',
};

t.test('entries', async (t) => {
  const scripts = new TestedScripts(t, postgres, { texts: TEXTS });
  t.equal(
    await scripts.names(),
    'all any by caller codes denied empty filtered hundred named none odd-optional one raises slow some tagged top types wide'
      .split(' ')
      .map((name) => `main.shop.${name}`)
      .join(' '),
    'only what can be used, by path',
  );
  t.same(await scripts.entry('shop/one'), {
    name: 'service.script.main.shop.one',
    title: 'shop/one',
    description: 'One item. Database: main. At most 100 rows.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  });
  const filtered = await scripts.entry('shop/filtered');
  t.equal(
    filtered.description,
    'Items, filtered. Database: main. At most 100 rows; _page gives the next ones.',
  );
  t.same(filtered.inputSchema, {
    type: 'object',
    properties: {
      name: { type: 'string' },
      above: { anyOf: [{ type: 'number' }, { type: 'string' }] },
      column: {
        type: 'string',
        pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})*$',
      },
      down: { type: 'boolean', description: 'Whether it is set.' },
      _page: { type: 'integer', description: 'The page, from 1 on.', default: 1 },
      _page_size: { type: 'integer', description: 'Rows of a page.', default: 10 },
    },
    additionalProperties: false,
  });
  const plain = 'Letters, digits, spaces and _ . : @ / \\ - only.';
  t.same((await scripts.entry('shop/codes')).inputSchema.properties, {
    name: { type: 'array', items: { type: 'string' }, minItems: 1, description: plain },
  });
  t.same((await scripts.entry('shop/top')).inputSchema, {
    type: 'object',
    properties: { n: { type: 'integer', default: 3 } },
    additionalProperties: false,
  });
  t.same((await scripts.entry('shop/named')).inputSchema.properties, {
    name: { type: 'string', description: plain },
    over: { type: 'string', description: 'Of the SQL type money.' },
  });
  t.same((await scripts.entry('shop/by')).inputSchema.properties, {
    by: { type: 'string', default: 'id', description: 'Known values: "id", "name".' },
  });
  const all = await scripts.entry('shop/all');
  t.equal(all.description, 'Runs the script shop/all. Database: main. At most 100 rows.');
  t.same(all.inputSchema, { type: 'object', properties: {}, additionalProperties: false });
  t.notOk('additionalProperties' in (await scripts.entry('shop/any')).inputSchema);
  t.same((await scripts.entry('shop/caller')).inputSchema.properties, {}, 'nothing of HTTP');
  t.same((await scripts.entry('shop/odd-optional')).inputSchema.properties, {});
  const warned = scripts.logged.filter(({ msg }) =>
    msg.startsWith('some scripts are not MCP tools'),
  );
  t.same(
    warned.map(({ alias, scripts }) => [alias, scripts]),
    [['main', 3]],
    'said once how many are left out',
  );
  const broken = scripts.logged.filter(({ script }) => script === 'shop/broken');
  t.same(
    broken.map(({ position }) => position),
    ['shop/broken:1:12'],
  );
});

t.test('schemas use only what all clients accept: one type each, no formats', async (t) => {
  const casts = ['bigint', 'numeric', 'date', 'uuid', 'boolean', 'float8'];
  const typed = casts.map((type) => `{{sqlVal "${type}"}}::${type}`).join(', ');
  const scripts = new TestedScripts(t, postgres, {
    texts: { 'shop/typed': `SELECT ${typed}`, 'shop/ids': 'SELECT {{sqlVal "id"}}::int8 AS id' },
  });
  t.same((await scripts.entry('shop/typed')).inputSchema.properties, {
    bigint: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    numeric: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    date: { type: 'string', description: 'Of the SQL type date.' },
    uuid: { type: 'string', description: 'Of the SQL type uuid.' },
    boolean: { type: 'boolean' },
    float8: { type: 'number' },
  });
  t.equal(await scripts.run('shop/ids', { id: '9' }), '{"rows":[{"id":9}],"count":1}');
  t.match(await scripts.run('shop/ids', { id: '1.5' }), /^error: id must be a whole number/);
});

const rows = (...ids: number[]) =>
  `{"rows":[${ids.map((id) => `{"id":${id}}`).join(',')}],"count":${ids.length}}`;

const given: [script: string, args: Record<string, unknown>, expected: string][] = [
  ['shop/one', { id: 7 }, '{"rows":[{"id":7,"name":"item 7"}],"count":1}'],
  ['shop/one', { id: '7' }, '{"rows":[{"id":7,"name":"item 7"}],"count":1}'],
  ['shop/one', { id: -7 }, '{"rows":[],"count":0}'],
  ['shop/some', { id: [3, '1'] }, rows(1, 3)],
  ['shop/some', { id: 3 }, rows(3)],
  ['shop/codes', { name: ['item 2', 'item 5'] }, rows(2, 5)],
  ['shop/tagged', { tags: ['t1', 'a"b,c}'], below: 9 }, '{"rows":[{"count":3}],"count":1}'],
  ['shop/tagged', { tags: 't1', below: '9' }, '{"rows":[{"count":3}],"count":1}'],
  ['shop/filtered', {}, rows(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)],
  ['shop/filtered', { _page: 3, _page_size: 2 }, rows(5, 6)],
  ['shop/filtered', { name: null, above: null, _page_size: 1 }, rows(1)],
  ['shop/filtered', { name: "item 5' OR true --" }, rows()],
  ['shop/filtered', { name: '' }, rows()],
  ['shop/filtered', { above: 372.5 }, rows(249, 250)],
  ['shop/filtered', { column: 'price', down: true, _page_size: 2 }, rows(250, 249)],
  ['shop/filtered', { down: false, _page_size: 1 }, rows(1)],
  ['shop/top', {}, rows(1, 2, 3)],
  ['shop/top', { n: 1 }, rows(1)],
  ['shop/none', {}, rows()],
  ['shop/by', {}, rows(1)],
  ['shop/by', { by: 'name' }, rows(99)],
  ['shop/named', { name: 'item 3', over: 1 }, rows(3)],
  ['shop/any', { a: 1, b: 'x' }, '{"rows":[{"a":"1","b":"x","last":1}],"count":1}'],
  [
    'shop/types',
    {},
    '{"rows":[{"b":"9007199254740993","n":1.50,"z":null,"j":{"a": 1},"a":[1,2],"t":"ü\\""}],"count":1}',
  ],
];

const refused: [script: string, args: Record<string, unknown>, expected: string | RegExp][] = [
  ['shop/one', {}, 'missing: id. The script needs it.'],
  ['shop/one', { id: null }, 'missing: id. The script needs it.'],
  ['shop/one', { id: 1, ID: 2 }, 'unknown argument: ID. It takes id.'],
  ['shop/one', { id: 1, header: 'x' }, 'unknown argument: header. It takes id.'],
  ['shop/any', { 'claims.sub': 'x' }, /^unknown argument: claims.sub/],
  ['shop/any', { a: { b: 1 } }, 'a takes text, numbers and booleans, not an object.'],
  [
    'shop/all',
    JSON.parse('{"__proto__":1}') as object as Record<string, unknown>,
    'unknown argument: __proto__. It takes none.',
  ],
  ['shop/one', { id: [1] }, 'id takes one value, not a list.'],
  ['shop/one', { id: { a: 1 } }, 'id takes text, numbers and booleans, not an object.'],
  ['shop/one', { id: 9007199254740993 }, 'id is too large for a JSON number: send it as a string.'],
  ['shop/one', { id: 'a\0b' }, /^id has a character that no text can have/],
  ['shop/one', { id: '\ud800' }, /^id has a character that no text can have/],
  ['shop/one', { id: 'seven' }, 'id must be a whole number, not "seven".'],
  ['shop/one', { id: 1.5 }, 'id must be a whole number, not 1.5.'],
  [
    'shop/tagged',
    { tags: [], below: 1 },
    'tags must hold a value at least; leave it out for none.',
  ],
  ['shop/filtered', { above: 'much' }, 'the value of above is not valid for its type.'],
  ['shop/some', { id: [] }, 'id must hold a value at least; leave it out for none.'],
  ['shop/some', { id: [1, [2]] }, 'id takes text, numbers and booleans, not a list.'],
  [
    'shop/some',
    { id: Array(1001).fill(1) },
    '1001 values were sent; 1000 are allowed at one time.',
  ],
  ['shop/filtered', { _page: '1e3' }, '_page must be a whole number, not "1e3".'],
  ['shop/filtered', { _page: 1.5 }, '_page must be a whole number, not 1.5.'],
  ['shop/filtered', { column: 'id; DROP TABLE items' }, /^column must be a name of letters/],
  [
    'shop/filtered',
    { column: 'nothing' },
    /^invalid value for parameter column: PostgreSQL does not/,
  ],
  [
    'shop/codes',
    { name: ["x') OR true --"] },
    /^invalid value for parameter name: it contains SQL/,
  ],
  ['shop/top', { n: 'select x' }, 'n must be a whole number, not "select x".'],
  [
    'shop/named',
    { name: 'select x', over: 1 },
    /^invalid value for parameter name: .* This script takes letters/,
  ],
  ['shop/named', { name: 'x', over: 'x' }, 'the value of over is not valid for its type.'],
  ['shop/denied', {}, /^the script cannot be run as a tool/],
  ['shop/empty', {}, 'could not parse script shop/empty, check your service logs'],
];

t.test('results', async (t) => {
  const scripts = new TestedScripts(t, postgres, { texts: TEXTS });
  for (const [script, args, expected] of given)
    t.equal(await scripts.run(script, args), expected, `${script} ${JSON.stringify(args)}`);
  for (const name of [
    'shop/broken',
    'shop/odd-required',
    'shop/too-many',
    'shop/new',
    'shop/nothing',
    'other/shop/one',
    'one',
  ])
    t.equal(await scripts.run(name), 'unknown tool', name);
  t.equal(await scripts.tools.run({} as never, 'service.list_tables', {}), undefined);
});

t.test('rows that do not fit', async (t) => {
  const scripts = new TestedScripts(t, postgres, { texts: TEXTS, settings: { maxResult: 20_000 } });
  const { rows, count, truncated, notice } = JSON.parse(await scripts.run('shop/wide')) as {
    rows: { x: string }[];
    count: number;
    truncated: boolean;
    notice: string;
  };
  t.equal(rows[0]!.x, `${'x'.repeat(200)}… (cut, 30000 characters)`);
  t.ok(count === rows.length && count > 50 && truncated);
  t.match(notice, /^Values longer than 200 characters are cut\. There are more rows\./);
});

t.test('rejected arguments', async (t) => {
  const scripts = new TestedScripts(t, postgres, { texts: TEXTS });
  for (const [script, args, expected] of refused) {
    const text = await scripts.run(script, args);
    const label = `${script} ${JSON.stringify(args).slice(0, 60)}`;
    if (typeof expected === 'string') t.equal(text, `error: ${expected}`, label);
    else t.match(text.slice('error: '.length), expected, label);
  }
  t.equal(
    await scripts.run('shop/one', { id: 1 }),
    given[0]![2].replaceAll('7', '1'),
    'and then runs',
  );
});

t.test('more rows than a result may have', async (t) => {
  const scripts = new TestedScripts(t, postgres, { texts: TEXTS });
  const answer = JSON.parse(await scripts.run('shop/all')) as Record<string, unknown>;
  t.equal(answer['count'], 100);
  t.equal((answer['rows'] as unknown[]).length, 100);
  t.same((answer['rows'] as unknown[])[99], { id: 151 });
  t.equal(answer['truncated'], true);
  t.match(answer['notice'], /^There are more rows/);
  t.notMatch(await scripts.run('shop/hundred'), /truncated/);
});

t.test('headers and claims', async (t) => {
  const caller = { headers: 'x-tenant\nt1\nauthorization\nBearer x', claims: '{"sub":"ann"}' };
  const off = new TestedScripts(t, postgres, { texts: TEXTS });
  t.equal(
    await off.run('shop/caller', {}, caller),
    '{"rows":[{"tenant":"t1","sub":null,"secret":""}],"count":1}',
  );
  const on = new TestedScripts(t, postgres, { texts: TEXTS, claims: true });
  t.equal(
    await on.run('shop/caller', {}, caller),
    '{"rows":[{"tenant":"t1","sub":"ann","secret":""}],"count":1}',
  );
});

t.test('time and raised messages', async (t) => {
  await postgres.sql(`CREATE FUNCTION raise_it() RETURNS int LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'the shop is closed'; END $$`);
  const told = new TestedScripts(t, postgres, { texts: TEXTS });
  t.equal(await told.run('shop/raises'), 'error: the shop is closed');
  const brief = new TestedScripts(t, postgres, { texts: TEXTS, statementTimeout: 200 });
  t.match(await brief.run('shop/slow'), /^error: the script took too long/);
  const hidden = new TestedScripts(t, postgres, { texts: TEXTS, raised: false });
  t.equal(await hidden.run('shop/raises'), 'error: could not execute sql, check your service logs');
  await hidden.run('shop/filtered', { above: 'much' });
  const { msg, state, position } = hidden.logged.at(-1)!;
  t.same([msg, state, position], ['invalid input syntax for type numeric: …', '22P02', undefined]);
  await hidden.run('shop/denied');
  t.equal(hidden.logged.at(-1)!['position'], 'shop/denied:1:15');
});

t.test('plain names, several databases', async (t) => {
  const texts = {
    'shop/a-b': 'SELECT 1 AS one',
    'shop/a_b': 'SELECT 2 AS two',
    'a_b/c': 'SELECT 3 AS three',
    'a/b_c': 'SELECT 4 AS four',
  };
  const settings = { toolNames: 'plain' as const };
  const scripts = new TestedScripts(t, postgres, { texts, settings, aliases: ['main', 'b.c'] });
  const plain = callWith({}, false, 'plain');
  const names = (await scripts.tools.list(plain)).map(({ name }) => name);
  t.match(names, [
    'script_main_a_b_c',
    /^script_main_a_b_c_[0-9a-f]{8}$/,
    'script_main_shop_a-b',
    'script_main_shop_a_b',
    /^script_b_c_a_b_c_[0-9a-f]{8}$/,
    /^script_b_c_a_b_c_[0-9a-f]{8}$/,
    /^script_b_c_shop_a-b_[0-9a-f]{8}$/,
    /^script_b_c_shop_a_b_[0-9a-f]{8}$/,
  ]);
  t.equal(new Set(names).size, 8);
  const [, three] = names;
  for (const call of [plain, callOf()])
    t.same(await scripts.tools.run(call, three!, {}), { json: '{"rows":[{"three":3}],"count":1}' });
  t.same(await scripts.tools.run(plain, 'service.script.main.a.b_c', {}), {
    json: '{"rows":[{"four":4}],"count":1}',
  });
  t.strictSame(scripts.logged, []);
});
