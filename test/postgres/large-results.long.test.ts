import t from 'tap';
import { ResultBudget } from '#app/postgres/connection/result-budget.js';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import { startPostgres } from '../support/postgres.js';
import { describe, TestDatabase } from '../support/database.js';

const server = await startPostgres(t);
const MIB = 1 << 20;
const bytes = (n: number) => `SELECT repeat('x', ${n})`;

t.test('the limit of one result is exact', async (t) => {
  const db = new TestDatabase(t, server, {}, new ResultBudget(MIB, 64 * MIB));
  const alone = { cost: new ScriptCost() };
  t.equal(describe(await db.read(bytes(MIB), alone)).length, MIB);
  t.equal(describe(await db.read(bytes(MIB + 1), alone)), 'result_too_large');
  t.equal(describe(await db.read(`SELECT repeat('é', ${MIB / 2})`, alone)).length, MIB / 2);
  t.equal(describe(await db.read(`SELECT repeat('é', ${MIB / 2 + 1})`, alone)), 'result_too_large');
  t.equal(
    describe(await db.write(`SELECT repeat('x', 1000) FROM generate_series(1, 2000)`, alone)),
    'result_too_large',
  );
});

t.test('statements behind a value that is far too large are not run twice', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 }, new ResultBudget(MIB, 512 * MIB));
  const outcomes = await Promise.all([
    db.read(`SELECT 'a'`),
    db.read(bytes(100 * MIB)),
    db.read(`SELECT 'b'`),
    db.read(`SELECT 'c'`, { readOnly: true }),
  ]);
  t.strictSame(outcomes.map(describe), ['a', 'result_too_large', '08007', 'c']);
});

t.test('reading stops while rows arrive', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 }, new ResultBudget(MIB, 512 * MIB));
  const before = process.memoryUsage().rss;
  const endless = `SELECT repeat('x', 1000) FROM generate_series(1, 2000000)`;
  t.equal(describe(await db.write(endless, { cost: new ScriptCost() })), 'result_too_large');
  t.ok(process.memoryUsage().rss - before < 100 * MIB);
});

t.test('a connection is replaced once a large result has made its buffer grow', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const pid = async () => describe(await db.read('SELECT pg_backend_pid()::text'));
  const before = await pid();
  await db.read(bytes(8 * MIB - 1_000));
  t.equal(await pid(), before, 'not after 8 MiB');
  await db.read(bytes(8 * MIB + 1));
  const second = await pid();
  t.not(second, before, 'after more');
  await db.write(`${bytes(7 * MIB)} AS a`);
  t.equal(await pid(), second, 'not after rows of 7 MiB');
  await db.write(`${bytes(9 * MIB)} AS a`);
  t.not(await pid(), second, 'after more');
});

t.test('many results that fit one by one pass, even in one pipeline', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 }, new ResultBudget(MIB, 64 * MIB));
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => db.read(bytes(MIB - 100))));
  t.ok(outcomes.every((o) => describe(o).length === MIB - 100));
});

t.test(
  'the budget over all connections rejects too many bytes at one time, and recovers',
  async (t) => {
    const db = new TestDatabase(t, server, { connections: 4 }, new ResultBudget(32 * MIB, 8 * MIB));
    const outcome = describe(await db.read(bytes(30 * MIB), { cost: new ScriptCost() }));
    t.equal(outcome, 'busy');
    t.equal(describe(await db.read(bytes(MIB))).length, MIB);
  },
);

t.test('a write that returns too much at one time may have taken effect', async (t) => {
  await server.sql('CREATE TABLE kept (n int)');
  const db = new TestDatabase(t, server, { connections: 4 }, new ResultBudget(32 * MIB, 8 * MIB));
  const write = `INSERT INTO kept SELECT 1 FROM generate_series(1, 30) RETURNING repeat('x', ${MIB})`;
  t.equal(describe(await db.write(write, { cost: new ScriptCost() })), '08007');
  const read = `SELECT repeat('x', ${MIB}) FROM generate_series(1, 30)`;
  const harmless = { cost: new ScriptCost(), readOnly: true };
  t.equal(describe(await db.write(read, harmless)), 'busy');
});
