/**
 * Ends what a test file has started: its descendants, and processes whose parent is gone, which carry its mark in their
 * environment. PostgreSQL servers are left to their keepers (embedded-postgres.mjs), which end them in order.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The variable that holds the mark. */
const MARK = 'TEST_FILE_MARK';

/** Marks of what runs now, by process id. */
const running = new Map();
let started = 0;

/** spawnMarked runs a program of Node's, whose standard output is piped, in a group of its own. */
export function spawnMarked(cwd, program, args, env = {}, stderr = 'inherit') {
  const mark = `${process.pid}-${++started}`;
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...process.env, ...env, [MARK]: mark },
    stdio: ['ignore', 'pipe', stderr],
    detached: true,
  });
  running.set(child.pid, mark);
  child.once('close', () => running.delete(child.pid));
  return { child, mark };
}

/** endRunning ends everything that runs now, at once: for a runner that is to end. */
export function endRunning() {
  for (const [pid, mark] of running) kill(leftOf(pid, mark));
}

/** endOnSignals has a runner that is interrupted end everything that runs, and exit. */
export function endOnSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      endRunning();
      process.exit(1);
    });
  }
}

/** leftOf lists the processes that a file has started and that still run, itself included. */
export function leftOf(pid, mark) {
  const processes = new Map();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    const end = stat.lastIndexOf(')');
    const [state, parent] = stat.slice(end + 2).split(' ');
    if (end < 0 || state === 'Z' || state === 'X') continue;
    const command = stat.slice(stat.indexOf('(') + 1, end);
    processes.set(Number(name), { parent: Number(parent), command });
  }
  const wanted = `${MARK}=${mark}\0`;
  const found = new Set();
  const belongs = (one) => {
    for (let at = one; processes.has(at); at = processes.get(at).parent)
      if (at === pid) return true;
    return read(`/proc/${one}/environ`).includes(wanted);
  };
  for (const [one, { command }] of processes) {
    if (command !== 'postgres' && one !== process.pid && belongs(one)) found.add(one);
  }
  return [...found];
}

/** endAll kills them, those that come meanwhile too; waits until they are gone. */
export async function endAll(pid, mark) {
  for (let left = leftOf(pid, mark), round = 0; left.length > 0 && round < 100; round++) {
    kill(left);
    await sleep(20);
    left = leftOf(pid, mark);
  }
}

function kill(pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

export function commandOf(pid) {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
