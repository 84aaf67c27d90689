/**
 * Runs the tests of the addon and of the plugin host under AddressSanitizer and UBSan, in build/Sanitized: a copy of the
 * compiled project whose build/Release is built with sanitizers. Node itself is not, so the runtime is preloaded, and leak
 * detection is off, because Node does not free all memory when it ends.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const copy = join(root, 'build/Sanitized');
/** Files that tests need. */
const COPIED = ['dist', 'dist-test/test', 'package.json', 'scripts', 'test/vectors'];
/** Folders of test/ that are run. */
const FOLDERS = ['native', 'serve/plugin'];
/** Skipped: resident memory means nothing with the runtime's own bookkeeping. */
const SKIPPED = ['memory', 'memory.long'].map((name) => `test/serve/plugin/${name}.test.ts`);
/** Milliseconds that one test may take. */
const LIMIT = 120_000;

/**
 * testSanitizedAddon builds and runs the tests, two at a time, and prints the number of assertions. Throws with the output
 * of failed tests. The tests must be compiled.
 */
export async function testSanitizedAddon() {
  if (!existsSync(join(root, 'dist-test/test')))
    throw new Error(
      'the tests are not compiled: run "npm test" or "node scripts/build.mjs --tests"',
    );
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
  const script = join(root, 'scripts/build-native.js');
  const built = spawnSync(process.execPath, [script, '--sanitized'], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`);
  // Verify that the options have reached the compiler.
  for (const file of ['sql_rest_service.node', 'plugin_host'])
    if (!readFileSync(join(copy, 'build/Release', file)).includes('__asan_init'))
      throw new Error(`${file} was built without AddressSanitizer`);
  const tests = FOLDERS.flatMap(testsOf);
  for (const skipped of SKIPPED) {
    const at = tests.indexOf(skipped);
    if (at < 0) throw new Error(`there is no ${skipped} to skip`);
    tests.splice(at, 1);
  }
  const total = { passed: 0, failures: [] };
  await Promise.all([runAll(tests, total), runAll(tests, total)]);
  console.log(
    `addon with sanitizers: ${total.passed + total.failures.length} vectors, ${total.failures.length} failures`,
  );
  if (total.failures.length > 0) throw new Error(total.failures.join('\n'));
}

/** testsOf lists the tests of a folder by their sources: compiled ones may be stale. */
function testsOf(folder) {
  return readdirSync(join(root, 'test', folder))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', folder, name));
}

async function runAll(tests, total) {
  for (let test = tests.shift(); test !== undefined; test = tests.shift()) {
    const { status, output } = await runTest(test);
    total.passed += Number(/^# \{.*pass: (\d+)/m.exec(output)?.[1] ?? 0);
    if (status !== 0) total.failures.push(`${test} (${status})\n${output.slice(-10_000)}`);
  }
}

async function runTest(test) {
  const compiled = join(copy, 'dist-test', test.replace(/ts$/, 'js'));
  const env = {
    ...process.env,
    LD_PRELOAD: runtime(),
    // A small quarantine, because of tests that measure memory.
    ASAN_OPTIONS: 'detect_leaks=0:quarantine_size_mb=16',
    UBSAN_OPTIONS: 'print_stacktrace=1',
    TAP_TIMEOUT: String(LIMIT / 1000),
  };
  const child = spawn(process.execPath, [compiled], { cwd: root, env, timeout: LIMIT });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code, signal] = await once(child, 'close');
  return { status: signal ?? code, output };
}

/** runtime is the path of the sanitizer runtime, which must be loaded first. */
function runtime() {
  return spawnSync('c++', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout.trim();
}
