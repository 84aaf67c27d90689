/**
 * Builds the benchmark's plugin with the system's C compiler. Rejects with the compiler's output.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { onPath, output } from '../load/program.js';
import { fromProject } from '../project.js';

/** compilerMissing returns why no plugin can be built here. */
export function compilerMissing(): string | undefined {
  return onPath('cc') ? undefined : 'cc is not on the PATH';
}

/** buildPlugin builds `bench.so` in a new folder below `folder`, and resolves to that folder, for `pluginpath`. */
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
