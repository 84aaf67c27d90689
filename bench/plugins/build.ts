/**
 * Builds the benchmark's plugin with the C compiler of the machine. Rejects with what the compiler says.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { onPath, output } from '../load/program.js';
import { fromProject } from '../project.js';

/** compilerMissing says why no plugin can be built here. */
export function compilerMissing(): string | undefined {
  return onPath('cc') ? undefined : 'cc is not on the PATH';
}

/** buildPlugin makes `bench.so` in a folder of its own below `folder`, and gives that, which is a `pluginpath`. */
export async function buildPlugin(folder: string): Promise<string> {
  const own = path.join(folder, 'plugins');
  mkdirSync(own, { recursive: true });
  await output('cc', [
    ...['-std=c99', '-Wall', '-Wextra', '-Werror', '-O2', '-shared', '-fPIC'],
    `-I${fromProject('native/include')}`,
    ...['-o', path.join(own, 'bench.so'), fromProject('bench/plugins/bench.c')],
  ]);
  return own;
}
