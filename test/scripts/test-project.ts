/** A small project with test files of its own, and runs of the test runner over it. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const RUNNER = path.join(PROJECT, 'scripts/test/run.mjs');

const COMMAND = `
import { TestRun } from ${JSON.stringify(RUNNER)};
const [folder, ...args] = process.argv.slice(1);
process.exit((await new TestRun(folder, args).finish()) ? 0 : 1);`;

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

export class TestProject {
  readonly folder: string;

  /** `files` are the compiled texts of files by their names from the project: `dist-test/test/a.test.js`. */
  constructor(t: Pick<Test, 'testdir'>, files: Readonly<Record<string, string>>) {
    this.folder = t.testdir({ 'package.json': '{"type":"module"}', test: {} });
    symlinkSync(path.join(PROJECT, 'node_modules'), path.join(this.folder, 'node_modules'));
    for (const [name, text] of Object.entries(files)) {
      this.write(name, text);
      const source = /^dist-test\/(test\/.*\.test)\.js$/.exec(name)?.[1];
      if (source !== undefined) this.write(`${source}.ts`, '');
    }
  }

  write(name: string, text: string): void {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, name), 'utf8');
  }

  /** start runs the runner; parts that match every file keep it from the C++ tests. */
  start(args: readonly string[] = ['test/']): { signal(): void; readonly ended: Promise<Ran> } {
    const node = ['--input-type=module', '-e', COMMAND, this.folder, ...args];
    const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    return {
      signal: () => child.kill('SIGTERM'),
      ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, output }))),
    };
  }

  run(args?: readonly string[]): Promise<Ran> {
    return this.start(args).ended;
  }
}
