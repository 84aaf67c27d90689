/** Programs of PyPI in an environment of their own, for generators of clients. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Test } from 'tap';
import { makeFolder } from '../../commands/program.js';
import { notInstalled } from '../../support/programs.js';

/** How long PyPI, or a program, may take, ms. */
const PATIENCE = 120_000;

export interface Ran {
  readonly status: number | null;
  /** Standard output, then standard error. */
  readonly text: string;
}

export class PythonTools {
  /** Where programs run. */
  readonly folder: string;
  /** Why the packages are not there; undefined when they are. */
  readonly missing: string | undefined;
  readonly #bin: string;

  constructor(t: Pick<Test, 'teardown'>, ...packages: readonly string[]) {
    this.folder = makeFolder(t);
    this.#bin = join(this.folder, 'venv', 'bin');
    if (this.run('python3', '-m', 'venv', 'venv').status !== 0)
      this.missing = notInstalled("Python's venv");
    else if (this.run('pip', 'install', '-q', ...packages).status !== 0)
      this.missing = 'PyPI is not reachable';
  }

  /** run runs a program of the environment, or of the machine. */
  run(program: string, ...args: readonly string[]): Ran {
    const { status, stdout, stderr, error } = spawnSync(program, args, {
      cwd: this.folder,
      encoding: 'utf8',
      timeout: PATIENCE,
      env: { PATH: `${this.#bin}:${process.env['PATH']}` },
    });
    return { status, text: error === undefined ? `${stdout}${stderr}` : String(error) };
  }
}
