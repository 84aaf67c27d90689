/** A statement that was not answered in time is not repeated at once, and is named once. */
import t from 'tap';
import { OverdueStatements } from '#app/postgres/lanes/overdue-statements.js';
import { TestDatabase } from '../../support/database.js';
import { Gate, GATES } from '../../support/gate.js';
import { startPostgres } from '../../support/postgres.js';

t.test('the pauses', (t) => {
  const overdue = new OverdueStatements();
  t.equal(overdue.pauses('a', 0), false);
  let now = 0;
  const pauses: number[] = [];
  for (let i = 0; i < 8; i++) {
    const { pause, isFirst } = overdue.timedOut('a', now);
    t.equal(isFirst, i === 0);
    t.equal(overdue.pauses('a', now + pause - 1), true);
    t.equal(overdue.pauses('a', now + pause), false);
    t.equal(overdue.pauses('b', now), false, 'others go on');
    pauses.push(pause / 1000);
    now += pause;
  }
  t.strictSame(pauses, [5, 10, 20, 40, 80, 160, 300, 300]);
  overdue.answered('a');
  t.strictSame(overdue.timedOut('a', now), { pause: 5_000, isFirst: true });
  t.end();
});

t.test('a statement that hangs is sent once', async (t) => {
  const postgres = await startPostgres(t, { setup: GATES });
  const { database } = new TestDatabase(t, postgres, { connections: 2 });
  const gate = new Gate(postgres, 'hangs');
  const told: object[] = [];
  database.onOverdue = (overdue) => told.push(overdue);
  const ask = () =>
    database.queryWithin(300, gate.sql, [], { name: 'what hangs', alone: true, asScript: true });
  const [first] = await Promise.all([ask(), gate.reached(1)]);
  t.match(first.failure, { code: 'timeout', message: 'what hangs: no answer in 0.3 s' });
  for (let i = 0; i < 3; i++)
    t.match((await ask()).failure, { code: 'timeout', message: /^what hangs: not asked for/ });
  t.strictSame(told, [{ name: 'what hangs', limit: 300, pause: 5_000 }]);
  t.match(await database.queryWithin(60_000, 'SELECT 1'), { result: { rows: [['1']] } });
});
