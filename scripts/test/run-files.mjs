/**
 * Runs one process of test files, each a program of its own that writes TAP, or several files together. They are not run by
 * the tap command: it has Node load its own modules first, for TypeScript, mocks and coverage, in the test and in every
 * process and thread that the test starts, which took more time than the tests.
 */
import { once } from 'node:events';
import readline from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { shortName } from './files.mjs';
import { compiledName } from './import-graph.mjs';
import { commandOf, endAll, leftOf, spawnMarked } from './process-tree.mjs';
import { Outcome, Report } from './report.mjs';

const TOGETHER = fileURLToPath(new URL('together.mjs', import.meta.url));

/** Seconds that a file may take beyond its limit at most, to say what was open. */
const LAST_WORDS = 5;

/** Milliseconds in which processes that a file has stopped must be gone. */
const GONE = 3_000;

/**
 * runFiles runs test files in one process, each of which may take `limit` seconds. `ended` is called with the short name and
 * the Outcome of each as it ends, and not for files that did not begin because another one ended the process. What the
 * process has started ends with it.
 */
export async function runFiles(project, files, { env, limit, ended }) {
  const last = shortName(files.at(-1));
  const end = limit + Math.min(limit, LAST_WORDS);
  const modules = files.map(compiledName);
  const { child, mark } = spawnMarked(project, files.length === 1 ? modules[0] : TOGETHER, [], {
    ...env,
    TAP: '1',
    TAP_TIMEOUT: String(limit * files.length),
    TEST_FILE_LIMIT: String(limit),
    TEST_FILES: JSON.stringify(modules),
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void endAll(child.pid, mark);
  }, end * 1000);
  const next = (name, outcome) => {
    timer.refresh();
    ended(name, outcome);
  };
  const report = new Report(next, files.length === 1 ? last : undefined);
  const exited = once(child, 'exit');
  const lines = readline.createInterface({ input: child.stdout });
  lines.on('line', (line) => report.read(line));
  const closed = once(lines, 'close');
  const [code, signal] = await exited;
  clearTimeout(timer);
  const left = await leftovers(child.pid, mark);
  await endAll(child.pid, mark);
  await closed;
  const how = late ? `it was killed after ${end} s` : `it ended with ${signal ?? `status ${code}`}`;
  const faults = left.map((command) => `it left a process: ${command}`);
  if (report.current !== undefined) report.close(how);
  else if (code !== 0 && !report.failed) faults.push(`the process of the test: ${how}`);
  for (const fault of faults) {
    const outcome = new Outcome();
    outcome.fail(fault);
    ended(last, outcome);
  }
}

/** leftovers are the commands of what still runs some time after its file has ended. */
async function leftovers(pid, mark) {
  for (const end = Date.now() + GONE; ; await sleep(50)) {
    const left = leftOf(pid, mark);
    if (left.length === 0 || Date.now() > end) return left.map(commandOf);
  }
}
