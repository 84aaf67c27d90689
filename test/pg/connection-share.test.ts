/** The number of connections may change at any time: what is too much goes when it is idle, and comes back when allowed. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ScriptCost } from '#app/pg/script-cost.js';
import { startPostgres } from '../support/postgres.js';
import { describe, fastCost, TestDatabase } from '../support/database.js';

const server = await startPostgres(t);
const connections = async () =>
  (await server.sql(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'tested'`)).length;

/** slow runs statements that take a connection each. */
const slow = (db: TestDatabase, n: number, seconds: number) =>
  Array.from({ length: n }, () =>
    db.read(`SELECT 'done' FROM pg_sleep(${seconds})`, { cost: new ScriptCost() }),
  );

t.test('fewer: idle ones go at once, busy ones when they are done', async (t) => {
  const db = new TestDatabase(t, server, { connections: 5 });
  const busy = slow(db, 4, 0.6);
  await sleep(300);
  t.equal(db.held, 4);
  db.allow(2);
  t.equal(db.held, 4, 'none is cut off');
  t.strictSame(new Set((await Promise.all(busy)).map(describe)), new Set(['done']));
  t.equal(db.held, 2);
  await sleep(50);
  t.equal(await connections(), 2);
  db.allow(1);
  t.equal(db.held, 1);
  t.strictSame((await Promise.all(slow(db, 3, 0.01))).map(describe), ['done', 'done', 'done']);
  t.equal(db.held, 1);
});

t.test('fewer under load: what is too much gets no more work', async (t) => {
  const db = new TestDatabase(t, server, { connections: 4 });
  let running = true;
  const cost = fastCost(); // measured: what it takes is what opens connections
  const clients = Array.from({ length: 32 }, async () => {
    while (running)
      t.equal(describe(await db.read(`SELECT 'x' FROM pg_sleep(0.002)`, { cost })), 'x');
  });
  await sleep(300);
  t.ok(db.held > 2, `${db.held} held`);
  db.allow(1);
  await sleep(300);
  t.equal(db.held, 1);
  running = false;
  await Promise.all(clients);
});

t.test('none, then some', async (t) => {
  const db = new TestDatabase(t, server, { connections: 0 });
  const waiting = [...slow(db, 2, 0.01), db.read(`SELECT 'done'`)];
  await sleep(400);
  t.equal(db.held, 0);
  const began = performance.now();
  db.allow(2);
  t.strictSame((await Promise.all(waiting)).map(describe), ['done', 'done', 'done']);
  t.ok(performance.now() - began < 1_000);
});

t.test('what could not be opened, was lost or closed is not counted', async (t) => {
  const away = new TestDatabase(t, { host: '127.0.0.1', port: 1, password: 'x' });
  t.match(describe(await away.read('SELECT 1')), /^08/);
  t.equal(away.held, 0);
  const db = new TestDatabase(t, server, { connections: 3 });
  await Promise.all(slow(db, 2, 0.01));
  await server.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'`,
  );
  await sleep(100);
  t.equal(db.held, 0);
  t.equal(describe(await db.read(`SELECT 'again'`)), 'again');
  db.database.close();
  t.equal(db.held, 0);
});
