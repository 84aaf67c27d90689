/** Each verb runs its own text of a script, and answers with what PostgreSQL said. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const postgres = await startPostgres(t, {
  setup: `CREATE TABLE item (id int PRIMARY KEY, name text);
          INSERT INTO item SELECT n, 'item ' || n FROM generate_series(1, 3) n`,
});
const service = await startService(t, {
  database: postgres.url,
  scripts: {
    'item/all.read.sql': 'SELECT id, name FROM item ORDER BY id',
    'item/one.read.sql': "SELECT 'read' AS verb",
    'item/one.write.sql': 'INSERT INTO item VALUES ({{sqlVal "id"}}, {{sqlVal "name"}})',
    'item/one.update.sql': 'UPDATE item SET name = {{sqlVal "name"}} WHERE id >= {{sqlVal "id"}}',
    'item/one.delete.sql': 'DELETE FROM item WHERE id = {{sqlVal "id"}}',
    'item/back.write.sql':
      "INSERT INTO item SELECT n, 'many' FROM generate_series(10, 12) n RETURNING id, name",
    'item/none.update.sql': 'UPDATE item SET name = name WHERE false RETURNING id, name',
    'item/bodies.write.sql': 'SELECT {{sqlVal "name"}}::text AS name, {{sqlVal "id"}}::text AS id',
    'item/table.write.sql': 'CREATE TABLE made (id int)',
    'item/nothing.read.sql': 'SELECT 1 WHERE false',
    'gelände/größe_1.read.sql': 'SELECT 1 AS größe',
  },
});

const REFUSED: readonly (readonly [
  method: string,
  target: string,
  status: number,
  allow: string,
])[] = [
  ['POST', 'item/all', 405, 'GET, HEAD, OPTIONS'],
  ['GET', 'item/back', 405, 'POST, OPTIONS'],
  ['HEAD', 'item/back', 405, 'POST, OPTIONS'],
  ['DELETE', 'item/none', 405, 'PUT, PATCH, OPTIONS'],
  ['PROPFIND', 'item/one', 405, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
  ['GET', 'item/nope', 404, ''],
  ['OPTIONS', 'item/nope', 404, ''],
];

t.test('a verb without a text', async (t) => {
  for (const [method, target, status, allow] of REFUSED) {
    const { headers, ...answer } = await service.ask(target, { method });
    t.equal(answer.status, status, `${method} ${target}`);
    t.equal(headers.get('allow') ?? '', allow);
    t.match(headers.get('content-type'), /^application\/json/);
  }
});

t.test('write, update, delete in turn', async (t) => {
  const steps: readonly (readonly [method: string, target: string, affected: number])[] = [
    ['POST', 'item/one?id=4&name=four', 1],
    ['PUT', 'item/one?id=3&name=put', 2],
    ['PATCH', 'item/one?id=4&name=patched', 1],
    ['DELETE', 'item/one?id=1', 1],
    ['DELETE', 'item/one?id=1', 0],
  ];
  for (const [method, target, affected] of steps) {
    const { status, text, headers } = await service.ask(target, { method });
    t.equal(status, 200);
    t.equal(text, `{"rows_affected":${affected}}`, `${method} ${target}`);
    t.match(headers.get('content-type'), /^application\/json/);
  }
  t.same(await service.rows('item/all'), [
    { id: 2, name: 'item 2' },
    { id: 3, name: 'put' },
    { id: 4, name: 'patched' },
  ]);
});

t.test('statements that return rows, and none', async (t) => {
  const { text } = await service.ask('item/back', { method: 'POST' });
  t.equal(
    text,
    '{"rows_affected":3,"rows":[{"id":10,"name":"many"},{"id":11,"name":"many"},{"id":12,"name":"many"}]}',
  );
  const none = await service.ask('item/none', { method: 'PATCH' });
  t.equal(none.text, '{"rows_affected":0,"rows":[]}');
  const table = await service.ask('item/table', { method: 'POST' });
  t.equal(table.text, '{"rows_affected":0}');
});

t.test('HEAD is GET without its body', async (t) => {
  const get = await service.ask('item/all');
  const head = await service.ask('item/all', { method: 'HEAD' });
  t.equal(head.status, 200);
  t.equal(head.text, '');
  t.equal(head.headers.get('content-length'), String(Buffer.byteLength(get.text)));
  const missing = await service.ask('item/nope', { method: 'HEAD' });
  t.same([missing.status, missing.text], [404, '']);
});

t.test('OPTIONS says what there is, and runs nothing', async (t) => {
  const before = await service.rows('item/all');
  const { status, text, headers } = await service.ask('item/one?id=2', { method: 'OPTIONS' });
  t.same([status, text], [204, '']);
  t.equal(headers.get('allow'), 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  t.same(await service.rows('item/all'), before);
});

for (const [type, body] of [
  ['application/json', '{"name":"from body","id":"7"}'],
  ['application/x-www-form-urlencoded', 'name=from+body&id=7'],
  ['text/plain', "'; DROP TABLE item; --"],
] as const)
  t.test(`a body of ${type} reaches no template`, async (t) => {
    const headers = { 'content-type': type };
    const { json } = await service.ask('item/bodies', { method: 'POST', headers, body });
    t.same(json, { rows_affected: 1, rows: [{ name: null, id: null }] });
  });

t.test('no row is an empty list', async (t) => {
  t.equal((await service.ask('item/nothing')).text, '[]');
});

t.test('the alias of the database, and names beyond ASCII', async (t) => {
  t.same(await service.rows('postgres/item/one'), [{ verb: 'read' }]);
  t.same(await service.rows('gel%C3%A4nde/gr%C3%B6%C3%9Fe_1'), [{ größe: 1 }]);
  t.equal(await service.error('elsewhere/item/one'), '400 unknown_database');
});

t.test('every answer carries a request id and forbids sniffing', async (t) => {
  for (const target of ['item/all', 'item/nope', 'item/a.b', '/nowhere', '/_health']) {
    const { headers } = await service.ask(target);
    t.match(headers.get('x-request-id'), /^[A-Za-z0-9._-]{1,128}$/, target);
    t.equal(headers.get('x-content-type-options'), 'nosniff', target);
  }
  const { headers } = await service.ask('item/all', { headers: { 'x-request-id': 'mine-1' } });
  t.equal(headers.get('x-request-id'), 'mine-1');
});

t.test('nothing but the scripts wrote', async (t) => {
  t.same(await postgres.sql('SELECT count(*)::int AS n FROM item'), [{ n: 6 }]);
});
