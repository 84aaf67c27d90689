/** What the shop of the examples answers to mistakes: each is named, and nothing of the request stays. */
import t from 'tap';
import { startShop } from './shop.js';

const shop = await startShop(
  t,
  {},
  {
    'api/both.write.sql': `-- @path /v1/both
UPDATE products SET stock = stock + 1;
INSERT INTO products (name, category, price) VALUES ({{sqlVal "body.name"}}, 'tea', {{sqlVal "body.price"}});
SELECT 1 / {{sqlVal "body.divisor"}}::int AS n`,
  },
);

const TEA = { name: 'Tea', category: 'tea', price: 1 };
const LINE = { product: 5, quantity: 1 };

const CASES: readonly [request: string, body: unknown, code: string][] = [
  ['GET /v1/products/nope', undefined, '400 invalid_parameter'],
  ['GET /v1/products/2147483648', undefined, '400 invalid_parameter'],
  ['GET /v1/products/3?id=4', undefined, '200'],
  ['GET /v1/products/999', undefined, '404 row_not_found'],
  ['GET /v1/products/', undefined, '301'],
  ['GET /v1/products/3/x', undefined, '404 not_found'],
  ['GET /v1/nothing', undefined, '404 not_found'],
  ['GET /v1/products?categori=tea', undefined, '400 unknown_parameter'],
  ['GET /v1/products?category=wine', undefined, '400 invalid_parameter'],
  ['GET /v1/products?page=0', undefined, '400 invalid_parameter'],
  ['GET /v1/products?page=1&page=2', undefined, '400 invalid_parameter'],
  ['GET /v1/sales?since=2026-02-30', undefined, '400 invalid_parameter'],
  ['PUT /v1/products', undefined, '405 method_not_allowed'],
  ['PUT /v1/products/3', TEA, '405 method_not_allowed'],
  ['POST /v1/sales', {}, '405 method_not_allowed'],
  ['POST /_QUERIES/api/sales', {}, '405 method_not_allowed'],
  ['POST /v1/products', undefined, '400 invalid_parameter'],
  ['POST /v1/products', '', '400 invalid_body'],
  ['POST /v1/products', '{"name": "Tea",}', '400 invalid_body'],
  ['POST /v1/products', '{"name": "a", "name": "b"}', '400 invalid_body'],
  ['POST /v1/products', '{"name": "\\u0000"}', '400 invalid_body'],
  ['POST /v1/products', '{"name": "\\ud800"}', '400 invalid_body'],
  ['POST /v1/products', `${'['.repeat(65)}${']'.repeat(65)}`, '400 invalid_body'],
  ['POST /v1/products', [TEA], '400 invalid_body'],
  ['POST /v1/products', '"text"', '400 invalid_body'],
  ['POST /v1/products', 'null', '400 invalid_body'],
  ['POST /v1/products', { ...TEA, name: 'x'.repeat(101) }, '400 invalid_parameter'],
  ['POST /v1/products', { ...TEA, name: null }, '400 invalid_parameter'],
  ['POST /v1/products', { ...TEA, name: ['a', 'b'] }, '400 invalid_parameter'],
  ['POST /v1/products', { ...TEA, price: '1; DROP TABLE products' }, '400 invalid_parameter'],
  ['POST /v1/products', { ...TEA, price: 1e9 }, '400 22003'],
  ['POST /v1/products', { ...TEA, stock: 1.5 }, '400 invalid_parameter'],
  ['POST /v1/products', { ...TEA, name: 'Sencha Yame' }, '409 23505'],
  ['PATCH /v1/products/1', { stock: -1 }, '400 invalid_parameter'],
  ['PATCH /v1/products/999', { stock: 1 }, '404 row_not_found'],
  ['DELETE /v1/products/1', undefined, '409 23503'],
  ['POST /v1/products/import', { name: 'no array' }, '400 22023'],
  ['POST /v1/products/import', [{ ...TEA, name: 'A' }, { ...TEA, name: 'Yokan' }], '409 23505'], // prettier-ignore
  ['POST /v1/products/import', [TEA, 1], '400 22023'],
  ['POST /v1/orders', { customer: 99, lines: [LINE] }, '409 23503'],
  ['POST /v1/orders', { customer: 1, lines: [LINE, { product: 999, quantity: 1 }] }, '400 23502'],
  ['POST /v1/orders', { customer: 1, lines: [{ product: 4, quantity: 99 }] }, '400 23514'],
  ['POST /v1/orders', { customer: 1, lines: [LINE, LINE] }, '409 23505'],
  ['POST /v1/orders', { customer: 1, lines: 'none' }, '400 invalid_parameter'],
  ['POST /v1/orders', { customer: 1, lines: { ...LINE } }, '400 22023'],
  ['POST /v1/orders', { customer: 99, lines: [] }, '409 23503'],
  ['POST /v1/orders', { customer: 1, lines: [1] }, '400 22023'],
  ['POST /v1/orders', { customer: 1 }, '400 invalid_parameter'],
  ['POST /v1/both', { name: 'Tea', price: 1, divisor: 0 }, '400 22012'],
  ['POST /v1/both', { name: 'Yokan', price: 1, divisor: 1 }, '409 23505'],
  ['POST /v1/both', { name: 'Tea', price: 'free', divisor: 1 }, '400 22P02'],
];

t.test('codes', async (t) => {
  const before = await shop.contents();
  for (const [request, body, code] of CASES)
    t.equal(await shop.code(request, body), code, `${request} ${JSON.stringify(body ?? '').slice(0, 80)}`); // prettier-ignore
  t.strictSame(await shop.contents(), before, 'nothing has stayed');
});

t.test('types of bodies', async (t) => {
  const types: [type: string, code: string][] = [
    ['text/plain', '415 unsupported_media_type'],
    ['application/octet-stream', '415 unsupported_media_type'],
    ['application/json; charset=latin1', '415 unsupported_media_type'],
    ['json', '415 unsupported_media_type'],
    ['application/vnd.shop+json; charset=UTF-8', '409 23505'],
    ['APPLICATION/JSON', '409 23505'],
  ];
  const body = { ...TEA, name: 'Yokan' };
  for (const [type, code] of types)
    t.equal(await shop.code('POST /v1/products', body, type), code, type);
  const form = 'name=Yokan&category=tea&price=1';
  const type = 'application/x-www-form-urlencoded';
  t.equal(await shop.code('POST /v1/products', form, type), '409 23505', 'a form');
  const { headers } = await shop.send('POST /v1/products', body, 'text/plain');
  t.match(headers.get('accept-post'), /application\/json/);
});

t.test('all that is wrong is named at once, and never repeated', async (t) => {
  const wrong = await shop.send('POST /v1/products', { name: 'x'.repeat(101), category: 'SECRET', price: 0, stock: 'SECRET' }); // prettier-ignore
  const { parameters } = wrong.json as { parameters: { parameter: string }[] };
  t.strictSame(
    parameters.map(({ parameter }) => parameter),
    ['body.name', 'body.category', 'body.price', 'body.stock'],
  );
  t.notMatch(wrong.text, /SECRET/);
  const unknown = await shop.send('GET /v1/products?categori=SECRET&tagg=SECRET');
  t.match(unknown.json, { parameters: [{ parameter: 'categori' }, { parameter: 'tagg' }] });
  t.notMatch(unknown.text, /SECRET/);
  t.notMatch(JSON.stringify(shop.service.lines), /SECRET/);
});

t.test('405 lists the methods', async (t) => {
  const path = await shop.send('PUT /v1/products/3', TEA);
  t.equal(path.headers.get('allow'), 'GET, HEAD, PATCH, DELETE, OPTIONS');
  const options = await shop.send('OPTIONS /v1/products/3');
  t.strictSame(
    [options.status, options.headers.get('allow')],
    [204, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  );
  const script = await shop.send('POST /_QUERIES/api/product', TEA);
  t.match(script.headers.get('allow'), /^GET, /);
});
