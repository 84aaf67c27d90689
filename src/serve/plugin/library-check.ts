/**
 * The contents of a plugin library, examined by `plugin_host --check`. Loading it runs its constructors, so this happens in a
 * process of its own with a time limit: a library that hangs or crashes is a finding like any other.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOST_FILE, hostEnvironment } from './host-process.js';

export interface LibraryHandler {
  readonly method: string;
  readonly function: string;
  readonly form: 'string' | 'status' | 'response';
  readonly symbol: string;
}

export interface LibraryFinding {
  readonly file: string;
  /** Whether every handler can be served. */
  readonly ok: boolean;
  /** `1.0`; null when it has none. */
  readonly abi: string | null;
  readonly handlers: readonly LibraryHandler[];
  /** Why the library, or one of its handlers, cannot be served, with the loader's message; empty when `ok`. */
  readonly problems: readonly string[];
}

/** How to build the program: in a clone, and in an installed package. */
const BUILD = 'npm run build:native, or node_modules/sql-rest-service/scripts/install.mjs';

/** Time limit of loading, ms. */
const LIMIT = 10_000;
/** How long children of the library may keep the output open after the process has ended, ms. */
const LINGER = 500;
const MAX_OUTPUT = 4 * 1024 * 1024;

/** checkLibrary examines a file; `environment` names variables that its process inherits besides the usual ones. */
export async function checkLibrary(
  file: string,
  environment: readonly string[] = [],
): Promise<LibraryFinding> {
  const failed = (problem: string): LibraryFinding => {
    return { file, ok: false, abi: null, handlers: [], problems: [problem] };
  };
  // A process group of its own, so that children of a constructor end with it. Their output goes to standard error.
  const child = spawn(HOST_FILE, ['--check', file], {
    detached: true,
    env: hostEnvironment(environment),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MAX_OUTPUT) output += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT);
  const closed = once(child, 'close').catch(() => undefined);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    endGroup(child.pid);
    await Promise.race([closed, sleep(LINGER, undefined, { ref: false })]);
    if (child.killed) return failed(`loading it takes more than ${LIMIT / 1000} s`);
    if (signal !== null) return failed(`loading it ends the process with ${signal}`);
    const found = findingIn(output);
    if (found === undefined) return failed(`loading it ends the process with status ${code ?? 0}`);
    return { ...found, file, ok: code === 0 };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return failed(
      `what examines it cannot be started (${HOST_FILE}: ${code}): is it built? ${BUILD}`,
    );
  } finally {
    clearTimeout(timer);
    child.stdout.destroy();
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is already empty.
  }
}

/** The finding, if the program got as far as printing it. */
function findingIn(output: string): Omit<LibraryFinding, 'file' | 'ok'> | undefined {
  try {
    return JSON.parse(output) as Omit<LibraryFinding, 'file' | 'ok'>;
  } catch {
    return undefined;
  }
}
