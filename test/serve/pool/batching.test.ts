/** Requests of one tick travel together, and each gets its own answer. */
import { setImmediate as tick } from 'node:timers/promises';
import t from 'tap';
import { scriptedPool } from './scripted-pool.js';

const run = (submit: ReturnType<typeof scriptedPool>['submit'], queries: readonly string[]) =>
  Promise.all(queries.map((query) => submit(query).outcome));

t.test('a tick is one message', async (t) => {
  const { submit } = scriptedPool(t);
  const outcomes = await run(submit, Array<string>(40).fill(''));
  t.same(new Set(outcomes.map(({ body }) => body.size)), new Set([40]));
  t.same(
    outcomes.map(({ body }) => body.folder),
    outcomes.map((_, i) => `f${i + 1}`),
    'each has the answer to its own question',
  );
});

t.test('a message has at most 64 requests', async (t) => {
  const { submit } = scriptedPool(t);
  await submit().outcome; // from now on the thread takes them
  const sizes = (await run(submit, Array<string>(150).fill(''))).map(({ body }) => body.size);
  t.equal(Math.max(...sizes), 64);
  t.equal(sizes.filter((size) => size === 22).length, 22, 'the rest travels alone');
});

t.test('more answers than the ring has room for', async (t) => {
  const { submit } = scriptedPool(t);
  await submit().outcome;
  const outcomes = await run(submit, Array<string>(128).fill(`x=${'y'.repeat(10_000)}`));
  t.same(new Set(outcomes.map(({ body }) => body.size)), new Set([64]), 'half of them at a time');
  t.same(new Set(outcomes.map(({ status }) => status)), new Set([200]));
});

t.test('a slow one does not hold up the answers of its tick', async (t) => {
  const { submit } = scriptedPool(t);
  const slow = submit('wait=2000').outcome;
  const fast = submit().outcome;
  t.equal(await Promise.race([slow.then(() => 'slow'), fast.then(() => 'fast')]), 'fast');
});

t.test('a burst is shared out over the workers', async (t) => {
  const { submit } = scriptedPool(t, { threads: 2 });
  const outcomes = await run(submit, Array<string>(64).fill(''));
  const perThread = new Map<number, number>();
  for (const { body } of outcomes)
    perThread.set(body.threadId, (perThread.get(body.threadId) ?? 0) + 1);
  t.same([...perThread.values()], [32, 32]);
});

t.test('the busy worker is passed over', async (t) => {
  const { submit } = scriptedPool(t, { threads: 2 });
  // One that has not started yet is passed over too.
  const started = new Set<number>();
  while (started.size < 2) {
    const { worker, outcome } = submit();
    await outcome;
    started.add(worker);
  }
  const busy = submit('wait=3600000').worker;
  await tick();
  for (let i = 0; i < 4; i++) {
    const { worker, outcome } = submit();
    t.not(worker, busy);
    await outcome;
  }
});

t.test('an abandoned request is abandoned where it runs', async (t) => {
  const { pool, submit } = scriptedPool(t, { threads: 3 });
  const requests = [];
  for (let i = 0; i < 3; i++) {
    requests.push(submit('wait=3600000'));
    await tick(); // each in a message of its own
  }
  t.equal(new Set(requests.map(({ worker }) => worker)).size, 3);
  for (const { worker, id } of requests) pool.abandon(worker, id);
  for (const { outcome } of requests) t.equal((await outcome).status, 499);
});

t.test('abandoned in the tick in which it came', async (t) => {
  const { pool, submit } = scriptedPool(t);
  const { worker, id, outcome } = submit('wait=3600000');
  pool.abandon(worker, id);
  t.equal((await outcome).status, 499);
});
