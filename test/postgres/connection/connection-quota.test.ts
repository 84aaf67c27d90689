/** The quota may change at any time: surplus connections are closed once idle, and opened again when allowed. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import { Gate, GATES } from '../../support/gate.js';
import { startPostgres } from '../../support/postgres.js';
import { describe, fastCost, TestDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';

const server = await startPostgres(t, { setup: GATES });
const connections = async () =>
  (await server.sql(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'tested'`)).length;

/** slow runs statements on connections of their own. */
const slow = (db: TestDatabase, n: number, seconds: number) =>
  Array.from({ length: n }, () =>
    db.read(`SELECT 'done' FROM pg_sleep(${seconds})`, { cost: new ScriptCost() }),
  );

t.test('fewer: idle connections are closed at once, busy ones when they are done', async (t) => {
  const db = new TestDatabase(t, server, { connections: 5 });
  const gate = new Gate(server, 'busy');
  const busy = Array.from({ length: 4 }, () => db.read(gate.sql, { cost: new ScriptCost() }));
  await gate.reached(4);
  db.allow(2);
  await until(() => db.open === 4); // the fifth, idle or just being opened, is closed
  t.equal(await gate.waiting(), 4, 'none is cut off');
  await gate.open();
  t.strictSame(new Set((await Promise.all(busy)).map(describe)), new Set(['']));
  t.equal(db.open, 2);
  await until(async () => (await connections()) === 2);
  db.allow(1);
  t.equal(db.open, 1);
  t.strictSame((await Promise.all(slow(db, 3, 0.01))).map(describe), ['done', 'done', 'done']);
  t.equal(db.open, 1);
});

t.test('fewer under load: surplus connections get no more work', async (t) => {
  const db = new TestDatabase(t, server, { connections: 4 });
  let running = true;
  const cost = fastCost(); // measured, because expected time opens connections
  const clients = Array.from({ length: 32 }, async () => {
    while (running)
      t.equal(describe(await db.read(`SELECT 'x' FROM pg_sleep(0.002)`, { cost })), 'x');
  });
  await until(() => db.open > 2);
  db.allow(1);
  await until(() => db.open === 1);
  running = false;
  await Promise.all(clients);
});

t.test('none, then some', async (t) => {
  const db = new TestDatabase(t, server, { connections: 0 });
  const waiting = [...slow(db, 2, 0.01), db.read(`SELECT 'done'`)];
  await sleep(400);
  t.equal(db.open, 0);
  db.allow(2);
  t.strictSame((await Promise.all(waiting)).map(describe), ['done', 'done', 'done']);
});

t.test('connections that failed to open, were lost or closed are not counted', async (t) => {
  const unreachable = new TestDatabase(t, { host: '127.0.0.1', port: 1, password: 'x' });
  t.match(describe(await unreachable.read('SELECT 1')), /^08/);
  t.equal(unreachable.open, 0);
  const db = new TestDatabase(t, server, { connections: 3 });
  await Promise.all(slow(db, 2, 0.01));
  // Again, because one that was still being opened is missed the first time.
  await until(async () => {
    await server.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'`,
    );
    await sleep(50);
    return db.open === 0;
  });
  t.equal(describe(await db.read(`SELECT 'again'`)), 'again');
  db.database.close();
  t.equal(db.open, 0);
});
