/** When plans are due: once a minute for each script, in all threads and processes with the same memory. */
import { closeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { createSharedMemory } from '#app/native/shared-memory.js';
import { PlanTimes } from '#app/worker/timing/plan-times.js';
import { PLAN_TIMES_BYTES } from '#app/messages/worker-settings.js';

t.test('memory that cannot be mapped', (t) => {
  for (const descriptor of [undefined, 0, 99_999]) {
    const times = PlanTimes.of(descriptor);
    t.equal(times.take('main', 'a/b'), true, 'its own memory');
    t.equal(times.take('main', 'a/b'), false);
  }
  t.end();
});

t.test('one script', (t) => {
  const memory = new ArrayBuffer(PLAN_TIMES_BYTES);
  const [one, other] = [new PlanTimes(memory), new PlanTimes(memory)];
  t.equal(one.isDue('main', 'a/b', 5), true, 'never read, soon after the start of the machine');
  t.equal(one.take('main', 'a/b', 5), true);
  const cases: [now: number, due: boolean][] = [
    [5, false],
    [64, false],
    [65, false],
    [66, true],
    [1_000_000, true],
  ];
  for (const [now, due] of cases) t.equal(other.isDue('main', 'a/b', now), due, `${now} s`);
  t.equal(other.take('main', 'a/b', 65), false);
  t.equal(other.take('main', 'a/b', 66), true);
  t.equal(one.take('main', 'a/b', 66), false);
  one.giveBack('main', 'a/b');
  t.equal(other.take('main', 'a/b', 67), true, 'no plan was read');
  t.end();
});

t.test('each alias and script by itself', (t) => {
  const times = new PlanTimes(new ArrayBuffer(PLAN_TIMES_BYTES));
  for (const [alias, script] of [
    ['main', 'a/b'],
    ['main', 'a/c'],
    ['other', 'a/b'],
    ['main', '/_mcp/public.things'],
  ] as const)
    t.equal(times.take(alias, script), true, `${alias} ${script}`);
  t.end();
});

t.test('threads that take the same ones at a time', async (t) => {
  const descriptor = createSharedMemory(PLAN_TIMES_BYTES);
  t.teardown(() => closeSync(descriptor));
  const scripts = 2_000;
  const module = import.meta.resolve('#app/worker/timing/plan-times.js');
  const code = `import { parentPort } from 'node:worker_threads';
    import { PlanTimes } from ${JSON.stringify(module)};
    const times = PlanTimes.of(${descriptor});
    parentPort.postMessage('ready');
    parentPort.once('message', () => {
      const taken = [];
      for (let i = 0; i < ${scripts}; i++) if (times.take('main', 'a/' + i, 100)) taken.push(i);
      parentPort.postMessage(taken);
    });`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const workers = [1, 2, 3].map(() => new Worker(url));
  const message = (worker: Worker) =>
    new Promise<unknown>((resolve, reject) => worker.once('message', resolve).once('error', reject)); // prettier-ignore
  await Promise.all(workers.map(message));
  const taken = workers.map(message);
  for (const worker of workers) worker.postMessage('go');
  const all = ((await Promise.all(taken)) as number[][]).flat();
  await Promise.all(workers.map((worker) => worker.terminate()));
  t.equal(new Set(all).size, all.length, 'none was taken twice');
  t.ok(all.length > scripts * 0.9, 'but those that share a slot');
});
