/**
 * Builds what is out of date: TypeScript into dist/ (and the tests into dist-test/ when asked), and the C++ addon into
 * build/. `npm run build` runs it; needs node_modules.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError, step } from './step.mjs';

const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Where what is compiled from a folder goes. */
const OUTPUTS = {
  src: 'dist',
  workers: 'dist/workers',
  test: 'dist-test/test',
  bench: 'dist-test/bench',
};

/** build builds; throws SetupError with what the compiler printed. */
export async function build({ tests = false } = {}) {
  await compile('dist', ['src', 'workers']);
  if (tests) await compile('dist-test', ['src', 'workers', 'test', 'bench']);
  const script = path.join(PROJECT, 'scripts/build-native.js');
  // Quick when there is nothing to do, and then not worth a line.
  const addon = path.join(PROJECT, 'build/Release/sql_rest_service.node');
  const before = fs.statSync(addon, { throwIfNoEntry: false })?.mtimeMs;
  const native = spawnSync(process.execPath, [script], { cwd: PROJECT, encoding: 'utf8' });
  if (native.status !== 0) throw new SetupError(`${native.stdout}${native.stderr}`);
  if (fs.statSync(addon).mtimeMs !== before) console.log('[setup] built the C++ addon');
}

/** compile runs tsc unless the sources are those it was last run on without an error. */
async function compile(output, folders) {
  const stamp = path.join(PROJECT, output, '.sources');
  const state = sourcesState(folders);
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === state) return;
  const tsc = path.join(PROJECT, 'node_modules/typescript/bin/tsc');
  await step(`compiling ${folders.join(', ')}`, process.execPath, [tsc, '-b', ...folders], {
    cwd: PROJECT,
  });
  for (const folder of folders) removeStale(folder);
  fs.writeFileSync(stamp, state);
}

/** removeStale removes what was compiled from sources that are gone: a package would carry it. */
function removeStale(folder) {
  const output = path.join(PROJECT, OUTPUTS[folder]);
  for (const name of fs.readdirSync(output, { recursive: true })) {
    const source = name.replace(/(\.d\.ts|\.js)$/, '.ts');
    if (source === name || (folder === 'src' && name.startsWith('workers/'))) continue;
    if (!fs.existsSync(path.join(PROJECT, folder, source))) fs.rmSync(path.join(output, name));
  }
}

/** sourcesState changes with any name, size or time of the sources, also when one is removed. */
function sourcesState(folders) {
  const hash = createHash('sha256');
  const files = ['tsconfig.base.json', 'package-lock.json'];
  for (const folder of folders) {
    const names = fs
      .readdirSync(path.join(PROJECT, folder), { recursive: true })
      .filter((name) => !name.includes('node_modules'));
    files.push(...names.map((name) => path.join(folder, name)).sort());
  }
  for (const file of files) {
    const stat = fs.statSync(path.join(PROJECT, file));
    if (stat.isFile()) hash.update(`${file}\0${stat.size}\0${stat.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  build({ tests: process.argv.includes('--tests') }).catch((error) => {
    console.error(error instanceof SetupError ? error.message : error);
    process.exitCode = 1;
  });
}
