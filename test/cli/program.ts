/**
 * Runs the command as its users do: as a process of its own.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { environment } from '../support/process-group.js';

/** The command, seen from dist-test/test/cli. */
export const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** Finished is a process that came to its end. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Program is a running process. */
export interface Program {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** seen resolves with the match once standard output has it; rejects when the process ends before that. */
  seen(pattern: RegExp): Promise<RegExpExecArray>;
}

/**
 * start runs the command in a folder, with nothing of this process's environment but PATH, and with `input` as its
 * standard input.
 */
export function start(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Program {
  // Killed with this process, however that ends.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, MAIN, ...args], {
    cwd: folder,
    env: { ...environment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined).end(input); // it may end without reading
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const watch of watchers) watch();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    finished,
    seen: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          const match = pattern.exec(stdout);
          if (match !== null) resolve(match);
        };
        watchers.add(watch);
        watch();
        void finished.then(() => reject(new Error(`ended without it: ${stdout}${stderr}`)));
      }),
  };
}

/** run runs the command to its end. */
export function run(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Finished> {
  return start(folder, args, env, input).finished;
}

/** makeFolder makes an empty folder that is removed with the test. */
export function makeFolder(t: Pick<Test, 'teardown'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'command line '));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}
