/**
 * Runs the command as its users do, as a process of its own; later runs of the same command may share a process.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { environment } from '../support/process-group.js';
import type { Request } from './command-process.js';

/** The command, seen from dist-test/test/commands. */
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

/** Commands that have run as processes of their own. */
const started = new Set<string>();

/** Commands that change their process, or load libraries into it. */
const ALONE = ['serve', 'dev', 'plugin check'];

let shared: CommandProcess | undefined;

/**
 * run runs the command to its end: as a process of its own the first time that a process of tests runs it, and then in one
 * that all of them share.
 */
export function run(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Finished> {
  const command = args.filter((arg) => /^[a-z]/.test(arg)).slice(0, 2).join(' '); // prettier-ignore
  if (!started.has(command) || ALONE.some((alone) => command.startsWith(alone))) {
    started.add(command);
    return start(folder, args, env, input).finished;
  }
  return runShared(folder, args, env, input);
}

/** runShared runs the command in the shared process, for tests that are not about its start. */
export function runShared(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Finished> {
  shared ??= new CommandProcess();
  return shared.run({ folder, args, env: { ...environment(), ...env }, input });
}

/** CommandProcess runs one command at a time. It ends with this process, and does not keep it from ending. */
class CommandProcess {
  readonly #child: ChildProcess;
  readonly #lines: readline.Interface;
  /** What keeps this process running. */
  readonly #handles: readonly { ref(): unknown; unref(): unknown }[];
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    const file = fileURLToPath(new URL('./command-process.js', import.meta.url));
    const args = ['--pdeathsig', 'KILL', process.execPath, file];
    const stdio = ['pipe', 'pipe', 'inherit'] as const;
    const child = spawn('setpriv', args, { stdio: [...stdio], env: environment() });
    const { stdin, stdout }: { stdin: unknown; stdout: unknown } = child;
    if (!(stdin instanceof Socket && stdout instanceof Socket)) throw new Error('no pipes');
    this.#child = child;
    this.#lines = readline.createInterface({ input: stdout });
    this.#handles = [child, stdin, stdout];
    for (const handle of this.#handles) handle.unref();
  }

  run(request: Request): Promise<Finished> {
    const finished = this.#last.then(() => this.#run(request));
    this.#last = finished.catch(() => undefined);
    return finished;
  }

  async #run(request: Request): Promise<Finished> {
    for (const handle of this.#handles) handle.ref();
    const ended = new AbortController();
    const { signal } = ended;
    const exited = once(this.#child, 'exit', { signal }).then(() => {
      throw new Error(`the process of the commands ended amid ${request.args.join(' ')}`);
    });
    const line = once(this.#lines, 'line', { signal });
    this.#child.stdin!.write(`${JSON.stringify(request)}\n`);
    try {
      const [text] = (await Promise.race([line, exited])) as [string];
      return JSON.parse(text) as Finished;
    } finally {
      exited.catch(() => undefined);
      line.catch(() => undefined);
      ended.abort();
      for (const handle of this.#handles) handle.unref();
    }
  }
}

/** makeFolder makes an empty folder that is removed with the test. */
export function makeFolder(t: Pick<Test, 'teardown'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'command line '));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** makeScripts makes a folder with scripts, by path below queries. */
export function makeScripts(
  t: Pick<Test, 'teardown'>,
  scripts: Readonly<Record<string, string>>,
): string {
  const folder = makeFolder(t);
  mkdirSync(join(folder, 'queries'));
  for (const [name, text] of Object.entries(scripts)) {
    const file = join(folder, 'queries', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}
