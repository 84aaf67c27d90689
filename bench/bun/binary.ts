/** The program `bun`, from the package registry into .bench/: no dependency of the project. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { output } from '../load/program.js';
import { keptFolder } from '../project.js';

const VERSION = '1.3.3';
/** The builds for processors with and without AVX2 differ; this one runs on all. */
const PACKAGE = '@oven/bun-linux-x64-baseline';

/** bunProgram is its absolute path, once fetchBun has resolved. */
export function bunProgram(): string {
  return path.join(keptFolder('peers', `bun-${VERSION}`), 'node_modules', PACKAGE, 'bin/bun');
}

/** bunMissing returns why there is none for this machine. */
export function bunMissing(): string | undefined {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  return `the benchmark fetches bun for linux-x64 only, and this is ${process.platform}-${process.arch}`;
}

/** fetchBun installs the program unless it is there. Rejects with the reason. */
export async function fetchBun(): Promise<void> {
  if (existsSync(bunProgram())) return;
  const folder = keptFolder('peers', `bun-${VERSION}`);
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await output('npm', ['install', '--prefix', folder, ...quiet, `${PACKAGE}@${VERSION}`]);
}
