/**
 * A service as a process group of its own: its log as lines, its children, signals to it or to all of it, and its end
 * with the test. What it wrote is kept whole, so that tests can look for what must not be there.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

export class ProcessGroup {
  /** A folder of the test's, removed with it: the program's working directory. */
  readonly folder: string;
  readonly pid: number;
  /** Exit status or signal, once every process that wrote to its output is gone. */
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly lines: LogLine[] = [];
  /** Everything written to standard output and standard error. */
  output = '';

  /** `prepare` fills the folder and gives the program and its arguments. */
  constructor(t: Pick<Test, 'teardown'>, prepare: (folder: string) => readonly string[]) {
    this.folder = mkdtempSync(path.join(tmpdir(), 'service '));
    const child = spawn(process.execPath, prepare(this.folder), {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.pid = child.pid ?? 0;
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.lines.push(JSON.parse(line) as LogLine);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
    });
    t.teardown(async () => {
      this.signalGroup('SIGKILL');
      await this.exited;
      rmSync(this.folder, { recursive: true });
    });
  }

  /** line waits for the n-th log line that is wanted, or whose message has the text. */
  line(wanted: string | ((line: LogLine) => boolean), n = 1): Promise<LogLine> {
    const is = typeof wanted === 'string' ? ({ msg }: LogLine) => msg.includes(wanted) : wanted;
    return soon(`the log line ${wanted.toString()}`, () => this.lines.filter(is)[n - 1]);
  }

  /** frontEnds is the process numbers of the front ends alive. */
  frontEnds(): number[] {
    return childrenOf(this.pid);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** signalGroup signals supervisor and front ends alike, as a terminal does. */
  signalGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch {
      // nothing is left of the group
    }
  }
}

/** soon waits until something is there, ten seconds at most. */
export async function soon<T>(what: string, look: () => T | undefined): Promise<T> {
  for (let i = 0; i < 500; i++) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(20);
  }
  throw new Error(`${what} did not come`);
}

/** alive tells whether a process is there. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
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
