/**
 * Other programs: whether they are installed, and their output.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** onPath tells whether a program is on the PATH. */
export function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * tied wraps a command with setpriv, which makes the kernel end it with the process that started it. Without setpriv the
 * command is unchanged.
 */
export function tied(command: string, args: readonly string[]): [string, string[]] {
  if (!onPath('setpriv')) return [command, [...args]];
  return ['setpriv', ['--pdeathsig=TERM', '--', command, ...args]];
}

/** output runs a program and resolves to its standard output. Rejects with its standard error when it fails. */
export async function output(
  program: string,
  args: readonly string[],
  options: {
    readonly input?: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly cwd?: string;
  } = {},
): Promise<string> {
  const child = spawn(...tied(program, args), {
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  let printed = '';
  let errorOutput = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(printed);
      else
        reject(new Error(`${program} failed (${code}): ${errorOutput.trim() || printed.trim()}`));
    });
  });
}
