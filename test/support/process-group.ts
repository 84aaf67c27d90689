/**
 * A service as a process group of its own: its log as lines, its children, signals to it or to all of it. The group ends
 * with the test, and with the test's process however that ends. What it wrote is kept whole, so that tests can look for
 * what must not be there. When the test fails, warnings and errors of the log and the exit are printed.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { spawnGroup, type TestEnd } from './spawn-group.js';
import { until } from './until.js';

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** Level of warnings in the log, and most lines of a failed test's service that are printed. */
const WARN = 40;
const REPORTED = 50;

/** A standard output that is not a pipe of Node's: the descriptor, and what can be read of it. */
export interface Output {
  readonly fd: number;
  readonly stream: Readable;
}

/** environment is PATH, and the mark by which the test runner knows what a file has started. */
export function environment(): NodeJS.ProcessEnv {
  const { PATH, TEST_FILE_MARK } = process.env;
  return { PATH, TEST_FILE_MARK };
}

export class ProcessGroup {
  /** A folder of the test's, removed with it: the program's working directory. */
  readonly folder: string;
  readonly pid: number;
  /** Exit status or signal, once every process that wrote to its output is gone. */
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly lines: LogLine[] = [];
  /** Everything written to standard output and standard error. */
  output = '';

  /** Its standard output, of which `lines` are read. */
  readonly stdout: Readable;

  readonly #child: ChildProcess;
  #closed = false;

  /** `prepare` fills the folder and gives the program and its arguments. */
  constructor(t: TestEnd, prepare: (folder: string) => readonly string[], output?: Output) {
    this.folder = mkdtempSync(path.join(tmpdir(), 'service '));
    const program = [process.execPath, ...prepare(this.folder)];
    const child = spawnGroup(t, program, {
      cwd: this.folder,
      env: environment(),
      stdio: ['ignore', output?.fd ?? 'pipe', 'pipe'],
    });
    this.#child = child;
    this.stdout = output?.stream ?? child.stdout!;
    this.pid = child.pid ?? 0;
    let rest = '';
    this.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.lines.push(JSON.parse(line) as LogLine);
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#closed = true;
        resolve(code ?? signal ?? 'SIGKILL');
      });
    });
    t.teardown(async () => {
      if (t.passing?.() === false) this.#report();
      this.signalGroup('SIGKILL');
      await this.exited;
      rmSync(this.folder, { recursive: true });
    });
  }

  /**
   * line waits for the n-th log line that is wanted, or whose message has the text; rejects when the program has ended
   * without it.
   */
  line(wanted: string | ((line: LogLine) => boolean), n = 1): Promise<LogLine> {
    const is = typeof wanted === 'string' ? ({ msg }: LogLine) => msg.includes(wanted) : wanted;
    return until(() => {
      const line = this.lines.filter(is)[n - 1];
      if (line === undefined && this.#closed && this.stdout.closed)
        throw new Error(`the log ended without ${wanted.toString()}`);
      return line;
    });
  }

  /**
   * httpProcesses are the numbers of the running HTTP processes. One that is about to run its program is none yet: the
   * supervisor waits for it, so that a signal would stop both.
   */
  httpProcesses(): number[] {
    const own = commandOf(this.pid);
    return childrenOf(this.pid).filter((pid) => alive(pid) && commandOf(pid) !== own);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** signalGroup signals supervisor and HTTP processes alike, as a terminal does. */
  signalGroup(signal: NodeJS.Signals): void {
    if (this.#closed) return; // its number may be another's
    try {
      process.kill(-this.pid, signal);
    } catch {
      // nothing is left of the group
    }
  }

  /** Prints to standard error what tells why the test failed, in the order of the log. */
  #report(): void {
    const lines = this.lines.filter(({ level }) => Number(level) >= WARN).slice(-REPORTED);
    const { exitCode, signalCode } = this.#child;
    const state = exitCode ?? signalCode;
    const title = `service ${this.pid}: ${state === null ? 'running' : `exited with ${state}`}`;
    console.error([title, ...lines.map((line) => `  ${JSON.stringify(line)}`)].join('\n'));
  }
}

/** alive tells whether a process runs. A zombie does not: not every process 1 reaps what it inherits. */
export function alive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}

/**
 * ended waits until processes have ended, and then for what they closed to be seen here: otherwise a request could still be
 * written to a kept connection of theirs.
 */
export async function ended(pids: readonly number[]): Promise<void> {
  await until(() => !pids.some(alive));
  await setImmediate();
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** childrenOf is the process numbers of a process's children. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .map(Number)
      .filter((child) => child > 0);
  } catch {
    return [];
  }
}
