import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ScriptCost } from '#app/pg/script-cost.js';
import { startPostgres } from '../support/postgres.js';
import { describe, fastCost, TestDatabase } from '../support/database.js';

const server = await startPostgres(t);
const connections = async () =>
  (await server.sql(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'tested'`)).length;

t.test('slow statements hold up no fast one', async (t) => {
  const db = new TestDatabase(t, server, { connections: 3 });
  await db.read('SELECT 1');
  const slowCost = new ScriptCost();
  const slow = Array.from({ length: 6 }, () =>
    db.read('SELECT pg_sleep(0.3)::text', { cost: slowCost }),
  );
  await sleep(100);
  let slowest = 0;
  const cost = fastCost();
  for (let i = 0; i < 50; i++) {
    const start = performance.now();
    t.equal(describe(await db.read(`SELECT 'a'`, { cost })), 'a');
    slowest = Math.max(slowest, performance.now() - start);
  }
  t.ok(slowest < 250, `slowest of the fast ones: ${Math.round(slowest)} ms`);
  await Promise.all(slow);
  t.ok((await connections()) <= 3, 'never more connections than allowed');
});

t.test('a fast script that turns slow loses its place in the shared pipelines', async (t) => {
  const db = new TestDatabase(t, server, { connections: 3 });
  const cost = fastCost();
  const statement = { sql: 'SELECT pg_sleep($1::float)::text', recurs: true };
  await db.read(statement, { values: ['0.2'], cost });
  t.notOk(cost.isFast(performance.now()));
  await db.read(statement, { values: ['0'], cost });
  t.notOk(cost.isFast(performance.now()), 'a fast run does not bring it back');
  for (let i = 0; i < 200; i++) await db.read(statement, { values: ['0'], cost });
  t.ok(cost.isFast(performance.now()), 'many do');
});

t.test('nothing new is put behind a statement that hangs in a shared pipeline', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2 });
  await Promise.all([db.read('SELECT 1'), db.read('SELECT 1')]);
  const hanging = db.read('SELECT pg_sleep(0.5)::text');
  await sleep(50);
  const start = performance.now();
  for (let i = 0; i < 20; i++) t.equal(describe(await db.read(`SELECT 'a'`)), 'a');
  t.ok(performance.now() - start < 400);
  await hanging;
});

t.test('one connection serves fast and slow', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const outcomes = await Promise.all([
    db.read('SELECT pg_sleep(0.05)::text', { cost: new ScriptCost() }),
    db.read(`SELECT 'a'`),
    db.read(`SELECT 'b'`, { cost: new ScriptCost() }),
  ]);
  t.strictSame(outcomes.map(describe), ['', 'a', 'b']);
});

t.test('who waits too long for a connection is told that the service is busy', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2, connectTimeout: 300 });
  const slowCost = new ScriptCost();
  await db.read('SELECT 1');
  const first = db.read('SELECT pg_sleep(1.5)::text', { cost: slowCost });
  await sleep(50);
  t.equal(describe(await db.read('SELECT 1', { cost: slowCost })), 'busy');
  t.equal(describe(await first), '');
});

t.test(
  'idle connections beyond the limit are closed, those in use are not',
  { timeout: 60_000 },
  async (t) => {
    const db = new TestDatabase(t, server, { connections: 4, idleConnections: 1, idleTime: 200 });
    await Promise.all(
      Array.from({ length: 8 }, () =>
        db.read('SELECT pg_sleep(0.05)::text', { cost: new ScriptCost() }),
      ),
    );
    t.ok((await connections()) >= 3);
    for (let i = 0; i < 100 && (await connections()) > 1; i++) await sleep(50);
    t.equal(await connections(), 1);
    t.equal(describe(await db.read(`SELECT 'a'`)), 'a');
  },
);
