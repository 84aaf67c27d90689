import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { batchScheduling } from '#app/native/scheduling.js';

/** The policy of a thread (proc(5)): 0 is the default, 3 is SCHED_BATCH. */
const policyOf = (stat: string): number =>
  Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);

/** The nice value of a thread. */
const niceOf = (stat: string): number =>
  Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);

t.test('batch scheduling applies to this process and its children', (t) => {
  t.equal(policyOf(readFileSync('/proc/self/stat', 'utf8')), 0);
  t.equal(batchScheduling(), true);
  t.equal(policyOf(readFileSync('/proc/self/stat', 'utf8')), 3);
  t.equal(policyOf(spawnSync('cat', ['/proc/self/stat'], { encoding: 'utf8' }).stdout), 3);
  t.end();
});

t.test('low priority applies to one thread', async (t) => {
  const program = new URL('../support/low-priority.js', import.meta.url);
  const thread = new Worker(program);
  const [file] = (await once(thread, 'message')) as [string];
  t.equal(niceOf(readFileSync(file, 'utf8')), 19);
  t.equal(niceOf(readFileSync('/proc/self/stat', 'utf8')), 0);
  thread.postMessage('end');
  await once(thread, 'exit');
});
