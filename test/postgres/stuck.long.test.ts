/** Connections whose peer acknowledges packets and never answers: each is closed after a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import { freeze, startProxy } from '../support/black-hole.js';
import { describe, patient, TestDatabase } from '../support/database.js';
import { databaseSettings } from '../support/http-process.js';
import { startOwnPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const server = await startOwnPostgres(t, {
  setup: 'CREATE TABLE items (id int); CREATE TABLE others (id int)',
});
/** Longer than any statement here. */
const PATIENT = { statementTimeout: 600_000 };

/** named gives the connections of one test a name, by which `freeze` finds them. */
function named(name: string): { readonly conninfo: string } {
  const { conninfo } = databaseSettings('test', server);
  return { conninfo: `${patient(conninfo)} application_name=${name}` };
}

// They mostly wait.
t.jobs = 7;

t.test('an abandoned statement on a stopped backend', { buffered: true }, async (t) => {
  const db = new TestDatabase(t, server, { ...named('abandoned'), ...PATIENT, connections: 1 });
  await db.read('SELECT 1');
  t.equal(await freeze(t, server, 'abandoned'), 1);
  const { job, outcome } = db.run('SELECT 2', 'value');
  job.abandoned = true;
  t.equal(describe(await outcome), 'timeout');
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next', 'its connection is replaced');
  t.equal(db.open, 1);
});

t.test('an internal statement over its time limit', { buffered: true }, async (t) => {
  const db = new TestDatabase(t, server, {
    ...named('internal'),
    connections: 1,
    statementTimeout: 500,
  });
  await db.read('SELECT 1');
  await freeze(t, server, 'internal');
  const { failure } = await db.database.query('SELECT 2');
  t.match(failure, { code: 'timeout' });
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
});

t.test('statements behind it wait for one time limit', { buffered: true }, async (t) => {
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

for (const [limit, seconds, outcome] of [
  [100, 3600, 'timeout'],
  [Infinity, 5, 'slept'],
] as const)
  // prettier-ignore
  t.test(`a statement that PostgreSQL does not end, limit ${limit}`, { buffered: true }, async (t) => {
    const name = `limit_${limit}`;
    const settings = { ...named(name), connections: 1, statementTimeout: limit };
    const db = new TestDatabase(t, server, settings);
    const cost = new ScriptCost();
    const slept = await db.read(`SELECT 'slept' FROM pg_sleep(${seconds})`, { cost });
    t.equal(describe(slept), outcome);
    const running = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${name}' AND state = 'active'`;
    await until(async () => (await server.sql(running)).length === 0); // it is cancelled in PostgreSQL too
  });

t.test('a result that comes too slowly', { buffered: true }, async (t) => {
  const proxy = await startProxy(t, server);
  const db = new TestDatabase(t, proxy, { connections: 1, statementTimeout: 500 });
  await db.read('SELECT 1');
  proxy.slow(10);
  const result = await db.read(`SELECT repeat('x', ${16 << 20})`, { cost: new ScriptCost() });
  t.equal(describe(result), 'timeout');
});

// It stops this process, so nothing else may run meanwhile.
t.test('a result that arrived while the service was stopped', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1, statementTimeout: 500 });
  await db.read('SELECT 1');
  const outcomes = [db.write('INSERT INTO others VALUES (1)'), db.read(`SELECT 'behind'`)];
  await new Promise(setImmediate);
  // Longer than the time limit and the grace for an answer.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_800);
  t.strictSame((await Promise.all(outcomes)).map(describe), ['affected 1', 'behind']);
});
