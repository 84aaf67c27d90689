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
import { installTestPrograms } from './test-programs.mjs';

/** Seconds that one test file may take. */
const FILE_LIMIT = 300;

/** Seconds that a file may take beyond it, to say what was open. */
const LAST_WORDS = 5;

/** Test files that run at one time. */
const JOBS = 2;

/**
 * run runs a program, gives each line it prints to `line`, and returns its exit status, 1 when it was killed. It is killed
 * after `limit` seconds.
 */
async function run(program, args, env, line, limit) {
  const child = spawn(program, args, { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => child.kill();
  const kill = limit && setTimeout(() => child.kill('SIGKILL'), limit * 1000);
  process.once('exit', end);
  const ended = once(child, 'close');
  for await (const text of readline.createInterface({ input: child.stdout })) line(text);
  const [code] = await ended;
  process.off('exit', end);
  clearTimeout(kill);
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
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
    .sort()
    .map((name) => path.join('dist-test/test', name.replace(/ts$/, 'js')));
}

/**
 * tapTests runs test files, each a program of its own that writes TAP, and prints the result of each when it has ended.
 * They are not run by the tap command: it has Node load its own modules first, for TypeScript, mocks and coverage, in the
 * test and in every process and thread that the test starts, which took more time than the tests.
 */
async function tapTests(files) {
  const waiting = [...files];
  const total = { passed: 0, failed: 0 };
  const job = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const { passed, failed } = await tapTest(file);
      total.passed += passed;
      total.failed += failed;
    }
  };
  await Promise.all(Array.from({ length: JOBS }, job));
  return total;
}

/** tapTest runs one test file. */
async function tapTest(file) {
  const report = new Report();
  const env = { ...process.env, TAP: '1', TAP_TIMEOUT: String(FILE_LIMIT) };
  const began = performance.now();
  const read = (line) => report.read(line);
  const status = await run(process.execPath, [file], env, read, FILE_LIMIT + LAST_WORDS);
  if (status !== 0 && report.failed === 0) {
    report.failed = 1;
    report.diagnosis.push(`it ended with status ${status}`);
  }
  const name = file.replace(/^dist-test\/test\/(.*)\.js$/, '$1');
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${report.failed === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  for (const line of report.diagnosis) console.log(line);
  return report;
}

/** Report reads the TAP of one file: the totals at its end, and what failed with its diagnosis. */
class Report {
  passed = 0;
  failed = 0;
  diagnosis = [];
  #within = false;

  read(line) {
    const total = /^# \{(.*)\}$/.exec(line)?.[1];
    if (total) {
      this.passed = Number(/pass: (\d+)/.exec(total)?.[1] ?? 0);
      this.failed = Number(/fail: (\d+)/.exec(total)?.[1] ?? 0);
    } else if (/^\s*(not ok |Bail out!)/.test(line)) this.#within = true;
    else if (/^\s*(ok |# Subtest|\d+\.\.\d+)/.test(line)) this.#within = false;
    if (this.#within) this.diagnosis.push(line);
  }
}

async function main() {
  const parts = process.argv.slice(2);
  await bootstrap({ tests: true });
  const files = testFiles(parts);
  if (files.length === 0) throw new SetupError(`no test file matches: ${parts.join(' ')}`);
  if (files.some((file) => file.includes('/mcp/clients/'))) await installTestPrograms();
  const native = parts.length === 0 ? await nativeTests() : { passed: 0, failed: 0 };
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
