/** Many calls do not increase the memory of their host process; memory.long.test.ts has more of them. */
import t from 'tap';
import { CalledPlugins, probeFolder } from './called-plugins.js';
import { callsTest, resident } from './memory.js';

const folder = probeFolder(t);

callsTest(t, folder, 60_000);

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
