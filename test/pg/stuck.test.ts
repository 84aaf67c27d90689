/** Connections whose peer acknowledges packets and never answers: each is closed after a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ScriptCost } from '#app/pg/script-cost.js';
import { freeze, startProxy } from '../support/black-hole.js';
import { describe, TestDatabase } from '../support/database.js';
import { startOwnPostgres, type OwnPostgres } from '../support/postgres.js';

const postgres = (t: Parameters<typeof startOwnPostgres>[0]): Promise<OwnPostgres> =>
  startOwnPostgres(t, { setup: 'CREATE TABLE items (id int)' });
/** Longer than any statement here. */
const PATIENT = { statementTimeout: 600_000 };

// They mostly wait.
t.jobs = 6;

t.test('an abandoned statement on a stopped backend', { buffered: true }, async (t) => {
  const server = await postgres(t);
  const db = new TestDatabase(t, server, { ...PATIENT, connections: 1 });
  await db.read('SELECT 1');
  t.equal(await freeze(t, server, 'tested'), 1);
  const { job, outcome } = db.run('SELECT 2', 'value');
  db.database.abandon(job);
  t.equal(describe(await outcome), 'timeout');
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next', 'its connection is replaced');
  t.equal(db.open, 1);
});

t.test('an internal statement over its time limit', { buffered: true }, async (t) => {
  const server = await postgres(t);
  const db = new TestDatabase(t, server, { connections: 1, statementTimeout: 500 });
  await db.read('SELECT 1');
  await freeze(t, server, 'tested');
  const { failure } = await db.database.query('SELECT 2');
  t.match(failure, { code: 'timeout' });
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
});

t.test('statements behind it wait for one time limit', { buffered: true }, async (t) => {
  const server = await postgres(t);
  const proxy = await startProxy(t, server);
  const db = new TestDatabase(t, proxy, { connections: 2, statementTimeout: 500 });
  await db.read('SELECT 1');
  proxy.swallow('nothing');
  const order: string[] = [];
  const note = (what: string) => (outcome: Parameters<typeof describe>[0]) =>
    order.push(`${what} ${describe(outcome)}`);
  const stuck = [
    db.read(`SELECT 'head'`).then(note('head')),
    db.write('INSERT INTO items VALUES (1)').then(note('write')),
    db.read(`SELECT 'read'`).then(note('read')),
    db.read(`SELECT 'moved'`, { readOnly: true }).then(note('read only')),
  ];
  await sleep(200);
  await db.read(`SELECT 'served'`).then(note('another'));
  await Promise.all(stuck);
  t.strictSame(order, [
    'another served',
    'head timeout',
    'write 08007',
    'read 08007',
    'read only moved',
  ]);
  t.strictSame(await server.sql('SELECT * FROM items'), [], 'nothing is sent again');
});

for (const [limit, outcome] of [
  [100, 'timeout'],
  [Infinity, 'slept'],
] as const)
  // prettier-ignore
  t.test(`a statement that PostgreSQL does not end, limit ${limit}`, { buffered: true }, async (t) => {
    const server = await postgres(t);
    const db = new TestDatabase(t, server, { connections: 1, statementTimeout: limit });
    const cost = new ScriptCost();
    const slept = await db.read(`SELECT 'slept' FROM pg_sleep(6)`, { cost });
    t.equal(describe(slept), outcome);
    await sleep(100);
    const running = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'tested' AND state = 'active'`;
    t.strictSame(await server.sql(running), [], 'it is cancelled in PostgreSQL too');
  });

for (const [rate, outcome] of [
  [2 << 20, 'whole'],
  [10, 'timeout'],
] as const)
  // prettier-ignore
  t.test(`a result that comes slowly: ${outcome}`, { buffered: true }, async (t) => {
    const server = await postgres(t);
    const proxy = await startProxy(t, server);
    const db = new TestDatabase(t, proxy, { connections: 1, statementTimeout: 3_000 });
    await db.read('SELECT 1');
    proxy.slow(rate);
    const result = await db.read(`SELECT repeat('x', ${16 << 20})`, { cost: new ScriptCost() });
    t.equal(describe(result).length === 16 << 20 ? 'whole' : describe(result), outcome);
  });

// It stops this process, so nothing else may run meanwhile.
t.test('a result that arrived while the service was stopped', async (t) => {
  const server = await postgres(t);
  const db = new TestDatabase(t, server, { connections: 1, statementTimeout: 500 });
  await db.read('SELECT 1');
  const outcomes = [db.write('INSERT INTO items VALUES (1)'), db.read(`SELECT 'behind'`)];
  await new Promise(setImmediate);
  // Longer than the time limit and the grace for an answer.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
  t.strictSame((await Promise.all(outcomes)).map(describe), ['affected 1', 'behind']);
});
