/** A worker thread that dies costs the requests it had, once, and is replaced. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { scriptedPool, type ScriptedPool } from './scripted-pool.js';

t.test('all requests of the thread are lost, those of others are not', async (t) => {
  const { submit } = scriptedPool(t, 2);
  const first = submit('wait=300');
  await sleep(20);
  const other = submit('wait=300');
  await sleep(20);
  t.not(first.worker, other.worker);
  let killer = submit('die');
  const unlucky = killer.worker === first.worker ? first : other;
  const lucky = unlucky === first ? other : first;
  t.equal((await killer.outcome).lost, 'worker_lost');
  t.equal((await unlucky.outcome).lost, 'worker_lost');
  t.equal((await lucky.outcome).status, 200);
  killer = submit();
  t.equal((await killer.outcome).status, 200);
});

t.test('what comes before the replacement is ready waits for it', async (t) => {
  const { submit } = scriptedPool(t);
  t.equal((await submit('die').outcome).lost, 'worker_lost');
  const waiting = await Promise.all([submit().outcome, submit().outcome]);
  t.same(
    waiting.map(({ status }) => status),
    [200, 200],
  );
});

t.test('one death after another', async (t) => {
  const { submit } = scriptedPool(t);
  for (let i = 0; i < 5; i++) {
    t.equal((await submit('die').outcome).lost, 'worker_lost');
    t.equal((await submit().outcome).status, 200);
  }
});

t.test('an exception is no death, and no answer either', async (t) => {
  const { submit } = scriptedPool(t);
  const before = (await submit().outcome).body.threadId;
  const [thrown, neighbour] = [submit('throw'), submit()];
  t.equal((await thrown.outcome).lost, 'internal');
  t.equal((await neighbour.outcome).lost, 'internal');
  t.equal((await submit().outcome).body.threadId, before, 'the thread stays');
});

t.test('a probe under which the thread dies rejects', async (t) => {
  const { pool, submit } = scriptedPool(t);
  void submit('die');
  await new Promise((resolve) => setImmediate(resolve)); // the batch is on its way before the probe
  await t.rejects(pool.probe());
  t.equal((await submit().outcome).status, 200);
  t.same(await pool.probe(), { main: '' });
});

t.test('threads that cannot start are tried again until they can', async (t) => {
  const obstacle = path.join(t.testdir(), 'obstacle');
  await writeFile(obstacle, '');
  const { submit } = scriptedPool(t, 2, obstacle);
  t.equal((await submit().outcome).lost, 'worker_lost');
  await sleep(300); // by now piscina has given up on each of them
  const waiting = [submit(), submit()];
  await rm(obstacle);
  const answers = await Promise.all(waiting.map(({ outcome }) => outcome));
  t.ok(
    answers.every(({ status, lost }) => status === 200 || lost === 'worker_lost'),
    'none is forgotten',
  );
  t.equal(await statusSoon(submit), 200);
});

/** The status once a worker answers, within some seconds. */
async function statusSoon(submit: ScriptedPool['submit']): Promise<number> {
  for (let i = 0; i < 50; i++) {
    const { status } = await submit().outcome;
    if (status !== 0) return status;
    await sleep(100);
  }
  return 0;
}
