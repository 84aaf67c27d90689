/**
 * Tests the C++ code outside Node: the formatting, the unit tests under AddressSanitizer and UBSan, and a short run of
 * the fuzz target. What is not installed is left out, but in CI (CI=true) a missing clang is a failure. FUZZ_SECONDS sets how long to fuzz (default 10). Exits with 1 when anything fails.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const output = join(root, 'build/test');
const vectors = join(root, 'test/vectors/screen.jsonl');
const inCi = process.env.CI === 'true';

/** Debian 12's. */
const FORMAT_VERSION = 14;
const WARNINGS = ['-std=c++17', '-Wall', '-Wextra', '-Werror', '-g', '-O1'];
const SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];

/** run runs a program and throws when it fails. */
function run(program, ...args) {
  const { status, signal, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (error) throw new Error(`${program} cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${program} failed (${signal ?? `status ${status}`})`);
}

/** version is what a program says of itself, empty when it is not installed. */
function version(program) {
  return spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '';
}

function sourcesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.(cc|h)$/.test(name))
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

function unitTests() {
  const program = join(output, 'value_screen_test');
  const sources = ['native/value_screen.cc', 'native/test/value_screen_test.cc'];
  run('c++', ...WARNINGS, ...SANITIZERS, '-o', program, ...sources);
  run(program, vectors);
}

/** The fuzzer begins with the vectors, which hold every keyword. */
function writeCorpus(folder) {
  mkdirSync(folder, { recursive: true });
  const lines = readFileSync(vectors, 'utf8').trim().split('\n');
  for (const [i, line] of lines.entries())
    writeFileSync(join(folder, `vector-${i}`), JSON.parse(line).value);
}

function fuzz() {
  if (version('clang++') === '') {
    if (inCi) throw new Error('clang++ is not installed');
    console.log('native tests: no clang++, nothing is fuzzed');
    return;
  }
  const program = join(output, 'value_screen_fuzz');
  const corpus = join(output, 'corpus');
  const sources = ['native/value_screen.cc', 'native/fuzz/value_screen_fuzz.cc'];
  writeCorpus(corpus);
  run('clang++', ...WARNINGS, ...SANITIZERS, '-fsanitize=fuzzer', '-o', program, ...sources);
  const seconds = Number(process.env.FUZZ_SECONDS ?? 10);
  const report = ['-verbosity=0', '-print_final_stats=1', `-artifact_prefix=${output}/`];
  run(program, `-max_total_time=${seconds}`, '-max_len=256', ...report, corpus);
}

try {
  mkdirSync(output, { recursive: true });
  checkFormat();
  unitTests();
  fuzz();
} catch (error) {
  console.error(`native tests: ${error.message}`);
  process.exitCode = 1;
}
