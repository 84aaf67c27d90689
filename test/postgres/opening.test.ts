/** Faults right after a connection is made: the job concerned fails, and the connection is not counted. */
import t from 'tap';
import { ResultBudget } from '#app/postgres/connection/result-budget.js';
import { startPostgres } from '../support/postgres.js';
import { describe, TestDatabase } from '../support/database.js';

const server = await startPostgres(t);

t.test('a connection that cannot be used', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 }, new ResultBudget(-1, 1));
  for (let i = 0; i < 3; i++) t.equal(describe(await db.read('SELECT 1')), '08001');
  t.equal(db.open, 0);
});

t.test('a job that cannot be written', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const bad = db.read('SELECT $1::text', { values: [1 as unknown as string] });
  const outcomes = await Promise.all([bad, db.read(`SELECT 'next'`)]);
  t.strictSame(outcomes.map(describe), ['internal', 'next']);
  t.equal(describe(await db.read('SELECT $1::text', { values: [{} as string] })), 'internal');
  t.equal(db.open, 1);
});
