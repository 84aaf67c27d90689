/** A worker thread that dies costs the requests it had, once, and is replaced. */
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { until } from '../../support/until.js';
import { scriptedPool, type Submitted } from './scripted-pool.js';

const DYING = fileURLToPath(new URL('./fixtures/dying-worker.js', import.meta.url));

/** Waits until the batches of this tick are on their way. */
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('all requests of the thread are lost, those of others are not', async (t) => {
  const { pool, submit } = scriptedPool(t, { threads: 2 });
  const first = submit('wait=3600000');
  await tick();
  const other = submit('wait=3600000');
  await tick();
  t.not(first.worker, other.worker);
  const killer = submit('die');
  const unlucky = killer.worker === first.worker ? first : other;
  const lucky = unlucky === first ? other : first;
  t.equal((await killer.outcome).status, 0);
  t.equal((await unlucky.outcome).status, 0);
  pool.abandon(lucky.worker, lucky.id);
  t.equal((await lucky.outcome).status, 499, 'it still runs');
  t.equal((await submit().outcome).status, 200);
});

t.test('an exception ends its thread, and no other', async (t) => {
  const { pool, submit, deaths } = scriptedPool(t, { threads: 2 });
  const bystander = submit('wait=3600000');
  await tick();
  const [thrower, neighbour] = [submit('throw'), submit('wait=3600000')];
  t.not(thrower.worker, bystander.worker);
  t.equal(neighbour.worker, thrower.worker);
  t.equal((await thrower.outcome).status, 0);
  t.equal((await neighbour.outcome).status, 0);
  pool.abandon(bystander.worker, bystander.id);
  t.equal((await bystander.outcome).status, 499, 'it still runs');
  t.same(
    deaths.map(({ worker }) => worker),
    [thrower.worker],
  );
});

t.test('what comes before the replacement is ready waits for it', async (t) => {
  const { submit } = scriptedPool(t);
  t.equal((await submit('die').outcome).status, 0);
  const waiting = await Promise.all([submit().outcome, submit().outcome]);
  t.same(
    waiting.map(({ status }) => status),
    [200, 200],
  );
});

t.test('what was only collected when the thread died goes to its replacement', async (t) => {
  const { submit, deaths } = scriptedPool(t);
  await submit().outcome;
  const killer = submit('die');
  await tick();
  // One request in each tick, so that some are collected in the very one in which the death is noticed.
  const others = [];
  while (deaths.length === 0) {
    others.push(submit('wait=10'));
    await tick();
  }
  others.push(submit());
  t.equal((await killer.outcome).status, 0);
  const statuses = await Promise.all(others.map(async ({ outcome }) => (await outcome).status));
  const kept = statuses.indexOf(200);
  t.ok(kept >= 0);
  t.ok(statuses.slice(0, kept).every((status) => status === 0));
  t.ok(statuses.slice(kept).every((status) => status === 200));
});

t.test('abandoned while no thread takes requests', async (t) => {
  const { pool, submit } = scriptedPool(t);
  t.equal((await submit('die').outcome).status, 0);
  const { worker, id, outcome } = submit('wait=3600000');
  pool.abandon(worker, id);
  t.equal((await outcome).status, 499);
});

t.test('requests avoid the worker that is being replaced', async (t) => {
  const obstacle = path.join(t.testdir(), 'obstacle');
  const { pool, submit } = scriptedPool(t, { threads: 2, obstacle });
  await Promise.all(Array.from({ length: 40 }, () => submit().outcome));
  await writeFile(obstacle, '');
  const killer = submit('die');
  await killer.outcome;
  for (let i = 0; i < 20; i++) {
    pool.abandon(killer.worker, killer.id); // as a client does that leaves in the same tick
    const { worker, outcome } = submit();
    t.not(worker, killer.worker);
    t.equal((await outcome).status, 200);
  }
});

t.test('answers of a thread that died do not make its replacement look idle', async (t) => {
  const { submit } = scriptedPool(t, { threads: 2 });
  const each = (count: number, query: string) => Array.from({ length: count }, () => submit(query));
  const all = (some: readonly Submitted[]) => Promise.all(some.map(({ outcome }) => outcome));
  await all(each(40, ''));
  const some = [...each(15, ''), submit('die')];
  t.equal(new Set(some.map(({ worker }) => worker)).size, 1);
  await tick();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200); // both answers and death are there to be seen
  await all(some);
  // Equally busy workers take turns, so that the replacement gets one of two requests as soon as it runs.
  for (let one = submit(); one.worker !== some[0]!.worker; one = submit()) await one.outcome;
  await submit().outcome;
  const burst = each(64, 'wait=100');
  const shares = [0, 1].map((n) => burst.filter(({ worker }) => worker === n).length);
  t.same(shares, [32, 32]);
  await all(burst);
});

t.test('one death after another', async (t) => {
  const { submit } = scriptedPool(t);
  for (let i = 0; i < 5; i++) {
    t.equal((await submit('die').outcome).status, 0);
    t.equal((await submit().outcome).status, 200);
  }
});

t.test('a worker that keeps dying is started ever more rarely', async (t) => {
  const file = path.join(t.testdir({ starts: '' }), 'starts');
  scriptedPool(t, { program: DYING, obstacle: file });
  const starts = (): number[] => readFileSync(file, 'utf8').trim().split('\n').map(Number);
  await until(() => starts().length >= 6);
  const pauses = starts().slice(1).map((at, i) => at - starts()[i]!); // prettier-ignore
  for (const [i, least] of [0, 100, 200, 400, 800].entries())
    t.ok(pauses[i]! >= least, `${Math.round(pauses[i]!)} ms, at least ${least}`);
});

t.test('a probe under which the thread dies rejects', async (t) => {
  const { pool, submit } = scriptedPool(t);
  await submit('mute').outcome;
  const probe = pool.ask('probe', 'main');
  void submit('die');
  await t.rejects(probe);
  t.equal((await submit().outcome).status, 200);
  t.equal((await pool.ask('probe', 'main')).reason, '');
});

t.test('threads that cannot start are tried again until they can', async (t) => {
  const obstacle = path.join(t.testdir(), 'obstacle');
  await writeFile(obstacle, '');
  const { submit } = scriptedPool(t, { threads: 2, obstacle });
  t.equal((await submit().outcome).status, 0, 'no request waits for a thread that may never start');
  await sleep(300); // by now piscina has given up on each of them
  const waiting = [submit(), submit()];
  await rm(obstacle);
  const answers = await Promise.all(waiting.map(({ outcome }) => outcome));
  t.ok(
    answers.every(({ status }) => status === 200 || status === 0),
    'none is forgotten',
  );
  const status = await until(async () => (await submit().outcome).status || undefined);
  t.equal(status, 200);
});

t.test('closing with requests in flight ends', async (t) => {
  const { pool, submit } = scriptedPool(t, { threads: 2 });
  for (let i = 0; i < 40; i++) void submit('wait=3600000');
  await tick();
  for (let i = 0; i < 40; i++) void submit();
  await pool.close();
  t.pass();
});
