/**
 * Builds what is out of date: TypeScript into dist/ (with `--tests`, the tests into dist-test/ too), the bundles of the
 * programs of a service into dist/programs/, the files of the page into dist/clients/page/files/, and the C++ addon into
 * build/. `npm run build` runs it. It needs node_modules. Types are checked by `npm run types`, which takes a minute and
 * writes the declarations; esbuild leaves them out.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { SetupError } from './step.mjs';

const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Output folder of each source folder. */
const OUTPUTS = {
  src: 'dist',
  'src/clients/page': 'dist/clients/page',
  workers: 'dist/workers',
  test: 'dist-test/test',
  bench: 'dist-test/bench',
};

/** Programs that are started often, and their entry modules. */
export const PROGRAMS = {
  serve: 'dist/commands/serve.js',
  'http-process': 'dist/serve/http/http-process.js',
  'query-worker': 'dist/workers/query.js',
  prover: 'dist/workers/prover.js',
};

/** How a module of TypeScript becomes one of JavaScript, also for scripts/mutation-tests.mjs. */
export const COMPILATION = { format: 'esm', target: 'node20', charset: 'utf8' };

/** build throws SetupError with the output of the compiler. */
export async function build({ tests = false } = {}) {
  await compile('dist', ['src', 'src/clients/page', 'workers']);
  if (tests) await compile('dist-test', ['test', 'bench']);
  const script = path.join(PROJECT, 'scripts/build-native.js');
  // A line is printed only if the addon was rebuilt.
  const addon = path.join(PROJECT, 'build/Release/sql_rest_service.node');
  const before = fs.statSync(addon, { throwIfNoEntry: false })?.mtimeMs;
  const native = spawnSync(process.execPath, [script], { cwd: PROJECT, encoding: 'utf8' });
  if (native.status !== 0) throw new SetupError(`${native.stdout}${native.stderr}`);
  if (fs.statSync(addon).mtimeMs !== before) console.log('[setup] built the C++ addon');
}

/** compile compiles folders, unless the sources are unchanged since that last succeeded. */
async function compile(output, folders) {
  const stamp = path.join(PROJECT, output, '.sources');
  const state = sourcesState(folders);
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === state) return;
  const began = performance.now();
  for (const folder of folders) {
    await compileFolder(folder);
    removeStale(folder);
  }
  if (output === 'dist') {
    await bundle();
    await bundlePage();
  }
  fs.writeFileSync(stamp, state);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`[setup] compiled ${folders.join(', ')} in ${seconds} s`);
}

async function compileFolder(folder) {
  const { build } = await import('esbuild');
  const entryPoints = fs
    .readdirSync(path.join(PROJECT, folder), { recursive: true })
    .filter((name) => /(?<!\.d)\.ts$/.test(name) && !name.includes('node_modules'))
    .filter((name) => folder !== 'src' || !name.startsWith('clients/page/'))
    .map((name) => path.join(folder, name));
  try {
    await build({
      ...COMPILATION,
      absWorkingDir: PROJECT,
      entryPoints,
      outbase: folder,
      outdir: OUTPUTS[folder],
      logLevel: 'silent',
    });
  } catch (error) {
    throw new SetupError(error.message);
  }
}

/**
 * bundle makes a few files of each program: Node takes longer to resolve 200 modules than to run them. Names and line
 * breaks stay, so that stack traces are readable; packages are not bundled. Programs of one process share files, those of
 * different processes do not: what they have in common would be many more files.
 */
async function bundle() {
  const { build } = await import('esbuild');
  const outdir = path.join(PROJECT, 'dist/programs');
  fs.rmSync(outdir, { recursive: true, force: true });
  const { serve, ...ofHttpProcess } = PROGRAMS;
  for (const entryPoints of [{ serve }, ofHttpProcess])
    await build({
      absWorkingDir: PROJECT,
      entryPoints,
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      logLevel: 'warning',
    });
}

/** bundlePage makes the three files that a browser loads. */
async function bundlePage() {
  const { build } = await import('esbuild');
  const outdir = path.join(PROJECT, 'dist/clients/page/files');
  fs.rmSync(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: PROJECT,
    entryPoints: [
      { in: 'dist/clients/page/main.js', out: 'page' },
      { in: 'src/clients/page/page.css', out: 'page' },
    ],
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
  fs.copyFileSync(
    path.join(PROJECT, 'src/clients/page/index.html'),
    path.join(outdir, 'index.html'),
  );
}

/** removeStale removes outputs of deleted sources, which a package would contain. */
function removeStale(folder) {
  const output = path.join(PROJECT, OUTPUTS[folder]);
  for (const name of fs.readdirSync(output, { recursive: true })) {
    const source = name.replace(/(\.d\.ts|\.js)$/, '.ts');
    if (source === name || (folder === 'src' && /^(workers|programs|clients\/page)\//.test(name)))
      continue;
    if (folder === 'src/clients/page' && name.startsWith('files/')) continue;
    if (!fs.existsSync(path.join(PROJECT, folder, source))) fs.rmSync(path.join(output, name));
  }
}

/** sourcesState is a hash of the names, sizes and times of all sources. */
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
