/**
 * Runs the programs of test/mcp/programs, as processes of their own: with a Node that is new enough for them, and a home
 * folder that is gone with the test.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

// From dist-test/test/mcp/clients to the project.
const PACKAGES = fileURLToPath(
  new URL('../../../../test/mcp/programs/node_modules/', import.meta.url),
);

/** The Node that the newest of the programs needs. */
const NODE = 24;

/** Seconds that a program may take. */
const LIMIT = 120;

const PROGRAMS = {
  conformance: '@modelcontextprotocol/conformance/dist/index.js',
  'conformance-next': 'conformance-next/dist/index.js',
  inspector: '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
};

export type ProgramName = keyof typeof PROGRAMS;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** temporaryFolder makes a folder that is removed with the test. */
export function temporaryFolder(t: Pick<Test, 'teardown'>): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mcp client '));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** commandOf is the command that starts a program; throws when it is not installed. */
export function commandOf(program: ProgramName): readonly [string, string] {
  const script = path.join(PACKAGES, PROGRAMS[program]);
  if (!fs.existsSync(script))
    throw new Error('MCP programs are not installed: run npm ci in test/mcp/programs');
  return [newEnoughNode(), script];
}

/** run runs a program to its end, in a folder that is its home too. */
export function run(program: ProgramName, folder: string, args: readonly string[]): Promise<Ended> {
  const [node, script] = commandOf(program);
  return runCommand(node, [script, ...args], folder);
}

/** runCommand runs any command to its end, in a folder that is its home too. */
export function runCommand(
  command: string,
  args: readonly string[],
  folder: string,
  searched = process.env['PATH']!,
): Promise<Ended> {
  const options = {
    cwd: folder,
    env: { PATH: searched, HOME: folder, NO_COLOR: '1' },
    maxBuffer: 64 * 1024 ** 2,
    timeout: LIMIT * 1000,
  };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(new Error(`${command}: ${error?.message ?? ''}`));
    });
  });
}

/** newEnoughNode is the Node that runs this, or the one installed beside the programs. */
function newEnoughNode(): string {
  if (Number(process.versions.node.split('.')[0]) >= NODE) return process.execPath;
  return path.join(PACKAGES, `node-linux-${process.arch}/bin/node`);
}
