/**
 * Tests the C++ code outside Node: the formatting, the programs of native/test under sanitizers, and a short run of the
 * fuzz targets; in CI, or with SANITIZED_ADDON=true, the addon's tests under sanitizers too. With --short, as `npm test`
 * runs it, only the formatting and the programs under AddressSanitizer; with --rest all else. What is not installed is
 * left out by name, but in CI (CI=true) it is a failure. FUZZ_SECONDS sets how long to fuzz in all (default 10). Exits with
 * 1 when anything fails.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dropForeignCache } from './cmake-cache.js';
import { testSanitizedAddon } from './sanitized-addon.js';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const output = join(root, 'build/test');
const plugins = join(output, 'plugins');
const inCi = process.env.CI === 'true';
const short = process.argv.includes('--short');
const rest = process.argv.includes('--rest');

/** Debian 12's. */
const FORMAT_VERSION = 14;

/** The programs: how they are compiled (native/test/CMakeLists.txt), and their argument, if any. */
const PROGRAMS = [
  { flavour: 'sanitized', name: 'value_screen_test', argument: vectors('screen') },
  { flavour: 'sanitized', name: 'query_string_test', argument: vectors('query-strings') },
  { flavour: 'sanitized', name: 'row_count_test' },
  { flavour: 'sanitized', name: 'shared_memory_test' },
  { flavour: 'sanitized', name: 'plugin_library_test', argument: plugins },
  { flavour: 'sanitized', name: 'plugin_call_test', argument: plugins },
  { flavour: 'threads', name: 'log_writer_test' },
  { flavour: 'threads', name: 'plugin_threads_test', argument: plugins },
  { flavour: 'threads', name: 'plugin_pool_test', argument: plugins },
  { flavour: 'plain', name: 'plugin_memory_test', argument: plugins },
];

/** What a flavour needs of the compiler. */
const SANITIZERS = { sanitized: 'address,undefined', threads: 'thread', plain: undefined };

/** The fuzz targets, how long their inputs may get, and what they begin with. */
const FUZZERS = [
  { name: 'value_screen_fuzz', length: 256, corpus: () => values('screen', 'value') },
  { name: 'query_string_fuzz', length: 256, corpus: () => values('query-strings', 'raw') },
  { name: 'row_count_fuzz', length: 256, corpus: () => values('query-strings', 'raw') },
  { name: 'plugin_manifest_fuzz', length: 1 << 16, corpus: () => libraries('odd', 'throws') },
];

function vectors(name) {
  return join(root, `test/vectors/${name}.jsonl`);
}

/** run runs a program and throws when it fails. */
function run(program, ...args) {
  const { status, signal, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (error) throw new Error(`${program} cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${program} failed (${signal ?? `status ${status}`})`);
}

/** quietly runs a program, shows what it says only when it fails, and returns that otherwise. */
function quietly(program, ...args) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) throw new Error(`${program} cannot be run: ${error.message}`);
  if (status === 0) return stdout + stderr;
  console.error(stdout + stderr);
  throw new Error(`${program} failed (${signal ?? `status ${status}`})`);
}

/** leftOut says that something is missing, which in CI is a failure. */
function leftOut(missing, consequence) {
  if (inCi) throw new Error(`${missing} is not installed`);
  console.log(`native tests: no ${missing}, ${consequence}`);
}

/** version is what a program says of itself, empty when it is not installed. */
function version(program) {
  return spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '';
}

/** hasSanitizer tells whether a program can be made with a sanitizer: its runtime is a package of its own. */
function hasSanitizer(compiler, sanitizer) {
  const source = join(output, 'empty.cc');
  writeFileSync(source, 'int main() {}\n');
  const args = [`-fsanitize=${sanitizer}`, '-o', join(output, 'empty'), source];
  return spawnSync(compiler, args).status === 0;
}

function sourcesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.(cc|c|h|hpp)$/.test(name))
    .map((name) => join(folder, name));
}

function checkFormat() {
  // Versions differ in what they find well-formed.
  if (!version('clang-format').includes(`version ${FORMAT_VERSION}.`)) {
    console.log(`native tests: no clang-format ${FORMAT_VERSION}, the formatting is not checked`);
    return;
  }
  run('clang-format', '--dry-run', '-Werror', ...sourcesBelow('native'));
}

/** build makes the programs of some flavours; those that are newer than their sources are left alone. */
function build(folder, compilers, flavours) {
  const settings = [...compilers, `FLAVOURS=${flavours.join(';')}`].map(
    (setting) => `-D${setting}`,
  );
  dropForeignCache(folder, join(root, 'native/test'));
  quietly('cmake', '-S', join(root, 'native/test'), '-B', folder, ...settings);
  quietly('cmake', '--build', folder, '--parallel', '2');
}

/** ThreadSanitizer of gcc 12 finds no place in an address space as random as newer kernels make it. */
function withoutRandomness() {
  const bits = '/proc/sys/vm/mmap_rnd_bits';
  const random = existsSync(bits) && Number(readFileSync(bits, 'utf8')) > 28;
  return random ? ['setarch', '-R'] : [];
}

function unitTests() {
  const wanted = Object.keys(SANITIZERS).filter((flavour) =>
    flavour === 'sanitized' ? !rest : !short,
  );
  const flavours = wanted.filter((flavour) => {
    const sanitizer = SANITIZERS[flavour];
    if (sanitizer === undefined || hasSanitizer('c++', sanitizer)) return true;
    leftOut(`runtime of -fsanitize=${sanitizer}`, 'what is tested under it is not');
    return false;
  });
  build(output, [], flavours);
  for (const { flavour, name, argument } of PROGRAMS) {
    if (!flavours.includes(flavour)) continue;
    const before = flavour === 'threads' ? withoutRandomness() : [];
    run(...before, join(output, name), ...(argument ? [argument] : []));
  }
}

/** values lists a member of each vector. */
function values(name, member) {
  const lines = readFileSync(vectors(name), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line)[member]).filter((value) => value.length < 256);
}

function libraries(...names) {
  return names.map((name) => readFileSync(join(plugins, `${name}.so`)));
}

async function addonTests() {
  if (hasSanitizer('c++', SANITIZERS.sanitized)) return testSanitizedAddon();
  leftOut('runtime of AddressSanitizer', "the addon's tests are not run under it");
}

function fuzz() {
  if (version('clang++') === '' || !hasSanitizer('clang++', 'fuzzer-no-link,address')) {
    leftOut('clang++ with its runtime', 'nothing is fuzzed');
    return;
  }
  const folder = join(output, 'fuzz');
  build(folder, ['CMAKE_C_COMPILER=clang', 'CMAKE_CXX_COMPILER=clang++'], ['fuzzers']);
  const seconds = Math.ceil(Number(process.env.FUZZ_SECONDS ?? 10) / FUZZERS.length);
  for (const { name, length, corpus } of FUZZERS) {
    const seeds = join(folder, `${name}-corpus`);
    mkdirSync(seeds, { recursive: true });
    for (const [i, seed] of corpus().entries()) writeFileSync(join(seeds, `seed-${i}`), seed);
    const limits = [`-max_total_time=${seconds}`, `-max_len=${length}`];
    const report = ['-verbosity=0', '-print_final_stats=1', `-artifact_prefix=${folder}/`];
    const said = quietly(join(folder, name), ...limits, ...report, seeds);
    console.log(`${name}: ${/number_of_executed_units: *(\d+)/.exec(said)?.[1]} inputs`);
  }
}

try {
  mkdirSync(output, { recursive: true });
  if (!rest) checkFormat();
  unitTests();
  if (!short) fuzz();
  if (!short && (inCi || process.env.SANITIZED_ADDON === 'true')) await addonTests();
} catch (error) {
  console.error(`native tests: ${error.message}`);
  process.exitCode = 1;
}
