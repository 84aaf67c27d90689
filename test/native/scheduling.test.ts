import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { batchScheduling } from '#app/native/scheduling.js';

/** The policy of a thread (proc(5)): 0 is the default, 3 is SCHED_BATCH. */
const policyOf = (stat: string): number =>
  Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);

t.test('batch scheduling applies to this process and its children', (t) => {
  t.equal(policyOf(readFileSync('/proc/self/stat', 'utf8')), 0);
  t.equal(batchScheduling(), true);
  t.equal(policyOf(readFileSync('/proc/self/stat', 'utf8')), 3);
  t.equal(policyOf(spawnSync('cat', ['/proc/self/stat'], { encoding: 'utf8' }).stdout), 3);
  t.end();
});
