/** What waits for a connection to itself: in which order it is served, and when it is refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ScriptCost } from '#app/pg/script-cost.js';
import { startPostgres } from '../support/postgres.js';
import { costOf, describe, fastCost, TestDatabase, type Outcome } from '../support/database.js';

const server = await startPostgres(t);
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

t.test('many requests of one script hold up no other script', async (t) => {
  const db = new TestDatabase(t, server, { connections: 3 });
  const first = costOf(100);
  let ended = 0;
  const many = Array.from({ length: 24 }, () =>
    db.read(nap(0.1), { cost: first }).then(() => ended++),
  );
  await sleep(50);
  const unknown = await db.read(nap(0.001), { cost: new ScriptCost() });
  t.equal(describe(unknown), 'done');
  t.ok(ended <= 12, `it came before most of those that were there: ${ended}`);
  const before = ended;
  const second = costOf(100);
  await Promise.all(Array.from({ length: 3 }, () => db.read(nap(0.1), { cost: second })));
  const meanwhile = ended - before;
  t.ok(meanwhile <= 12, `and an equal one takes turns with it: ${meanwhile}`);
  await Promise.all(many);
});

t.test('one script leaves a connection to the others, slow and fast', async (t) => {
  const db = new TestDatabase(t, server, { connections: 6 });
  const cost = costOf(20_000);
  const long = Array.from({ length: 5 }, () => db.run(nap(20), 'value', { cost }));
  await sleep(100);
  const began = performance.now();
  t.equal(describe(await db.read(nap(0), { cost: new ScriptCost() })), 'done');
  t.equal(describe(await db.read(nap(0), { cost: fastCost() })), 'done');
  t.ok(performance.now() - began < 5_000);
  for (const { job } of long) db.database.abandon(job);
  await Promise.all(long.map(({ outcome }) => outcome));
});

t.test('what would wait in vain is refused at once', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2, connectTimeout: 2_000 });
  const cost = costOf(100);
  let answered = 0;
  const outcomes: Promise<Outcome>[] = Array.from({ length: 64 }, () =>
    db.read(nap(0.1), { cost }).finally(() => answered++),
  );
  await sleep(20);
  t.ok(answered >= 40 && answered <= 43, `of 64 at once ${answered} are refused`);
  t.equal(describe(await db.read(nap(0), { cost: fastCost() })), 'done', 'fast ones are not');
  t.equal(describe(await db.read(nap(0), { cost: new ScriptCost() })), 'done', 'nor unknown ones');
  const codes = (await Promise.all(outcomes)).map(describe);
  t.strictSame(new Set(codes), new Set(['done', 'busy']));
  t.ok(codes.lastIndexOf('done') < 30, 'the last to come were refused');
});

t.test('a first run that took long refuses nothing yet', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2, connectTimeout: 2_000 });
  const cost = new ScriptCost();
  cost.record(100);
  const outcomes = Array.from({ length: 64 }, () => db.read(nap(0), { cost }));
  t.strictSame(new Set((await Promise.all(outcomes)).map(describe)), new Set(['done']));
});

t.test('a full lane refuses those that have most of it', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2, waiting: 250 });
  const hog = costOf(15);
  const block = db.run(nap(20), 'value', { cost: costOf(20) });
  await sleep(50);
  const hogs = Array.from({ length: 300 }, () => db.run(nap(0), 'value', { cost: hog }));
  const other = db.run(nap(0), 'value', { cost: costOf(15) });
  for (const { job } of [block, ...hogs.slice(0, 250)]) db.database.abandon(job);
  const codes = (await Promise.all(hogs.map(({ outcome }) => outcome))).map(describe);
  t.strictSame(new Set(codes.slice(0, 250)), new Set(['timeout']), 'what is abandoned leaves');
  t.strictSame(new Set(codes.slice(250)), new Set(['busy']));
  t.equal(describe(await other.outcome), 'done');
  await block.outcome;
});

t.test('fast statements without end leave room for a slow one', async (t) => {
  const db = new TestDatabase(t, server, { connections: 4 });
  let running = true;
  const cost = fastCost();
  const load = Array.from({ length: 200 }, async () => {
    while (running) await db.read('SELECT 1', { cost });
  });
  await sleep(300);
  const began = performance.now();
  t.equal(describe(await db.read(nap(0.01), { cost: costOf(100) })), 'done');
  t.ok(performance.now() - began < 2_000);
  running = false;
  await Promise.all(load);
});

t.test('a slow statement has its turn on the only connection', async (t) => {
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

t.test('a script that nobody knows may have half of the queue', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1, waiting: 20 });
  const cost = new ScriptCost();
  const all = Array.from({ length: 60 }, () => db.read(nap(0.01), { cost }));
  const codes = (await Promise.all(all)).map(describe);
  t.equal(codes.filter((code) => code === 'busy').length, 40);
  t.strictSame(new Set(codes.slice(0, 20)), new Set(['done']));
});
