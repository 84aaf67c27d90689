/** `npm start` from the embedded PostgreSQL to its end: the example, every script of it, and signals. */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { freePort } from '#scripts/free-port.mjs';
import { answers, CLUSTER, embedded, gone, goneFile, PROJECT, ready, run } from './started.js';
import { spawnGroup } from '../support/spawn-group.js';

t.setTimeout(300_000);

t.test('the example: a curl line that gives rows, data that stays, a clean end', async (t) => {
  const PORT = String(await freePort());
  const first = run(t, { PORT });
  const url = await ready(first);
  t.equal(new URL(url).port, PORT);
  const folder = embedded(first.output());
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const rows = (await (await fetch(url)).json()) as unknown[];
  t.ok(rows.length > 0);
  t.match(rows[0], { name: String, category: 'tea' });

  const created = new URL('/_QUERIES/products/create?name=Hojicha&category=tea&price=9.5', url);
  t.match(await (await fetch(created, { method: 'POST' })).json(), {
    rows_affected: 1,
    rows: [{ name: 'Hojicha', stock: 0 }],
  });

  first.child.kill('SIGTERM');
  t.equal(await first.exited, 0);
  t.notOk(await answers(url));
  t.notOk(fs.existsSync(path.join(folder, 'data/postmaster.pid')), 'PostgreSQL has ended too');

  const second = run(t, { PORT });
  const found = new URL('/_QUERIES/products/search?q=hojicha', await ready(second));
  t.match(await (await fetch(found)).json(), [{ name: 'Hojicha' }]);

  const besides = run(t, { PORT: '0' });
  t.equal(await besides.exited, 1, 'one at a time');
  t.match(besides.output(), /another process uses the database in .+: end the other npm start/);
  t.notMatch(besides.output(), /^ +at /m);

  second.child.kill('SIGKILL');
  await second.exited;
  const third = run(t, { PORT });
  t.ok(await ready(third), 'after a start that was killed');
  third.child.kill('SIGINT');
  t.equal(await third.exited, 0);
});

t.test('every example script runs', async (t) => {
  const start = run(t, { PORT: '0' });
  const url = await ready(start);
  const folder = embedded(start.output());
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const calls: [method: string, path: string, answer: unknown, body?: unknown][] = [
    ['GET', 'products/list?_page=2&_page_size=5', [{ id: Number, name: String }]],
    ['GET', 'products/list?category=tea&min_price=5&max_price=20&tag=black', [{ category: 'tea' }]],
    ['GET', 'products/get?id=1', [{ id: 1, tags: ['black', 'loose'] }]],
    ['GET', "products/search?q=o'", []],
    ['GET', 'products/search?q=pot', [{ category: 'pots' }]],
    ['GET', 'products/in-categories?category=sweets&category=pots', [{ category: 'pots' }]],
    ['GET', 'products/some?id=3&id=1', [{ id: 1 }, { id: 3 }]],
    ['GET', 'products/sorted?column=price&descending=1', [{ name: 'Kyusu, 300 ml' }]],
    ['GET', 'products/sorted', [{ name: 'Antigua Bourbon' }]],
    ['PATCH', 'products/change?id=2&price=19.5&stock=7', { rows: [{ price: 19.5, stock: 7 }] }],
    ['PUT', 'products/change?id=2&stock=8', { rows: [{ price: 19.5, stock: 8 }] }],
    ['POST', 'orders/place?customer=1&product=2&quantity=3', { rows: [{ quantity: 3 }] }],
    ['POST', 'orders/place?customer=1&product=2&quantity=30', { rows_affected: 0 }],
    ['POST', 'products/create?name=A&category=tea&price=1&stock=2', { rows: [{ id: 25 }] }],
    ['DELETE', 'products/remove?id=25', { rows: [{ id: 25, name: 'A' }] }],
    ['GET', 'orders/totals', [{ name: 'tea' }]],
    ['GET', 'orders/totals?by=city&since=2020-01-01', [{ name: String, orders: Number }]],
    ['GET', 'orders/totals?by=month', [{ name: /^\d{4}-\d\d$/ }]],
    ['GET', 'customers/mine', [{ total: Number }]],
    ['GET', 'api/count', 24],
    ['POST', 'api/import', { rows_affected: 1 }, [{ name: 'B', category: 'tea', price: 2 }]],
    ['POST', 'api/products', { name: 'C', stock: 0 }, { name: 'C', category: 'tea', price: 3 }],
    ['GET', 'api/products?category=tea&q=assam', [{ name: 'Assam Mangalam' }]],
    ['GET', 'api/product?id=1', { id: 1, tags: ['black', 'loose'] }],
    ['PATCH', 'api/product?id=1', { id: 1, stock: 119 }, { stock: 119 }],
    [
      'POST',
      'api/orders',
      { id: Number, total: 17.8 },
      { customer: 1, lines: [{ product: 1, quantity: 2 }] },
    ],
    ['GET', 'api/orders?status=open&size=1', { total: Number, orders: [{ status: 'open' }] }],
    ['GET', 'api/order?id=1', { id: 1, lines: [{ quantity: Number }] }],
    ['GET', 'api/sales?by=city', [{ name: String, sold: Number }]],
    ['DELETE', 'api/product?id=26', { id: 26 }],
  ];
  const scripts = new Set<string>();
  for (const [method, target, answer, json] of calls) {
    scripts.add(target.split('?')[0]!);
    const response = await fetch(new URL(`/_QUERIES/${target}`, url), {
      method,
      headers: { 'X-Customer': 'ada@example.com', 'Content-Type': 'application/json' },
      body: json === undefined ? null : JSON.stringify(json),
    });
    const body = await response.json();
    t.ok(response.ok, `${method} ${target}: ${response.status}`);
    t.match(body, answer, `${method} ${target}: ${JSON.stringify(body).slice(0, 200)}`);
    if (Array.isArray(answer) && answer.length === 0) t.strictSame(body, []);
  }
  const shipped = fs.readdirSync(path.join(PROJECT, 'examples/queries'), { recursive: true });
  for (const name of shipped.map(String).filter((name) => name.endsWith('.sql'))) {
    t.ok(scripts.has(name.replace(/\.\w+\.sql$/, '')), `${name} is called here`);
  }
  const removed = await fetch(new URL('/_QUERIES/products/remove?id=1', url), { method: 'DELETE' });
  t.equal(removed.status, 409, 'a product in an order stays');
});

t.test('started by npm, it ends when npm does', async (t) => {
  const ways = [
    ['SIGTERM', false],
    ['SIGKILL', false],
    ['SIGINT', true],
  ] as const;
  await Promise.all(
    ways.map(async ([signal, group]) => {
      const npm = spawnGroup(t, ['npm', 'start'], {
        cwd: PROJECT,
        env: {
          PATH: `${path.dirname(process.execPath)}:${process.env['PATH']!}`,
          EMBEDDED_CLUSTER: `${CLUSTER}-${signal}`,
          PORT: String(await freePort()),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      npm.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const exited = once(npm, 'exit').then(() => null);
      const url = await ready({ child: npm, output: () => output, exited });
      process.kill(group ? -npm.pid! : npm.pid!, signal);
      t.ok(await gone(url), signal);
      const folder = embedded(output);
      t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
      t.ok(await goneFile(path.join(folder, 'data/postmaster.pid')), 'PostgreSQL too');
      t.match(output, '"clean":true');
    }),
  );
});
