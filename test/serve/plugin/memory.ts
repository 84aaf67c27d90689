/** The memory of a plugin host over many calls. */
import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import type { PluginFolder } from '../../support/plugin-folder.js';
import { CalledPlugins } from './called-plugins.js';

const CLIENTS = 64;

/** Calls after which a host process has what it keeps. */
const WARM = 30_000;

/** resident is the memory of a process, in MiB. */
export const resident = (pid: number): number =>
  (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) || 0) / 1024;

/** callsTest makes the test of a number of calls, after which the host process has hardly more memory. */
export function callsTest(t: Test, folder: PluginFolder, count: number): void {
  t.test(`${count} calls with a response`, async (t) => {
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
    const before = await run(WARM);
    const after = await run(count);
    t.equal(failed, 0);
    t.equal(await plugins.pid(), pid);
    t.ok(after - before < 4, `${before.toFixed(1)} MiB, then ${after.toFixed(1)}`);
  });
}
