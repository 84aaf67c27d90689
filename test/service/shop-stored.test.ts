/** The scripts of the shop stored in the table: the same paths, bodies, statements and mistakes as from files. */
import t from 'tap';
import { startShop } from './shop.js';

// The first start imports the files.
const shop = await startShop(t, { 'queries.storage': 'database' });

t.test('a product, and an order of it', async (t) => {
  const made = await shop.send('POST /v1/products', { name: 'Matcha', category: 'tea', price: 21.5, stock: 3 }); // prettier-ignore
  t.equal(made.status, 201);
  const { id } = made.json as { id: number };
  t.equal(made.headers.get('location'), `/v1/products/${id}`);
  t.match((await shop.send(`PATCH /v1/products/${id}`, { price: 20 })).json, { price: 20 });
  const order = await shop.send('POST /v1/orders', { customer: 1, lines: [{ product: id, quantity: 2 }] }); // prettier-ignore
  t.match([order.status, order.json], [201, { total: 40 }]);
  t.match((await shop.send(`GET ${order.headers.get('location')}`)).json, {
    customer: 'Ada Brandt',
  });
  t.match((await shop.send(`GET /v1/products/${id}`)).json, { stock: 1 });
});

t.test('mistakes', async (t) => {
  const before = await shop.contents();
  const cases: [request: string, body: unknown, code: string][] = [
    ['GET /v1/products/nope', undefined, '400 invalid_parameter'],
    ['GET /v1/products/999', undefined, '404 row_not_found'],
    ['GET /v1/products?categori=tea', undefined, '400 unknown_parameter'],
    ['PUT /v1/products/3', {}, '405 method_not_allowed'],
    ['POST /v1/products', '{', '400 invalid_body'],
    ['POST /v1/products', {}, '400 invalid_parameter'],
    ['POST /v1/orders', { customer: 1, lines: [{ product: 4, quantity: 99 }] }, '400 23514'],
    ['POST /v1/orders', { customer: 99, lines: [] }, '409 23503'],
  ];
  for (const [request, body, code] of cases) t.equal(await shop.code(request, body), code, request);
  t.strictSame(await shop.contents(), before);
});
