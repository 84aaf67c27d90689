/** Statements of the service in a transaction that is rolled back: nothing of it stays, nor affects others in the pipeline. */
import t from 'tap';
import { describe, TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE kept (n int)' });
const ROLLED_BACK = { rolledBack: 'READ WRITE' } as const;
const insert = (n: number) => ({ sql: `INSERT INTO public.kept VALUES (${n})`, recurs: false });

t.test('a failure, of any of its statements', async (t) => {
  const { database } = new TestDatabase(t, server, { connections: 1 });
  const wrong = { statement: { sql: 'SELECT 1/0', recurs: false }, values: [] };
  const first = await database.query('SELECT 1', [], { ...ROLLED_BACK, before: [wrong] });
  t.match(first, { failure: { state: '22012', part: 0 } });
  const before = [{ statement: insert(1), values: [] }];
  const last = await database.query('SELECT 1/0', [], { ...ROLLED_BACK, before });
  t.match(last, { failure: { state: '22012', part: 1 } });
  t.match(await database.query('SELECT count(*) FROM public.kept'), { result: { rows: [['0']] } });
});

t.test('what it wrote is seen by its own statements only', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const options = { ...ROLLED_BACK, before: [{ statement: insert(1), values: [] }] };
  const [first, inside, after] = await Promise.all([
    db.write('INSERT INTO kept VALUES (9)'),
    db.database.query('SELECT array_agg(n ORDER BY n) FROM public.kept', [], options),
    db.write('INSERT INTO kept VALUES (10)'),
  ]);
  t.match(inside, { result: { rows: [['{1,9}']] } });
  t.strictSame([describe(first), describe(after)], ['affected 1', 'affected 1']);
  t.match(await db.read('SELECT array_agg(n ORDER BY n)::text FROM kept'), { value: '{9,10}' });
  t.equal(db.open, 1);
});
