/** Scripts of several statements over HTTP: all or nothing, for files and stored scripts, whatever becomes of PostgreSQL. */
import pg from 'pg';
import t from 'tap';
import { startOwnPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startOwnPostgres(t, {
  setup: `
    CREATE TABLE orders (id int PRIMARY KEY, customer text NOT NULL);
    CREATE TABLE lines (order_id int REFERENCES orders, product int);
    CREATE TABLE gate (n int)`,
});

const service = await startService(t, {
  database: postgres.url,
  config: { 'pg.maxopenconn': 4, 'http.processes': 1, 'pool.threads': 1, debug: true },
  scripts: {
    'shop/order.write.sql': `INSERT INTO orders VALUES ({{sqlVal "id"}}, {{sqlVal "customer"}});
INSERT INTO lines SELECT {{sqlVal "id"}}, unnest({{sqlVal "product"}}::int[]);
SELECT id, customer, (SELECT json_agg(product) FROM lines WHERE order_id = id) AS products
  FROM orders WHERE id = {{sqlVal "id"}}`,
    'shop/order.update.sql': `DELETE FROM lines WHERE order_id = {{sqlVal "id"}};
{{range .product}}INSERT INTO lines VALUES ({{sqlVal "id"}}, {{.}});
{{end}}UPDATE orders SET customer = {{sqlVal "customer"}} WHERE id = {{sqlVal "id"}}`,
    'shop/order.delete.sql': `DELETE FROM lines WHERE order_id = {{sqlVal "id"}};
DELETE FROM orders WHERE id = {{sqlVal "id"}};
`,
    'shop/waits.write.sql': `INSERT INTO orders VALUES ({{sqlVal "id"}}, 'waits');
INSERT INTO gate VALUES (1);
DELETE FROM lines`,
  },
});

const content = () =>
  postgres.sql(
    'SELECT (SELECT count(*)::int FROM orders) AS orders, (SELECT count(*)::int FROM lines) AS lines',
  );

t.test('made, changed and removed', async (t) => {
  const made = await service.ask('shop/order?id=1&customer=ann&product=7&product=8', {
    method: 'POST',
  });
  t.strictSame(
    [made.status, made.json],
    [200, { rows_affected: 1, rows: [{ id: 1, customer: 'ann', products: [7, 8] }] }],
  );
  const changed = await service.ask('shop/order?id=1&customer=bob&product=4&product=5&product=6', {
    method: 'PUT',
  });
  t.strictSame([changed.status, changed.json], [200, { rows_affected: 1 }]);
  t.strictSame(await content(), [{ orders: 1, lines: 3 }]);
  const removed = await service.ask('shop/order?id=1', { method: 'DELETE' });
  t.strictSame([removed.status, removed.json], [200, { rows_affected: 1 }]);
  t.strictSame(await content(), [{ orders: 0, lines: 0 }]);
});

t.test('a failure names statement and line, and nothing stays', async (t) => {
  const cases: [target: string, method: string, expected: object][] = [
    ['id=2', 'POST', { code: '23502', statement: '1', position: 'shop/order:1:1' }],
    [
      'id=2&customer=ann&product=x&product=1',
      'POST',
      { code: '22P02', statement: '2', position: 'shop/order:2:1' },
    ],
    [
      'id=2&customer=ann&product=1&product=2',
      'PUT',
      { code: '23503', statement: '2', position: 'shop/order:2:19' },
    ],
  ];
  for (const [query, method, expected] of cases) {
    const { status, json } = await service.ask(`shop/order?${query}`, { method });
    t.match(json, expected, query);
    t.ok(status === 400 || status === 409);
    t.strictSame(await content(), [{ orders: 0, lines: 0 }]);
  }
  const line = await service.line(({ state }) => state === '23503');
  t.match(line, { statement: '2', position: 'shop/order:2:19', requestId: /./ });
});

t.test('the backend ends, and PostgreSQL crashes, between two statements', async (t) => {
  for (const kind of ['end', 'crash'] as const) {
    const lock = new pg.Client({ connectionString: postgres.url });
    lock.on('error', () => undefined); // PostgreSQL ends it too
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE gate');
    const waiting = service.ask('shop/waits?id=9', { method: 'POST' });
    const blocked = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO gate%'`;
    await until(async () => (await postgres.sql(blocked)).length === 1);
    if (kind === 'end') await postgres.sql(`SELECT pg_terminate_backend(pid) FROM (${blocked}) x`);
    else {
      await postgres.kill();
      await postgres.restart();
    }
    const { status, json } = await waiting;
    t.equal(status, 503);
    t.match(json, { code: kind === 'end' ? '57P01' : /^(57P0\d|08\d\d\d)$/ });
    await lock.end().catch(() => undefined);
    await until(
      async () => (await service.error('shop/order?id=5', { method: 'DELETE' })) === '200',
    );
    t.strictSame(await content(), [{ orders: 0, lines: 0 }], kind);
  }
});
