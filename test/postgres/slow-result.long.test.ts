/** A result that arrives slowly is read to its end, although it takes longer than a silent connection may. */
import t from 'tap';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import { startProxy } from '../support/black-hole.js';
import { describe, TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';

const SIZE = 16 << 20;

t.test('it has the time limit twice', async (t) => {
  const proxy = await startProxy(t, await startPostgres(t));
  // Without a byte it would end after 14 s, and with less than all of them after 24 s.
  const db = new TestDatabase(t, proxy, { connections: 1, statementTimeout: 10_000 });
  await db.read('SELECT 1');
  proxy.slow(SIZE / 16);
  const result = await db.read(`SELECT repeat('x', ${SIZE})`, { cost: new ScriptCost() });
  t.equal(describe(result).length, SIZE);
});
