/** Connections lost after statements have run and before their results arrive: none that may have run is run again. */
import { setImmediate as turn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startProxy, type Proxy } from '../support/black-hole.js';
import { describe, TestDatabase, type Outcome } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE hits (n int);
    CREATE FUNCTION hit(int) RETURNS text LANGUAGE sql AS 'INSERT INTO hits VALUES ($1) RETURNING n::text';
    CREATE PROCEDURE hit_and_wait(int) LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO hits VALUES ($1); COMMIT; PERFORM pg_sleep(3600); END $$`,
});
const READ = 'SELECT hit($1::int)';
const WRITE = 'INSERT INTO hits VALUES ($1::int)';
const CALL = { sql: 'CALL hit_and_wait($1::int)', recurs: true, commits: true };
const HARMLESS = { readOnly: true };

/** How often each was done. */
async function hits(): Promise<Record<number, number>> {
  const rows = await server.sql<{ n: number; times: number }>(
    'SELECT n, count(*)::int AS times FROM hits GROUP BY n ORDER BY n',
  );
  await server.sql('TRUNCATE hits');
  return Object.fromEntries(rows.map(({ n, times }) => [n, times]));
}

/** ran waits until that many hits are committed. */
async function ran(count: number): Promise<void> {
  await until(async () => (await server.sql('SELECT FROM hits')).length === count);
}

async function reached(t: Test): Promise<{ proxy: Proxy; db: TestDatabase }> {
  const proxy = await startProxy(t, server);
  const db = new TestDatabase(t, proxy, { connections: 1 });
  await db.read('SELECT 1');
  return { proxy, db };
}

const numbered = (n: number) => ({ values: [String(n)] });
const described = async (outcomes: Promise<Outcome>[]): Promise<string[]> =>
  (await Promise.all(outcomes)).map(describe);

t.test('answers are swallowed, then the connection is cut', async (t) => {
  const { proxy, db } = await reached(t);
  proxy.swallow('requests');
  const sent = Array.from({ length: 14 }, (_, n) => db.read(READ, numbered(n)));
  sent.push(db.write(WRITE, numbered(14)));
  sent.push(db.read('SELECT $1::text', { ...HARMLESS, ...numbered(15) }));
  const queued = [db.read(READ, numbered(16)), db.write(WRITE, numbered(17))];
  await ran(15);
  proxy.cut();
  const unknown = Array<string>(15).fill('08007');
  t.strictSame(await described(sent), [...unknown, '15'], 'one that cannot write is run again');
  t.strictSame(await described(queued), ['16', 'affected 1'], 'so are those that were never sent');
  const once = Object.fromEntries([...Array(15).keys(), 16, 17].map((n) => [n, 1]));
  t.strictSame(await hits(), once, 'each ran once');
});

t.test('a statement that cannot write reports no unknown outcome', async (t) => {
  const { proxy, db } = await reached(t);
  proxy.swallow('requests');
  const head = db.read('SELECT 1', HARMLESS);
  await turn(); // it is sent at the end of this one
  proxy.cut();
  t.equal(describe(await head), '08006');
});

/** A message of the server. */
function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}

const NOTHING_YET = ['1', '2', 'n'].map((type) => message(type, ''));
const DONE = [...NOTHING_YET, message('C', 'INSERT 0 1\0')];
const fatal = (more: string) => message('E', `SFATAL\0VFATAL\0C57P01\0Mbye\0${more}\0`);
/** PgBouncer names no routine, and its severity in one field only. */
const pooler = (severity: string, state: string) =>
  message('E', `S${severity}\0C${state}\0Mserver conn crashed?\0\0`);
const OWN = fatal('RProcessInterrupts\0');

const last: [sender: string, messages: Buffer[], head: string, behind: string, times: object][] = [
  ['a pooler', [pooler('FATAL', '08P01')], '08007', '08007', { 1: 1, 2: 1 }],
  ['a pooler, with a state', [pooler('FATAL', '57P01')], '08007', '08007', { 1: 1, 2: 1 }],
  ['an older pooler', [pooler('ERROR', '08P01')], '08007', '08007', { 1: 1, 2: 1 }],
  ['a pooler that has all fields but the routine', [fatal('')], '08007', '08007', { 1: 1, 2: 1 }],
  // The proxy passed both statements on, so the second runs twice here; a real PostgreSQL would not have begun it.
  ['PostgreSQL, amid the head', [OWN], '57P01', 'affected 1', { 1: 1, 2: 2 }],
  ['PostgreSQL, behind the head', [...DONE, OWN], '08007', 'affected 1', { 1: 1, 2: 2 }],
];
for (const [sender, messages, head, behind, times] of last)
  t.test(`the last message is that of ${sender}`, async (t) => {
    const { proxy, db } = await reached(t);
    proxy.swallow('requests');
    const outcomes = [db.write(WRITE, numbered(1)), db.write(WRITE, numbered(2))];
    await ran(2);
    proxy.cut(Buffer.concat(messages));
    t.strictSame(await described(outcomes), [head, behind]);
    t.strictSame(await hits(), times);
  });

t.test('a procedure that has committed before its session is ended', async (t) => {
  const { db } = await reached(t);
  const outcomes = [db.write(CALL, numbered(1)), db.write(WRITE, numbered(2))];
  await ran(1);
  await server.sql(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'",
  );
  t.strictSame(await described(outcomes), ['08007', 'affected 1']);
  t.strictSame(await hits(), { 1: 1, 2: 1 });
});
