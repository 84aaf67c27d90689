/** Threads that use libpq and end in every way, and what they may leave behind. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Test } from 'tap';
import type { LibpqTask } from '../support/libpq-thread.js';
import type { Postgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import type { SilentServer } from './silent-server.js';

/** What a thread does, and whether it is terminated. */
const WAYS: readonly (readonly [task: LibpqTask, terminated: boolean])[] = [
  ['never connected', true],
  ['failed', true],
  ['finished', false],
  ['left open', false],
  ['exit', false],
  ['in a pipeline', true],
  ['large values', true],
  ['creating objects', true],
  ['flooded', true],
  ['connected aside', true],
  ['connecting', true],
  ['reconnecting', true],
];

/** conninfoOf is a connection string for a server. */
export function conninfoOf({ port, password }: Pick<Postgres, 'port' | 'password'>): string {
  return `host=127.0.0.1 port=${port} user=postgres password=${password} dbname=postgres connect_timeout=250`;
}

/** copies are the copies of the addon on disk. */
export function copies(): string[] {
  return readdirSync(tmpdir()).filter((f) => f.startsWith(`libpq-${process.pid}-`));
}

/** settled waits until a value is no more than expected. */
export async function settled(
  value: () => number | Promise<number>,
  expected: number,
): Promise<void> {
  await until(async () => (await value()) <= expected, 50);
}

/** connected is how many clients a server has. */
export async function connected(server: Postgres): Promise<number> {
  const rows = await server.sql(
    `SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return rows.length;
}

const descriptors = (): number => readdirSync('/proc/self/fd').length;
const mapped = (): number =>
  new Set(readFileSync('/proc/self/maps', 'utf8').match(/\/libpq-\d+-\S+\.node/g)).size;

/** endThreads runs `rounds` threads of every kind, and checks that nothing is left of them but `growth` MiB of memory. */
export async function endThreads(
  t: Test,
  server: Postgres,
  silent: SilentServer,
  rounds: number,
  growth: number,
): Promise<void> {
  const conninfo = conninfoOf(server);
  const runThread = async (i: number): Promise<void> => {
    const [task, terminated] = WAYS[i % WAYS.length]!;
    const target = task === 'connecting' ? `${silent.conninfo} connect_timeout=3600` : conninfo;
    const worker = new Worker(new URL('../support/libpq-thread.js', import.meta.url), {
      workerData: { task, conninfo: target },
      execArgv: [], // not the test runner's loaders, which take far longer than the test
    });
    const ended = once(worker, 'exit');
    const [said] = (await Promise.race([once(worker, 'message'), ended])) as [unknown];
    if (said !== 'ready') throw new Error(`${task}: ended with ${String(said)}`);
    if (terminated) {
      await sleep((i * 7) % 30);
      await worker.terminate();
    } else await ended;
  };
  const runThreads = async (count: number): Promise<void> => {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count) await runThread(next++);
    };
    await Promise.all([lane(), lane(), lane()]);
  };
  await runThreads(2 * WAYS.length);
  const before = { descriptors: descriptors(), memory: process.memoryUsage.rss() };
  await runThreads(rounds * WAYS.length);
  t.ok(silent.sockets.size >= rounds, 'no termination waits for a database that does not answer');
  await settled(() => connected(server), 0);
  // The attempts that were abandoned keep their sockets until they end.
  silent.reset();
  await settled(descriptors, before.descriptors);
  t.same(copies(), [], 'copies');
  await settled(mapped, 1);
  t.equal(mapped(), 1, 'mapped copies: only this thread has one');
  const grown = (process.memoryUsage.rss() - before.memory) / (1 << 20);
  t.ok(grown < growth, `memory grew by ${grown} MiB`);
}
