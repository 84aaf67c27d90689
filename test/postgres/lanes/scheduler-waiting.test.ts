/** Slow statements that wait for a connection: their order, and when they are rejected. */
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import { Gate, GATES } from '../../support/gate.js';
import { startPostgres } from '../../support/postgres.js';
import { costOf, describe, fastCost, TestDatabase, type Outcome } from '../../support/database.js';
import { until } from '../../support/until.js';

const server = await startPostgres(t, { setup: GATES });
const nap = (seconds: number) => `SELECT 'done' FROM pg_sleep(${seconds})`;

t.test('first come, first served within a script', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const cost = costOf(50);
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      t.equal(describe(await db.read(nap(0.01), { cost })), 'done');
      order.push(i);
    }),
  );
  t.strictSame(
    order,
    [...order].sort((a, b) => a - b),
  );
});

t.test('many requests of one script delay no other script', async (t) => {
  const db = new TestDatabase(t, server, { connections: 3 });
  const gate = new Gate(server, 'turns');
  const order: string[] = [];
  const run = (name: string, count: number, sql: string, cost: ScriptCost): Promise<void>[] =>
    Array.from({ length: count }, async () => {
      t.match(describe(await db.read(sql, { cost })), /^(done)?$/);
      order.push(name);
    });
  const many = [
    ...run('first', 2, gate.sql, costOf(100)),
    ...run('many', 24, nap(0.02), costOf(100)),
  ];
  await gate.reached(2);
  const others = [
    ...run('unknown', 1, nap(0), new ScriptCost()),
    ...run('equal', 3, nap(0.02), costOf(100)),
  ];
  await gate.open();
  await Promise.all([...many, ...others]);
  const before = (name: string) => order.slice(0, order.lastIndexOf(name)).filter((n) => n === 'many').length; // prettier-ignore
  t.ok(before('unknown') <= 12, `it runs before most of those that wait: ${order.join(' ')}`);
  t.ok(before('equal') <= 12, `a script of equal cost takes turns with it: ${order.join(' ')}`);
});

t.test('one script leaves a connection to the others, slow and fast', async (t) => {
  const db = new TestDatabase(t, server, { connections: 6 });
  const gate = new Gate(server, 'long');
  const cost = costOf(20_000);
  const long = Array.from({ length: 5 }, () => db.run(gate.sql, 'value', { cost }));
  await gate.reached(3); // as many as one script may have of six
  t.equal(describe(await db.read(nap(0), { cost: new ScriptCost() })), 'done');
  t.equal(describe(await db.read(nap(0), { cost: fastCost() })), 'done');
  t.equal(await gate.waiting(), 3);
  for (const { job } of long) job.abandoned = true;
  await Promise.all(long.map(({ outcome }) => outcome));
});

t.test('statements that would wait in vain are rejected at once', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2, connectTimeout: 200_000 });
  const gate = new Gate(server, 'in vain');
  const cost = costOf(10_000);
  let answered = 0;
  const outcomes: Promise<Outcome>[] = Array.from({ length: 64 }, () =>
    db.read(gate.sql, { cost }).finally(() => answered++),
  );
  await turn();
  t.ok(answered >= 40 && answered <= 43, `of 64 at once ${answered} are rejected`);
  t.equal(describe(await db.read(nap(0), { cost: fastCost() })), 'done', 'fast ones are not');
  const unknown = db.read(nap(0), { cost: new ScriptCost() });
  await gate.open();
  t.equal(describe(await unknown), 'done', 'nor unknown ones');
  const codes = (await Promise.all(outcomes)).map(describe);
  t.strictSame(new Set(codes), new Set(['', 'busy']));
  t.ok(codes.lastIndexOf('') < 30, 'the last to come were refused');
});

t.test('one slow first run rejects nothing yet', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2, connectTimeout: 200_000 });
  const cost = new ScriptCost();
  cost.record(10_000, () => 1);
  const outcomes = Array.from({ length: 64 }, () => db.read(nap(0), { cost }));
  t.strictSame(new Set((await Promise.all(outcomes)).map(describe)), new Set(['done']));
});

t.test('a full queue rejects the scripts that have most of it', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2, waiting: 250 });
  const hog = costOf(15);
  const gate = new Gate(server, 'block');
  const block = db.run(gate.sql, 'value', { cost: costOf(20) });
  await gate.reached(1);
  const hogs = Array.from({ length: 300 }, () => db.run(nap(0), 'value', { cost: hog }));
  const other = db.run(nap(0), 'value', { cost: costOf(15) });
  for (const { job } of [block, ...hogs.slice(0, 250)]) job.abandoned = true;
  const codes = (await Promise.all(hogs.map(({ outcome }) => outcome))).map(describe);
  t.strictSame(new Set(codes.slice(0, 250)), new Set(['timeout']), 'abandoned ones leave');
  t.strictSame(new Set(codes.slice(250)), new Set(['busy']));
  t.equal(describe(await other.outcome), 'done');
  await block.outcome;
});

t.test('a steady load of fast statements leaves room for a slow one', async (t) => {
  const db = new TestDatabase(t, server, { connections: 4 });
  let running = true;
  let answered = 0;
  const cost = fastCost();
  const load = Array.from({ length: 200 }, async () => {
    for (; running; answered++) await db.read('SELECT 1', { cost });
  });
  await until(() => answered > 1_000);
  t.equal(describe(await db.read(nap(0.01), { cost: costOf(100) })), 'done');
  running = false;
  await Promise.all(load);
});

t.test('a slow statement gets its turn on the only connection', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  let running = true;
  const cost = fastCost();
  const fast = Array.from({ length: 8 }, async () => {
    while (running) await db.read(nap(0), { cost });
  });
  for (let i = 0; i < 3; i++)
    t.equal(describe(await db.read(nap(0.02), { cost: new ScriptCost() })), 'done');
  running = false;
  await Promise.all(fast);
});

t.test('a new script may fill the queue up to its quota', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1, waiting: 20 });
  const cost = new ScriptCost();
  const all = Array.from({ length: 60 }, () => db.read(nap(0.01), { cost }));
  const codes = (await Promise.all(all)).map(describe);
  t.equal(codes.filter((code) => code === 'busy').length, 40);
  t.strictSame(new Set(codes.slice(0, 20)), new Set(['done']));
});
