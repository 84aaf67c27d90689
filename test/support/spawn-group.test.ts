/** Nothing that tests start outlives their process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { childrenOf } from './process-group.js';
import { until } from './until.js';

const PROGRAM = fileURLToPath(new URL('./killed-program.js', import.meta.url));

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** commandOf is the name of a process; undefined when it has ended, whether or not its parent knows. */
function commandOf(pid: number): string | undefined {
  try {
    const [, command, state] = /^\d+ \((.*)\) (.)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!;
    return state === 'Z' ? undefined : command;
  } catch {
    return undefined;
  }
}

t.test('a test that is killed', async (t) => {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { folders } = JSON.parse(line.toString()) as { folders: string[] };
  t.teardown(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  const left = descendantsOf(child.pid!);
  const commands = left.map(commandOf);
  // From Node 24 on, its process has the name of its main thread.
  for (const command of [/^(node|MainThread)$/, /^postgres$/, /^plugin_host$/])
    t.ok(
      commands.some((one) => one !== undefined && command.test(one)),
      `${command} is among ${commands.join(' ')}`,
    );
  child.kill('SIGKILL');
  await until(() => !left.some(commandOf));
  t.same(left.filter(commandOf), []);
});
