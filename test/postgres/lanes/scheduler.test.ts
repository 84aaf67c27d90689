import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import { Gate, GATES } from '../../support/gate.js';
import { startPostgres } from '../../support/postgres.js';
import { describe, fastCost, TestDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';

const server = await startPostgres(t, { setup: GATES });
const connections = async () =>
  (await server.sql(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'tested'`)).length;

t.test('slow statements do not delay fast ones', async (t) => {
  const db = new TestDatabase(t, server, { connections: 3 });
  await db.read('SELECT 1');
  const gate = new Gate(server, 'slow');
  const slowCost = new ScriptCost();
  const slow = Array.from({ length: 6 }, () => db.read(gate.sql, { cost: slowCost }));
  await gate.reached(2);
  // Each of another script: on a busy machine one may be measured to be slow.
  for (let i = 0; i < 50; i++) t.equal(describe(await db.read(`SELECT 'a'`)), 'a');
  t.equal(await gate.waiting(), 2, 'the slow ones still run');
  await gate.open();
  await Promise.all(slow);
  t.ok((await connections()) <= 3, 'never more connections than allowed');
});

t.test('fast statements are divided between two connections', async (t) => {
  const db = new TestDatabase(t, server, { connections: 4 });
  const backends = async (): Promise<number> => {
    const pid = (): Promise<string> =>
      db.read('SELECT pg_backend_pid()::text', { cost: fastCost() }).then(describe);
    return new Set(await Promise.all([pid(), pid(), pid(), pid()])).size;
  };
  // The first round has one connection; the second is opened meanwhile.
  const most = await until(async () => {
    const seen = await backends();
    return seen >= 2 && seen;
  });
  t.equal(most, 2);
});

t.test('a fast script that turns slow loses its place in the shared pipelines', async (t) => {
  const db = new TestDatabase(t, server, { connections: 3 });
  const cost = fastCost();
  const statement = { sql: 'SELECT pg_sleep($1::float)::text', recurs: true };
  await db.read(statement, { values: ['0.2'], cost });
  t.notOk(cost.isFast(performance.now()));
  await db.read(statement, { values: ['0'], cost });
  t.notOk(cost.isFast(performance.now()), 'a fast run does not bring it back');
  // Many do; how many depends on how long each of them takes.
  while (!cost.isFast(performance.now())) await db.read(statement, { values: ['0'], cost });
});

t.test('no statement is put behind one that stalls in a shared pipeline', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2 });
  await Promise.all([db.read('SELECT 1'), db.read('SELECT 1')]);
  const gate = new Gate(server, 'hanging');
  const hanging = db.read(gate.sql);
  await gate.reached(1);
  await sleep(50);
  for (let i = 0; i < 20; i++) t.equal(describe(await db.read(`SELECT 'a'`)), 'a');
  t.equal(await gate.waiting(), 1, 'it still hangs');
  await gate.open();
  await hanging;
});

t.test(
  'while a statement of a fast script stalls, no other one of it shares a pipeline',
  async (t) => {
    const db = new TestDatabase(t, server, { connections: 4 });
    await Promise.all([db.read('SELECT 1'), db.read('SELECT 1')]);
    const gate = new Gate(server, 'stalling');
    const cost = fastCost();
    const stalling = [db.read(gate.sql, { cost })];
    await gate.reached(1);
    await sleep(50); // in which no job looks for a connection
    stalling.push(db.read(gate.sql, { cost }));
    const others = await Promise.all(Array.from({ length: 20 }, () => db.read(`SELECT 'a'`)));
    t.strictSame(new Set(others.map(describe)), new Set(['a']), 'none is behind the second');
    await gate.reached(2);
    await gate.open();
    await Promise.all(stalling);
  },
);

t.test('one connection serves fast and slow', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const outcomes = await Promise.all([
    db.read('SELECT pg_sleep(0.05)::text', { cost: new ScriptCost() }),
    db.read(`SELECT 'a'`),
    db.read(`SELECT 'b'`, { cost: new ScriptCost() }),
  ]);
  t.strictSame(outcomes.map(describe), ['', 'a', 'b']);
});

t.test('one connection serves fast and slow in turn', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const gate = new Gate(server, 'in turn');
  const cost = new ScriptCost();
  const ended: string[] = [];
  const read = async (name: string, options?: { cost: ScriptCost }): Promise<void> => {
    await db.read(gate.sql, options);
    ended.push(name);
  };
  const all = [read('first', { cost })];
  await gate.reached(1);
  for (const name of ['second', 'third', 'fourth']) all.push(read(name, { cost }));
  all.push(read('fast'));
  await gate.open();
  await Promise.all(all);
  t.strictSame(ended, ['first', 'fast', 'second', 'third', 'fourth']);
});

t.test('a statement that waits too long for a connection fails with busy', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1, connectTimeout: 300 });
  const slowCost = new ScriptCost();
  await until(async () => describe(await db.read('SELECT 1')) === '1'); // connecting may take longer than that
  const gate = new Gate(server, 'long');
  const first = db.read(gate.sql, { cost: slowCost });
  await gate.reached(1);
  t.equal(describe(await db.read('SELECT 1', { cost: slowCost })), 'busy');
  await gate.open();
  t.equal(describe(await first), '');
});

t.test('idle connections beyond the limit are closed, those in use are not', async (t) => {
  const db = new TestDatabase(t, server, { connections: 4, idleConnections: 1, idleTime: 200 });
  const gate = new Gate(server, 'used');
  const all = Array.from({ length: 8 }, () => db.read(gate.sql, { cost: new ScriptCost() }));
  await gate.reached(3);
  t.ok((await connections()) >= 3);
  await gate.open();
  await Promise.all(all);
  await until(async () => (await connections()) <= 1);
  await sleep(1_000); // several looks at what is idle
  t.equal(await connections(), 1, 'as many as are kept');
  t.equal(describe(await db.read(`SELECT 'a'`)), 'a');
});
