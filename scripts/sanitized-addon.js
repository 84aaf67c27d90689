/**
 * The tests of the addon and of the program that plugins run in, with both under AddressSanitizer and UBSan: a copy of
 * what is compiled, in build/Sanitized, whose build/Release is made with them. Node itself is not, and so the runtime is
 * loaded before it, and leaks (what Node has not freed when it ends) are not looked for.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const copy = join(root, 'build/Sanitized');
/** What a test finds beside itself. */
const COPIED = ['dist', 'dist-test/test', 'package.json', 'scripts', 'test/vectors'];
/** Folders of test/ with the tests that run. */
const FOLDERS = ['native', 'plugin'];
/** What a million calls leave resident says nothing under a runtime that keeps account of all memory. */
const LEFT_OUT = ['memory.test.ts'];
/** Milliseconds that one test may take. */
const LIMIT = 120_000;

/**
 * testSanitizedAddon builds and runs them, two at a time, and prints how many assertions there were. Throws with what was
 * printed when one fails; what is compiled must be there.
 */
export async function testSanitizedAddon() {
  if (!existsSync(join(root, 'dist-test/test')))
    throw new Error('the tests are not compiled: run "npm test" or "npx tsc -b"');
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
  const script = join(root, 'scripts/build-native.js');
  const built = spawnSync(process.execPath, [script, '--sanitized'], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`);
  // Options that do not reach the compiler would make this a test of nothing.
  for (const file of ['sql_rest_service.node', 'plugin_host'])
    if (!readFileSync(join(copy, 'build/Release', file)).includes('__asan_init'))
      throw new Error(`${file} was built without AddressSanitizer`);
  const tests = FOLDERS.flatMap(testsOf);
  const total = { passed: 0, failures: [] };
  await Promise.all([runAll(tests, total), runAll(tests, total)]);
  console.log(
    `addon with sanitizers: ${total.passed + total.failures.length} vectors, ${total.failures.length} failures`,
  );
  if (total.failures.length > 0) throw new Error(total.failures.join('\n'));
}

/** testsOf lists the tests of a folder that there is a source of. */
function testsOf(folder) {
  return readdirSync(join(root, 'test', folder))
    .filter((name) => name.endsWith('.test.ts') && !LEFT_OUT.includes(name))
    .map((name) => join('dist-test/test', folder, name.replace(/ts$/, 'js')));
}

async function runAll(tests, total) {
  for (let test = tests.shift(); test !== undefined; test = tests.shift()) {
    const { status, output } = await runTest(test);
    total.passed += Number(/^# \{.*pass: (\d+)/m.exec(output)?.[1] ?? 0);
    if (status !== 0) total.failures.push(`${test} (${status})\n${output.slice(-10_000)}`);
  }
}

async function runTest(test) {
  const env = {
    ...process.env,
    LD_PRELOAD: runtime(),
    // What is freed is kept for a while, but not so much that tests of memory find it.
    ASAN_OPTIONS: 'detect_leaks=0:quarantine_size_mb=16',
    UBSAN_OPTIONS: 'print_stacktrace=1',
    TAP_TIMEOUT: String(LIMIT / 1000),
  };
  const child = spawn(process.execPath, [join(copy, test)], { cwd: root, env, timeout: LIMIT });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code, signal] = await once(child, 'close');
  return { status: signal ?? code, output };
}

/** runtime is the path of the library that has to be loaded first. */
function runtime() {
  return spawnSync('c++', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout.trim();
}
