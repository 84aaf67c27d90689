/**
 * `npm test`: sets up and builds what is missing, then runs the tests of the C++ parts and those of test/, a line for
 * each file, the details of what failed, and the total of all assertions at the end. Arguments choose test files by a
 * part of their path: `npm test -- http/`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { bootstrap, PROJECT } from './bootstrap.mjs';
import { SetupError } from './step.mjs';

/** Seconds that one test file may take. */
const FILE_LIMIT = 300;

/** run runs a program, gives each line it prints to `line`, and returns its exit status. */
async function run(program, args, env, line) {
  const child = spawn(program, args, { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => child.kill();
  process.once('exit', end);
  const ended = once(child, 'close');
  for await (const text of readline.createInterface({ input: child.stdout })) line(text);
  const [code] = await ended;
  process.off('exit', end);
  return code ?? 1;
}

/** nativeTests runs the C++ tests, which print how many vectors they tried. */
async function nativeTests() {
  let tried = 0;
  let failed = 0;
  const status = await run('npm', ['run', '--silent', 'test:native'], process.env, (line) => {
    console.log(line);
    const total = /: (\d+) vectors, (\d+) failures$/.exec(line);
    if (total) {
      tried += Number(total[1]);
      failed += Number(total[2]);
    }
  });
  const passed = tried - failed;
  return { passed, failed: status !== 0 && failed === 0 ? 1 : failed };
}

/** testFiles lists the compiled form of each test file there is a source of, so that none of a removed one runs. */
function testFiles(parts) {
  return fs
    .readdirSync(path.join(PROJECT, 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
    .sort()
    .map((name) => path.join('dist-test/test', name.replace(/ts$/, 'js')));
}

/** tapTests runs test files with tap, two at a time. */
async function tapTests(files) {
  const tap = path.join(PROJECT, 'node_modules/.bin/tap');
  const options = ['run', '--disable-coverage', '--jobs=2', `--timeout=${FILE_LIMIT}`];
  const report = new Report();
  const env = { ...process.env, TAP: '1' };
  const status = await run(tap, [...options, ...files], env, (line) => report.read(line));
  if (status !== 0 && report.failed === 0) report.failed = 1;
  return report;
}

/** Report reads TAP: the outermost results are files, inside them what failed is printed with its diagnosis. */
class Report {
  passed = 0;
  failed = 0;
  #diagnosis = false;

  read(line) {
    const file = /^(ok|not ok) \d+ - (?:dist-test\/test\/)?(\S+?)(?:\.js)? # time=([\d.]+)ms/.exec(
      line,
    );
    if (file) {
      const [, result, name, time] = file;
      console.log(
        `${result === 'ok' ? 'ok    ' : 'FAILED'} ${name} (${(time / 1000).toFixed(1)} s)`,
      );
      this.#diagnosis = result !== 'ok';
      return;
    }
    const total = /^# \{(.*)\}$/.exec(line)?.[1];
    if (total) {
      this.passed = Number(/pass: (\d+)/.exec(total)?.[1] ?? 0);
      this.failed = Number(/fail: (\d+)/.exec(total)?.[1] ?? 0);
      return;
    }
    if (/^\s*not ok /.test(line)) this.#diagnosis = true;
    else if (/^\s*(ok |# Subtest|\d+\.\.\d+)/.test(line)) this.#diagnosis = false;
    if (this.#diagnosis) console.log(line);
  }
}

async function main() {
  const parts = process.argv.slice(2);
  await bootstrap({ tests: true });
  const native = parts.length === 0 ? await nativeTests() : { passed: 0, failed: 0 };
  const files = testFiles(parts);
  if (files.length === 0) throw new SetupError(`no test file matches: ${parts.join(' ')}`);
  const tap = await tapTests(files);
  const failed = native.failed + tap.failed;
  console.log(`${native.passed + tap.passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof SetupError ? `\n${error.message}` : error);
    process.exit(1);
  },
);
