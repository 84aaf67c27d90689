/** What a test file has started ends with it: after its last assertion, at its limit, and with the runner. */
import t from 'tap';
import { alive } from '../support/process-group.js';
import { until } from '../support/until.js';
import { TestProject } from './test-project.js';

/** Starts a child that leads a group of its own, and a grandchild whose parent is gone; writes both down. */
const STARTS = `
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import t from 'tap';
const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
child.unref();
const orphan = spawnSync('sh', ['-c', 'setsid sleep 1001 >/dev/null 2>&1 & echo $!'], { encoding: 'utf8' });
fs.writeFileSync('pids', child.pid + ' ' + orphan.stdout.trim());
t.ok(true);`;

/** Blocks the only thread, so that no limit of its own can end it. */
const BLOCKS = `${STARTS} Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;

/** left waits until both processes have started, and tells which of them run once `end` has resolved. */
async function left(project: TestProject, end: () => Promise<unknown>): Promise<boolean[]> {
  let pids: number[] = [];
  await until(() => {
    try {
      pids = project.read('pids').split(' ').map(Number);
    } catch {
      // not written yet
    }
    return pids.length === 2;
  });
  await end();
  await until(() => !pids.some(alive));
  return pids.map(alive);
}

t.test('a file that leaves processes fails', async (t) => {
  const project = new TestProject(t, { 'dist-test/test/leaves.test.js': STARTS });
  const { ended } = project.start();
  t.strictSame(await left(project, () => ended), [false, false]);
  const { code, output } = await ended;
  t.equal(code, 1);
  for (const seconds of [1000, 1001]) t.match(output, `it left a process: sleep ${seconds}\n`);
  t.match(output, /^1 passed, 2 failed\n$/m);
});

t.test('at the limit of a file', async (t) => {
  const project = new TestProject(t, { 'dist-test/test/blocks.test.js': BLOCKS });
  const { ended } = project.start(['--limit', '3', 'test/']);
  t.strictSame(await left(project, () => ended), [false, false]);
  const { code, output } = await ended;
  t.equal(code, 1);
  t.match(output, /^FAILED blocks .*\nit was killed after 6 s$/m);
});

t.test('the runner is ended', async (t) => {
  const project = new TestProject(t, { 'dist-test/test/blocks.test.js': BLOCKS });
  const run = project.start();
  const end = (): Promise<unknown> => {
    run.signal();
    return run.ended;
  };
  t.strictSame(await left(project, end), [false, false]);
  t.equal((await run.ended).code, 1);
});
