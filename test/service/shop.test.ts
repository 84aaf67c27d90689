/** The endpoints of the shop in examples/queries/api, as a client uses them, and the commands of README. */
import t from 'tap';
import { projectFile, startShop } from './shop.js';
import { runExamples } from './shell-examples.js';
import { without } from '../support/programs.js';

const shop = await startShop(t);
const names = (rows: unknown): string[] => (rows as { name: string }[]).map(({ name }) => name);

t.test('the commands of README', { skip: without('curl') }, async (t) => {
  const [section] = /^## An API with bodies\n.*?(?=^## )/ms.exec(projectFile('README.md'))!;
  await runExamples(t, section, shop.service.url, shop.service.folder);
});

t.test('a product from its creation to its removal', async (t) => {
  const made = await shop.send('POST /v1/products', { name: 'Matcha', category: 'tea', price: 21.5, tags: ['green'] }); // prettier-ignore
  const location = made.headers.get('location')!;
  t.match(location, /^\/v1\/products\/\d+$/);
  const { id } = made.json as { id: number };
  const product = { id, name: 'Matcha', category: 'tea', price: 21.5, stock: 0, tags: ['green'] };
  t.strictSame([made.status, made.json], [201, product]);
  t.strictSame((await shop.send(`GET ${location}`)).json, product);
  t.strictSame((await shop.send(`GET /_QUERIES/api/product?id=${id}`)).json, product);
  const changed = await shop.send(`PATCH ${location}`, { stock: 5, price: null });
  t.strictSame([changed.status, changed.json], [200, { ...product, stock: 5 }]);
  t.strictSame(names((await shop.send('GET /v1/products?q=MATCHA')).json), ['Matcha']);
  t.strictSame((await shop.send(`DELETE ${location}`)).json, { id, name: 'Matcha' });
  t.equal(await shop.code(`GET ${location}`), '404 row_not_found');
  t.equal(await shop.code(`PATCH ${location}`, { stock: 1 }), '404 row_not_found');
  t.equal(await shop.code(`DELETE ${location}`), '404 row_not_found');
});

t.test('filters, lists of values, pages', async (t) => {
  const filtered = await shop.send('GET /v1/products?category=pots&category=sweets&max_price=17&size=2&page=2'); // prettier-ignore
  t.strictSame(names(filtered.json), ['Hand dripper', 'Shortbread']);
  const japan = await shop.send('GET /v1/products?category=pots&tag=japan');
  t.strictSame(names(japan.json), ['Kyusu, 300 ml']);
  t.strictSame(names((await shop.send('GET /v1/products?q=%25')).json), []);
  t.strictSame(names((await shop.send("GET /v1/products?tag=';--")).json), []);
  const { json } = await shop.send('GET /v1/orders?status=paid&status=sent&size=1');
  t.match(json, { total: 18, orders: [{ id: 24, status: 'sent' }] });
});

t.test('many products at once, and their number', async (t) => {
  const { json: before } = await shop.send('GET /v1/products/count');
  const two = [{ name: 'Nougat', category: 'sweets', price: 5 }, { name: 'Fudge', category: 'sweets', price: 4 }]; // prettier-ignore
  t.equal((await shop.send('POST /v1/products/import', two)).status, 201);
  t.equal((await shop.send('GET /v1/products/count')).json, Number(before) + 2);
  const wrong = [{ name: 'Toffee', category: 'sweets', price: 5 }, { name: 'Glass', category: 'glass', price: 4 }]; // prettier-ignore
  t.equal(await shop.code('POST /v1/products/import', wrong), '400 23514');
  t.equal((await shop.send('GET /v1/products/count')).json, Number(before) + 2);
});

t.test('an order with its lines, and the report', async (t) => {
  const lines = [{ product: 5, quantity: 2 }, { product: 21, quantity: 1 }]; // prettier-ignore
  const made = await shop.send('POST /v1/orders', { customer: 2, lines });
  t.match([made.status, made.json], [201, { total: 37.7 }]);
  t.strictSame((await shop.send(`GET ${made.headers.get('location')}`)).json, {
    id: (made.json as { id: number }).id,
    status: 'open',
    customer: 'Luís Carvalho',
    lines: [
      { product: 'Shortbread', quantity: 1, price: 4.2 },
      { product: 'Tie Guan Yin', quantity: 2, price: 16.75 },
    ],
  });
  t.match(await shop.postgres.sql('SELECT stock FROM products WHERE id = 5'), [{ stock: 46 }]);
  const report = await shop.send('GET /v1/sales?by=city');
  t.equal((report.json as unknown[]).length, 6);
  t.strictSame(names((await shop.send('GET /v1/sales')).json).sort(), ['coffee', 'pots', 'sweets', 'tea']); // prettier-ignore
  t.strictSame((await shop.send('GET /v1/sales?since=2999-12-31')).json, []);
});

t.test('HEAD, OPTIONS and XML', async (t) => {
  const head = await shop.send('HEAD /v1/products/3');
  t.strictSame([head.status, head.text], [200, '']);
  t.equal((await shop.send('HEAD /v1/products/999')).status, 404);
  const xml = await shop.send('GET /v1/products/3?_renderer=xml');
  t.match(xml.text, /<name>Sencha Yame<\/name>/);
  t.match((await shop.send('GET /v1/products/999?_renderer=xml')).text, /<error>row not found</);
});

t.test('the scripts have no warnings', (t) => {
  const about = shop.service.lines.filter(
    ({ level, script, requestId }) =>
      Number(level) >= 40 && requestId === undefined && String(script).startsWith('api/'),
  );
  t.strictSame(about, []);
  t.end();
});
