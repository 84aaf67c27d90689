/** Statements of our own that are not waited for for ever: given up in time, and cancelled. */
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { startProxy } from '../support/black-hole.js';
import { TestDatabase } from '../support/database.js';
import { Gate, GATES } from '../support/gate.js';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t, { setup: `CREATE TABLE locked (n int); ${GATES}` });
const RUNNING = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'tested' AND state = 'active'`;

t.test('an answer in time', async (t) => {
  const { database } = new TestDatabase(t, postgres);
  const { result } = await database.queryWithin(250_000, 'SELECT $1::text', ['a']);
  t.strictSame(result?.rows, [['a']]);
  const { failure } = await database.queryWithin(250_000, 'SELECT 1 / 0');
  t.equal(failure && 'state' in failure && failure.state, '22012');
});

for (const [what, sql] of [
  ['too slow', 'SELECT pg_sleep(3600)'],
  ['waits for a lock', 'SELECT count(*) FROM public.locked'],
] as const)
  t.test(what, async (t) => {
    const holder = new TestDatabase(t, postgres);
    const gate = new Gate(postgres, what);
    const held = postgres.sql(`BEGIN; LOCK TABLE locked; ${gate.sql}; COMMIT`);
    const { database } = holder;
    await gate.reached(1);
    const { failure } = await database.queryWithin(300, sql);
    t.match(failure, { code: 'timeout', message: 'no answer in 0.3 s' });
    const { result } = await database.queryWithin(250_000, 'SELECT 1');
    t.strictSame(result?.rows, [['1']], 'others go on');
    await until(async () => (await postgres.sql(RUNNING)).length === 0); // it is cancelled
    t.equal(await gate.waiting(), 1, 'the lock is still held');
    await gate.open();
    await held;
  });

t.test('a lost connection', async (t) => {
  const proxy = await startProxy(t, postgres);
  const { database } = new TestDatabase(t, proxy, { connections: 1 });
  await database.queryWithin(250_000, 'SELECT 1');
  proxy.swallow('nothing');
  const outcomes = [
    database.queryWithin(250_000, 'SELECT 1'),
    database.queryWithin(250_000, 'SELECT 2'),
  ];
  await turn(); // they are sent at the end of this one
  proxy.cut();
  const [running, behind] = await Promise.all(outcomes);
  t.match(running?.failure, {
    state: '08006',
    message: /^the connection to the database was lost$/,
  });
  t.strictSame(behind?.result?.rows, [['2']], 'the one behind it runs on another connection');
});
