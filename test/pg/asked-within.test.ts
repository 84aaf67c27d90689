/** Statements of our own that are not waited for for ever: given up in time, and cancelled. */
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE locked (n int)' });
const RUNNING = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'tested' AND state = 'active'`;

t.test('an answer in time', async (t) => {
  const { database } = new TestDatabase(t, postgres);
  const { result } = await database.askWithin(5_000, 'SELECT $1::text', ['a']);
  t.strictSame(result?.rows, [['a']]);
  const { failure } = await database.askWithin(5_000, 'SELECT 1 / 0');
  t.equal(failure && 'state' in failure && failure.state, '22012');
});

for (const [what, sql] of [
  ['too slow', 'SELECT pg_sleep(20)'],
  ['waits for a lock', 'SELECT count(*) FROM locked'],
] as const)
  t.test(what, async (t) => {
    const holder = new TestDatabase(t, postgres);
    const held = postgres.sql('BEGIN; LOCK TABLE locked; SELECT pg_sleep(1.5); COMMIT');
    const { database } = holder;
    await database.askWithin(5_000, 'SELECT pg_sleep(0.3)');
    const began = performance.now();
    const { failure } = await database.askWithin(300, sql);
    t.match(failure, { code: 'timeout', message: 'no answer in 0.3 s' });
    t.ok(performance.now() - began < 1_400);
    const { result } = await database.askWithin(5_000, 'SELECT 1');
    t.strictSame(result?.rows, [['1']], 'others go on');
    await held;
    let running = 1;
    for (let i = 0; i < 100 && running > 0; i++) running = (await postgres.sql(RUNNING)).length;
    t.equal(running, 0, 'nothing runs on');
  });
