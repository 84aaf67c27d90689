/** Paths that scripts declare with `-- @path`, over real sockets: values, methods, conflicts, edits while serving. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { live } from '../support/everywhere.js';
import { startPostgres } from '../support/postgres.js';
import { requestBytes, sendRaw } from '../support/raw-http.js';
import { startService, type Service } from '../support/service.js';
import { until } from '../support/until.js';

const one = (...paths: string[]): string =>
  `${paths.map((declared) => `-- @path ${declared}\n`).join('')}SELECT {{sqlVal "id"}}::text AS id`;

const postgres = await startPostgres(t);
const service = await startService(t, {
  database: postgres.url,
  config: { 'http.processes': 2, 'cors.alloworigin': ['https://shop.example'] },
  scripts: {
    'shop/orders.read.sql': `-- @path /v1/orders\nSELECT 'list' AS what, {{sqlVal "page"}}::text AS page`,
    'shop/orders.write.sql': `-- @path /v1/orders\nSELECT {{sqlVal "name"}}::text AS name`,
    'shop/order.read.sql': one('/v1/orders/{id}', '/v2/orders/{id}', '/größe/{id}'),
    'shop/order.update.sql': `-- @path PATCH /v1/orders/{id}\nSELECT 'patched' AS what`,
    'shop/removed.delete.sql': `-- @path /v1/orders/{number}\nSELECT {{sqlVal "number"}}::text AS number`,
    'shop/search.read.sql': `-- @path /v1/orders/search\nSELECT 'search' AS what`,
    'shop/line.read.sql': `-- @path /v1/orders/{id}/lines/{line}\nSELECT {{sqlVal "id"}}::text || {{sqlVal "line"}} AS line`,
    'shop/sent.read.sql': `-- @path /v1/sent/{word}\nSELECT '{{.word}}' AS word, '{{isSet "word"}}' AS sent`,
    'shop/broken.read.sql': '-- @path /v1/broken\nSELECT {{if}}',
    'shop/a.read.sql': one('/v1/twice/{id}', '/v1/a/{id}'),
    'shop/b.read.sql': one('/v1/twice/{key}', '/v1/b/{id}'),
    'shop/b.write.sql': one('/v1/twice/{id}'),
  },
});

const REJECTED: readonly (readonly [method: string, target: string, error: string])[] = [
  ['GET', '/v1', '404 not_found'],
  ['GET', '/v1/orders/1/lines', '404 not_found'],
  ['GET', '/V1/orders', '404 not_found'],
  ['GET', '/v3/orders', '404 not_found'],
  ['GET', '/v1/broken', '500 script_broken'],
  ['GET', '/_QUERIES/shop/broken', '400 script_not_usable'],
  ['GET', '/v1/orders/%', '400 invalid_path'],
  ['GET', '/v1/orders/%ff', '400 invalid_path'],
  ['GET', '/v1/orders/a%00', '400 invalid_path'],
  ['GET', '/v1/orders/7?a=%ff', '400 invalid_query_string'],
  ['GET', '/v1/sent/a%27b', '400 invalid_value'],
  ['GET', '/v1/sent/1%20or%202', '400 invalid_value'],
  // declared by two scripts
  ['GET', '/v1/twice/1', '404 not_found'],
  ['HEAD', '/v1/twice/1', '404'],
];

t.test('what is rejected', async (t) => {
  for (const [method, target, error] of REJECTED)
    t.equal(await service.error(target, { method }), error, `${method} ${target}`);
  for (const [target, status] of [
    ['/v1/orders/%2e%2e', 400],
    ['/v1/orders/../x', 400],
    ['/v1/orders/\xff', 400],
    ['/v1/orders/', 301],
    ['/v1//orders', 301],
  ] as const)
    t.equal((await sendRaw(service.port, requestBytes('GET', target))).status, status, target);
});

const ROWS: readonly (readonly [method: string, target: string, rows: unknown])[] = [
  ['GET', '/v1/orders', [{ what: 'list', page: null }]],
  ['GET', '/v1/orders?page=2', [{ what: 'list', page: '2' }]],
  ['GET', '/v1/orders/7', [{ id: '7' }]],
  ['GET', '/v2/orders/7', [{ id: '7' }]],
  ['GET', '/gr%C3%B6%C3%9Fe/7', [{ id: '7' }]],
  ['GET', '/v1/orders/search', [{ what: 'search' }]],
  ['GET', '/v1/orders/a/lines/b', [{ line: 'ab' }]],
  ['GET', '/v1/a/1', [{ id: '1' }]],
  ['GET', '/v1/b/1', [{ id: '1' }]],
  // a query string overwrites nothing
  ['GET', '/v1/orders/7?id=8', [{ id: '7' }]],
  ['GET', '/v1/orders/7?id=8&id=9', [{ id: '7' }]],
  ['GET', '/v1/orders/7?%69d=8', [{ id: '7' }]],
  ['GET', '/_QUERIES/shop/order?id=8', [{ id: '8' }]],
  // values
  ['GET', '/v1/orders/a%2Fb', [{ id: 'a/b' }]],
  ['GET', '/v1/orders/%C3%BC%20%F0%9F%98%80', [{ id: 'ü 😀' }]],
  ['GET', '/v1/orders/ü', [{ id: 'ü' }]],
  ['GET', '/v1/orders/a+b', [{ id: 'a+b' }]],
  ['GET', '/v1/orders/a&id=9', [{ id: 'a&id=9' }]],
  ['GET', '/v1/orders/7&_renderer=xml', [{ id: '7&_renderer=xml' }]],
  ['GET', "/v1/orders/'%20or%201=1--", [{ id: "' or 1=1--" }]],
  ['GET', `/v1/orders/${'9'.repeat(10_000)}`, [{ id: '9'.repeat(10_000) }]],
  ['GET', '/v1/sent/word', [{ word: 'word', sent: 'true' }]],
];

t.test('rows', async (t) => {
  for (const [method, target, rows] of ROWS)
    t.same(await service.rows(target, { method }), rows, `${method} ${target.slice(0, 40)}`);
  t.match(await service.ask('/v1/orders/7?_renderer=xml'), { status: 200, text: /^<objects>/ });
});

t.test('methods', async (t) => {
  t.match(await service.ask('/v1/orders?name=x', { method: 'POST', body: 'ignored' }), {
    status: 200,
    json: { rows: [{ name: 'x' }] },
  });
  t.match(await service.ask('/v1/orders/7', { method: 'DELETE' }), {
    json: { rows: [{ number: '7' }] },
  });
  t.match(await service.ask('/v1/orders/7', { method: 'PATCH' }), { status: 200 });
  const head = await service.ask('/v1/orders/7', { method: 'HEAD' });
  t.same([head.status, head.text, head.headers.get('content-length')], [200, '', '12']);
  const allowed = async (method: string, target: string): Promise<string> => {
    const { status, headers } = await service.ask(target, { method });
    return `${status} ${headers.get('allow')}`;
  };
  t.equal(await allowed('OPTIONS', '/v1/orders'), '204 GET, HEAD, POST, OPTIONS');
  t.equal(await allowed('OPTIONS', '/v1/orders/7'), '204 GET, HEAD, PATCH, DELETE, OPTIONS');
  t.equal(await allowed('PUT', '/v1/orders/7'), '405 GET, HEAD, PATCH, DELETE, OPTIONS');
  t.equal(await allowed('PROPFIND', '/v1/orders'), '405 GET, HEAD, POST, OPTIONS');
  t.equal(await allowed('GET', '/v1/orders/search'), '200 null');
  t.equal(await allowed('DELETE', '/v1/orders/search'), '200 null');
  t.equal(await allowed('OPTIONS', '/v1/twice/1'), '204 POST, OPTIONS');
  t.equal(await allowed('POST', '/v1/twice/1'), '200 null');
});

t.test('web pages of other origins', async (t) => {
  const ask = (origin: string, method: string, more = {}): Promise<unknown> =>
    service
      .ask('/v1/orders', { method, headers: { origin, ...more } })
      .then(({ status, headers }) => [status, headers.get('access-control-allow-origin')]);
  t.same(await ask('https://shop.example', 'POST'), [200, 'https://shop.example']);
  t.same(await ask('https://evil.example', 'POST'), [403, null]);
  t.same(await ask('https://evil.example', 'GET'), [200, null]);
  const preflight = { 'access-control-request-method': 'POST' };
  t.same(await ask('https://shop.example', 'OPTIONS', preflight), [204, 'https://shop.example']);
});

t.test('a conflict is logged with both scripts', async (t) => {
  const line = await service.line(({ msg }) => msg.includes('is declared by'));
  t.match(line, { msg: 'GET, HEAD /v1/twice/{id} is declared by shop/a (read), and by shop/b (read) as /v1/twice/{key}: neither serves it, change one of the two' }); // prettier-ignore
});

/** Replaces a script at once, as an editor does. */
function replace(name: string, text: string): void {
  const file = path.join(service.folder, 'queries', name);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

t.test('edits while serving', async (t) => {
  const gone = '404 {"error":"404 page not found","code":"not_found"}';
  const found = '200 [{"id":"7"}]';
  const broken =
    '500 {"error":"could not parse script shop/edit, check your service logs","code":"script_broken"}';
  await live(service.port, '/v9/edit/7', gone);
  service.script('shop/edit.read.sql', one('/v9/edit/{id}'));
  await live(service.port, '/v9/edit/7', found); // added
  replace('shop/edit.read.sql', one('/v9/moved/{id}'));
  await live(service.port, '/v9/moved/7', found); // changed
  await live(service.port, '/v9/edit/7', gone);
  replace('shop/edit.read.sql', `${one('/v9/moved/{id}')} {{if}}`);
  await live(service.port, '/v9/moved/7', broken); // does not parse
  replace('shop/edit.read.sql', one('/v9/moved/{id}'));
  await live(service.port, '/v9/moved/7', found);
  service.script('shop/second.read.sql', one('/v9/moved/{key}'));
  await live(service.port, '/v9/moved/7', gone); // a conflict
  rmSync(path.join(service.folder, 'queries/shop/second.read.sql'));
  await live(service.port, '/v9/moved/7', found);
  replace('shop/edit.read.sql', one());
  await live(service.port, '/v9/moved/7', gone); // removed
  t.same(await service.rows('shop/edit?id=7'), [{ id: '7' }]);
  replace('shop/edit.read.sql', one('/v9/edit/{id}'));
  await live(service.port, '/v9/edit/7', found);
  rmSync(path.join(service.folder, 'queries/shop/edit.read.sql'));
  await live(service.port, '/v9/edit/7', gone); // its file too
});

/** answered waits until a request is answered with that status, or status and code. */
function answered(of: Service, target: string, wanted: string): Promise<true> {
  return until(async () => (await of.error(target)) === wanted);
}

t.test('thousands of paths, under a prefix', async (t) => {
  const texts = Array.from({ length: 2_000 }, (_, i) => [
    `f${i % 20}/s${i}.read.sql`,
    one(...[1, 2, 3, 4, 5].map((version) => `/v${version}/thing${i}/{id}`)),
  ]);
  const many = await startService(t, {
    database: postgres.url,
    config: { 'http.processes': 1, 'pool.threads': 2, context: '/api' },
    scripts: Object.fromEntries(texts) as Record<string, string>,
  });
  // Its URL ends with the prefix.
  t.equal((await fetch(`http://127.0.0.1:${many.port}/v1/thing0/7`)).status, 404);
  await answered(many, '/v1/thing0/7', '200');
  for (let i = 0; i < 2_000; i += 397)
    for (const version of [1, 3, 5])
      t.same(await many.rows(`/v${version}/thing${i}/7`), [{ id: '7' }]);
  t.equal(await many.error('/v1/thing2000/7'), '404 not_found');
  t.equal(await many.error('f0/s0'), '200');
});
