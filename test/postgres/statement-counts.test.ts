/** What is counted of statements as they are sent: whether they were prepared, and how many were in flight. */
import t from 'tap';
import { DATABASE, DATABASES } from '#app/observe/metrics/catalogue.js';
import { countOf, LEAST, readHistogram } from '#app/observe/metrics/histogram.js';
import { row } from '#app/observe/metrics/thread.js';
import { describe, fastCost, TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';

const server = await startPostgres(t);
const counts = row(DATABASES, ['test']);

const recurring = (sql: string) => ({ sql, recurs: true });

interface Uses {
  readonly prepared: number;
  readonly new: number;
  readonly unprepared: number;
}

/** uses gives what was counted meanwhile. */
async function uses(act: () => Promise<unknown>): Promise<Uses> {
  const read = (): number[] =>
    (['prepared', 'new', 'unprepared'] as const).map((name) => counts[DATABASE.uses[name]]!);
  const before = read();
  await act();
  const [prepared, added, unprepared] = read().map((count, i) => count - before[i]!);
  return { prepared: prepared!, new: added!, unprepared: unprepared! };
}

t.test('a text that recurs is prepared once for each connection', async (t) => {
  const statement = recurring('SELECT 1');
  for (let i = 0; i < 2; i++) {
    const db = new TestDatabase(t, server, { connections: 1 });
    const read = (): Promise<unknown> => db.read(statement);
    t.strictSame(await uses(read), { prepared: 0, new: 1, unprepared: 0 });
    t.strictSame(await uses(read), { prepared: 1, new: 0, unprepared: 0 });
  }
});

t.test('a text that does not recur, and where nothing is prepared', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const once = (): Promise<unknown> => db.read({ sql: 'SELECT 2', recurs: false });
  t.strictSame(await uses(once), { prepared: 0, new: 0, unprepared: 1 });
  const without = new TestDatabase(t, server, { connections: 1, prepared: false });
  const recurs = (): Promise<unknown> => without.read(recurring('SELECT 3'));
  for (let i = 0; i < 2; i++)
    t.strictSame(await uses(recurs), { prepared: 0, new: 0, unprepared: 1 });
});

t.test('each of several statements', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const before = [{ statement: recurring('SELECT 4'), values: [] }];
  const both = (): Promise<unknown> => db.read(recurring('SELECT 5'), { before });
  t.strictSame(await uses(both), { prepared: 0, new: 2, unprepared: 0 });
});

t.test('statements of the service itself are not counted', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const own = (): Promise<unknown> => db.database.query('SELECT 6');
  t.strictSame(await uses(own), { prepared: 0, new: 0, unprepared: 0 });
});

t.test('the depth of pipelines', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const depth = () => readHistogram(counts.slice(), DATABASE.depth, LEAST.count);
  const cost = fastCost();
  t.equal(describe(await db.read('SELECT 7', { cost })), '7');
  const before = depth();
  const texts = ['SELECT 8', 'SELECT 9', 'SELECT 10'];
  await Promise.all(texts.map((text) => db.read(text, { cost })));
  const after = depth();
  t.equal(countOf(after) - countOf(before), 3);
  t.equal(after.sum - before.sum, 1 + 2 + 3);
});
