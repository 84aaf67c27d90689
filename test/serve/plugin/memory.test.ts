/** Hundreds of thousands of calls do not increase the memory of their host process. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { CalledPlugins, probeFolder } from './called-plugins.js';

const folder = probeFolder(t);

const CALLS = 300_000;
const CLIENTS = 64;

const resident = (pid: number): number =>
  (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) || 0) / 1024;

t.test('calls with a response', async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2 });
  const pid = await plugins.pid();
  let left = 0;
  let failed = 0;
  const client = async (): Promise<void> => {
    while (left-- > 0)
      if ((await plugins.call('probe/Typed?bytes=200&a=1')).status !== 203) failed++;
  };
  const run = async (calls: number): Promise<number> => {
    left = calls;
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return resident(pid);
  };
  const before = await run(CALLS / 10);
  const after = await run(CALLS);
  t.equal(failed, 0);
  t.equal(await plugins.pid(), pid);
  t.ok(after - before < 4, `${before.toFixed(1)} MiB, then ${after.toFixed(1)}`);
});

t.test('calls that end their threads', async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2 });
  const pid = await plugins.pid();
  const run = async (calls: number): Promise<number> => {
    await Promise.all(Array.from({ length: calls }, () => plugins.call('probe/EndThread')));
    return resident(pid);
  };
  const before = await run(200);
  const after = await run(2_000);
  t.ok(after - before < 4, `${before.toFixed(1)} MiB, then ${after.toFixed(1)}`);
});
