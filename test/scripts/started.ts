/** `npm start`'s program as a process of a test, and what it prints. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { environment } from '../support/process-group.js';
import { spawnGroup } from '../support/spawn-group.js';
import { until } from '../support/until.js';

export const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
export const CURL = /^curl '(http:\/\/[^']+)'$/m;
/** Not the cluster of a developer's own `npm start`. */
export const CLUSTER = `start-test-${process.pid}`;

export interface Run {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

/** run runs `npm start`'s program without the configuration of this process; `env` is added. */
export function run(t: Test, env: Record<string, string>): Run {
  const child = spawnGroup(t, [process.execPath, 'scripts/start.mjs'], {
    cwd: PROJECT,
    env: { ...environment(), EMBEDDED_CLUSTER: CLUSTER, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  t.teardown(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return { child, output: () => output, exited };
}

/** ready waits for the curl line and gives its URL. */
export async function ready({ output, exited }: Run): Promise<string> {
  const ended = { yet: false };
  void exited.then(() => (ended.yet = true));
  await until(() => CURL.test(output()) || ended.yet, 50);
  const url = CURL.exec(output())?.[1];
  if (url === undefined) throw new Error(`no curl line:\n${output()}`);
  return url;
}

export async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** gone waits until a URL is no longer answered. */
export async function gone(url: string): Promise<true> {
  await until(async () => !(await answers(url)), 50);
  return true;
}

/** goneFile waits until a file is not there any more. */
export async function goneFile(file: string): Promise<true> {
  await until(() => !fs.existsSync(file), 50);
  return true;
}

export function embedded(output: string): string {
  const data = /data in (.+)$/m.exec(output)?.[1];
  if (data === undefined) throw new Error(`no embedded PostgreSQL:\n${output}`);
  return path.dirname(data);
}
