/** The head of a script over HTTP: its parameters, one row or value, status, header lines, time limit. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { requestLine } from '../support/request-line.js';
import { startService, type AskOptions } from '../support/service.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE TABLE item (id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text, made timestamptz, sizes int[]);
    INSERT INTO item (name, made, sizes) VALUES
      ('first', '2026-01-02 03:04:05Z', '{1,2}'), (E'a/b ä\\r\\nX: 1', NULL, NULL), (NULL, NULL, '{}');
    CREATE ROLE caller LOGIN PASSWORD 'caller';
    GRANT ALL ON item TO caller`,
});
const { host, port } = postgres;

const BY_ID = 'SELECT * FROM item WHERE id = ANY ({{sqlVal "id"}}::int[]) ORDER BY id';
const INSERT = 'INSERT INTO item (name) SELECT unnest({{sqlVal "name"}}::text[])';
const scripts = {
  'one/row.read.sql': `-- @one\n-- @param id integer[]\n${BY_ID}`,
  'one/hidden.read.sql': `{{/* @one */}}SELECT id FROM item WHERE id < {{sqlVal "below"}} -- all`,
  'one/hidden-list.read.sql': 'SELECT id FROM item WHERE id < {{sqlVal "below"}} -- all',
  'one/value.read.sql': `-- @scalar\nSELECT {{index . "what"}} FROM item WHERE id = ANY ('{1}')`,
  'one/many.read.sql': '-- @one\nSELECT generate_series(1, 1000000000000) AS i',
  'one/large.read.sql': '-- @one\nSELECT repeat(\'x\', {{sqlVal "n"}}::int) AS x',
  'one/with.read.sql': '-- @one\nWITH s AS (SELECT 1 AS a, 2 AS s) SELECT * FROM s;',
  'one/pair.read.sql': '-- @scalar\nSELECT id, name FROM item',
  'one/broken.read.sql': '-- @scalar\nSELECT 1,',
  'one/none.read.sql': '-- @scalar\nSELECT',
  'one/inner.read.sql': '-- @one\nSELECT (SELECT id FROM item) AS id',
  'one/add.write.sql': `-- @one\n-- @param name text[]\n${INSERT} RETURNING id, name, sizes`,
  'one/value.write.sql': `-- @scalar\n-- @param name text[]\n${INSERT} RETURNING name`,
  'one/pair.write.sql': `-- @scalar\n-- @param name text[]\n${INSERT} RETURNING name, id`,
  'one/sizes.write.sql': "-- @scalar\nINSERT INTO item (sizes) VALUES ('{3,4}') RETURNING sizes",
  'one/silent.write.sql': `-- @one\n-- @param name text[]\n${INSERT}`,
  'one/later.write.sql': '-- @one\nNOTIFY nobody',
  'head/created.write.sql': `-- @status 201\n-- @header Location: /v1/items/{id}?name={name}\n-- @param name text[]\n${INSERT} RETURNING id, name`,
  'head/created-one.write.sql': `-- @one\n-- @status 201\n-- @header Location: /v1/items/{id}\n-- @param name text[]\n${INSERT} RETURNING id`,
  'head/silent.write.sql': `-- @header X-Id: {id}\n-- @param name text[]\n${INSERT}`,
  'head/lacks.write.sql': `-- @header X-Id: {id}\n-- @param name text[]\n${INSERT} RETURNING name`,
  'head/literal.write.sql': `-- @status 202\n-- @header Cache-Control: max-age=60\n-- @param name text[]\n${INSERT}`,
  'head/list.read.sql': `-- @header X-Name: <{name}>\n-- @header X-Made: {made}\n-- @header X-Both: {id}/{name}\n-- @param id integer[]\n${BY_ID}`,
  'head/one.read.sql': `-- @one\n-- @header X-Id: {id}\n-- @param id integer[]\n${BY_ID}`,
  'head/value.read.sql': '-- @scalar\n-- @header X-Id: {id}\nSELECT 7 AS id',
  'head/lacks.read.sql': '-- @header X-Id: {idd}\nSELECT 7 AS id',
  'head/twice.read.sql': '-- @header X-Id: {id}\nSELECT 7 AS id, 8 AS id',
  'head/column.read.sql': '-- @header X-Id: {id}\nSELECT idd FROM item',
  'head/large.read.sql': '-- @header X-Id: {id}\nSELECT repeat(\'x\', {{sqlVal "n"}}::int) AS id',
  'head/old.read.sql': `-- @deprecated 2026-01-01 use head/new\n-- @status 203\nSELECT {{index . "what"}}`,
  'head/old-large.read.sql':
    '-- @deprecated\n-- @scalar\nSELECT repeat(\'x\', {{sqlVal "n"}}::int)',
  'head/gone.read.sql': '-- @status 204\nSELECT 1 AS a',
  'head/bad.read.sql': '-- About\n-- @status 404\nSELECT 1 AS a',
  'time/sleep.read.sql': '-- @timeout 300ms\nSELECT pg_sleep(30)',
  'time/sleep.write.sql': '-- @timeout 300ms\nSELECT pg_sleep(30)',
  'time/set.read.sql': "-- @timeout 10min\n-- @scalar\nSELECT current_setting('statement_timeout')",
  'time/other.read.sql': "-- @scalar\nSELECT current_setting('statement_timeout')",
};
const service = await startService(t, {
  database: `postgres://caller:caller@${host}:${port}/postgres`,
  scripts,
  config: { 'pg.statement_timeout': '20s', 'pg.max_result': '1MiB' },
});

const POST: AskOptions = { method: 'POST' };

/** Requests with what they answer: a status and a code or a body. */
async function answers(
  t: { equal(found: unknown, wanted: unknown, name: string): unknown },
  cases: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [request, wanted] of Object.entries(cases)) {
    const { method, target } = requestLine(request);
    const { status, text, json } = await service.ask(target, { method });
    const code = (json as { code?: string } | undefined)?.code;
    t.equal(`${status} ${code ?? text}`.trim(), wanted, request);
  }
}

t.test('one row', async (t) => {
  await answers(t, {
    'one/row?id=99': '404 row_not_found',
    'one/row?id=1&id=2': '500 more_than_one_row',
    'one/row?id=1': '200 {"id":1,"name":"first","made":"2026-01-02T03:04:05+00:00","sizes":[1,2]}',
    'HEAD one/row?id=1': '200',
    'HEAD one/row?id=99': '404',
    'one/hidden?below=2': '200 {"id":1}',
    'one/hidden-list?below=2': '200 [{"id":1}]',
    'one/with': '200 {"a":1,"s":2}',
    'one/inner': '500 21000',
    'one/large?n=1100000': '500 result_too_large',
    'one/row?id=1&_renderer=xml':
      '200 <objects><doc><id>1</id><name>first</name><made>2026-01-02T03:04:05+00:00</made><sizes>1</sizes><sizes>2</sizes></doc></objects>',
    'one/row?id=99&_renderer=xml':
      '404 <objects><error>row not found</error><code>row_not_found</code></objects>',
  });
  const large = await service.ask('one/large?n=100000');
  t.equal(large.text, `{"x":"${'x'.repeat(100_000)}"}`);
});

t.test('several rows are not fetched', async (t) => {
  await answers(t, { 'one/many': '500 more_than_one_row' });
});

t.test('one value', async (t) => {
  await answers(t, {
    'one/pair': '500 more_than_one_column',
    'one/value?what=name': '200 "first"',
    'one/value?what=id': '200 1',
    'one/value?what=sizes': '200 [1,2]',
    'one/value?what=made': '200 "2026-01-02T03:04:05+00:00"',
    'one/value?what=null': '200 null',
    'one/broken': '500 42601',
    'one/none': '500 more_than_one_column',
    'one/value?what=id&_renderer=xml': '200 <objects><doc>1</doc></objects>',
  });
});

t.test('one row of a change', async (t) => {
  await answers(t, {
    'POST one/silent?name=x': '500 no_rows_returned',
    'POST one/later': '500 no_rows_returned',
    'POST one/add': '404 row_not_found',
    'POST one/pair?name=x': '500 more_than_one_column',
    'POST one/add?name=x&name=y': '500 more_than_one_row',
    'POST one/value?name=x%22': '200 "x\\""',
    'POST one/sizes': '200 [3,4]',
  });
  const { status, json } = await service.ask('one/add?name=new', POST);
  t.match({ status, json }, { status: 200, json: { name: 'new', sizes: null } });
});

t.test('header lines', async (t) => {
  await answers(t, {
    'POST head/silent?name=x': '500 no_rows_returned',
    'POST head/lacks?name=x': '500 missing_column',
    'head/lacks': '500 missing_column',
    'head/twice': '500 missing_column',
    'head/column': '500 42703',
    'head/large?n=9000': '500 result_too_large',
    'head/large?n=1100000': '500 result_too_large',
  });
  const lacks = await service.ask('head/lacks');
  t.match(lacks.json, { error: /the column idd, but its statement returns no such column/ });
  await service.line(({ msg }) => msg.includes('the column idd'));
  const created = await service.ask('head/created?name=a%2Fb', POST);
  t.equal(created.status, 201);
  const [{ id }] = (created.json as { rows: [{ id: number }] }).rows;
  t.equal(created.headers.get('location'), `/v1/items/${id}?name=a%2Fb`);
  const one = await service.ask('head/created-one?name=x', POST);
  t.equal(one.headers.get('location'), `/v1/items/${(one.json as { id: number }).id}`);
  const none = await service.ask('head/created', POST);
  t.match({ ...none, location: none.headers.get('location') }, { status: 201, location: null });
  const literal = await service.ask('head/literal?name=x', POST);
  t.equal(literal.status, 202);
  t.equal(literal.headers.get('cache-control'), 'max-age=60');
  const list = await service.ask('head/list?id=2&id=1&id=3');
  t.equal((list.json as unknown[]).length, 3);
  t.equal(list.headers.get('x-name'), '<first>');
  t.match(list.headers.get('x-made'), /^2026-01-02%20/);
  t.equal(list.headers.get('x-both'), '1/first');
  const odd = await service.ask('head/list?id=2');
  t.equal(odd.headers.get('x-name'), '<a%2Fb%20%C3%A4%0D%0AX%3A%201>');
  t.equal(odd.headers.get('x-made'), null);
  const empty = await service.ask('head/list?id=99');
  t.equal(empty.text, '[]');
  t.equal(empty.headers.get('x-name'), null);
  t.equal((await service.ask('head/one?id=3')).headers.get('x-id'), '3');
  t.match(await service.error('head/one?id=99'), '404 row_not_found');
  t.match(await service.error('head/one?id=1&id=2'), '500 more_than_one_row');
  const value = await service.ask('head/value');
  t.equal(`${value.text} ${value.headers.get('x-id')}`, '7 7');
  t.equal((await service.ask('head/large?n=8000')).headers.get('x-id')?.length, 8000);
});

t.test('status and deprecation', async (t) => {
  await answers(t, { 'head/bad': '400 script_not_usable', 'head/gone': '204' });
  const line = await service.line(({ msg }) => msg.startsWith('line 2: @status'));
  t.equal(line['position'], 'head/bad:2');
  const old = await service.ask('head/old?what=1');
  t.equal(`${old.status} ${old.headers.get('deprecation')}`, '203 @1767225600');
  for (const n of [10, 20_000, 200_000]) {
    const { text, headers } = await service.ask(`head/old-large?n=${n}`);
    t.equal(text, JSON.stringify('x'.repeat(n)));
    t.equal(headers.get('deprecation'), 'true');
  }
  const failed = await service.ask('head/old?what=nope');
  t.equal(`${failed.status} ${failed.headers.get('deprecation')}`, '400 @1767225600');
});

t.test('time limit', async (t) => {
  await answers(t, {
    'time/sleep': '504 timeout',
    'POST time/sleep': '504 timeout',
    'time/set': '200 "20s"',
    'time/other': '200 "20s"',
  });
});
