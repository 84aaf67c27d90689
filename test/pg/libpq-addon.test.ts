/**
 * Libpq in threads that end in every possible way: nothing aborts, and no connection, descriptor, copy of the addon or
 * memory is left. The process that would abort is that of the test.
 */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { Pipeline, VALUE, type PipelineResult } from '#app/native/pipeline.js';
import { connectsSafely, loadLibpq } from '#app/pg/libpq-addon.js';
import type { LibpqTask } from '../support/libpq-thread.js';
import { startOwnPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

// Another package (such as pg) may have loaded the unchanged addon first, which must not be the one we get.
createRequire(import.meta.url)('pg-native');

const server = await startOwnPostgres(t, { settings: { max_connections: 60 } });
const CONNINFO = `host=127.0.0.1 port=${server.port} user=postgres password=${server.password} dbname=postgres connect_timeout=10`;

/** Accepts connections and never answers. */
const silentSockets = new Set<Socket>();
const silent = createServer((socket) => {
  silentSockets.add(socket);
  socket.on('error', () => undefined).on('close', () => silentSockets.delete(socket));
  socket.resume();
});
silent.listen(0, '127.0.0.1');
await once(silent, 'listening');
t.teardown(() => silent.close());
const SILENT = `host=127.0.0.1 port=${(silent.address() as AddressInfo).port} connect_timeout=3600`;

/** What a thread does, and whether it is terminated. */
const WAYS: readonly (readonly [task: LibpqTask, terminated: boolean, conninfo: string])[] = [
  ['never connected', true, CONNINFO],
  ['failed', true, CONNINFO],
  ['finished', false, CONNINFO],
  ['left open', false, CONNINFO],
  ['exit', false, CONNINFO],
  ['in a pipeline', true, CONNINFO],
  ['large values', true, CONNINFO],
  ['flooded', true, CONNINFO],
  ['connected aside', true, CONNINFO],
  ['connecting', true, SILENT],
  ['reconnecting', true, CONNINFO],
];

const descriptors = () => readdirSync('/proc/self/fd').length;
const copies = () => readdirSync(tmpdir()).filter((f) => f.startsWith(`libpq-${process.pid}-`));
const mapped = () =>
  new Set(readFileSync('/proc/self/maps', 'utf8').match(/\/libpq-\d+-\S+\.node/g));
const clients = async () =>
  (
    await server.sql<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
  )[0]!.n;

/** Runs one thread to its end. */
async function runThread(i: number): Promise<void> {
  const [task, terminated, conninfo] = WAYS[i % WAYS.length]!;
  const worker = new Worker(new URL('../support/libpq-thread.js', import.meta.url), {
    workerData: { task, conninfo },
    execArgv: [], // not the test runner's loaders, which take far longer than the test
  });
  const ended = once(worker, 'exit');
  const [said] = (await Promise.race([once(worker, 'message'), ended])) as [unknown];
  if (said !== 'ready') throw new Error(`${task}: ended with ${String(said)}`);
  if (!terminated) {
    await ended;
    return;
  }
  await sleep((i * 7) % 30);
  await worker.terminate();
}

async function runThreads(count: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await runThread(next++);
  };
  await Promise.all([lane(), lane(), lane()]);
}

/** Waits until a value is no more than expected, for ten seconds at most. */
async function settle(value: () => number | Promise<number>, expected: number): Promise<number> {
  for (let i = 0; i < 100 && (await value()) > expected; i++) await sleep(100);
  return value();
}

t.test('the installed libpq addon is one whose imports are known', (t) => {
  t.equal(connectsSafely(), false, 'not loaded yet');
  t.equal(loadLibpq(), loadLibpq());
  t.equal(connectsSafely(), true);
  t.same(copies(), []);
  t.end();
});

t.test('threads end in every way and leave nothing', { timeout: 120_000 }, async (t) => {
  await runThreads(2 * WAYS.length);
  const before = { descriptors: descriptors(), memory: process.memoryUsage.rss() };
  await runThreads(14 * WAYS.length);
  t.ok(silentSockets.size >= 14, 'no termination waits for a database that does not answer');
  t.equal(await settle(clients, 0), 0, 'connections');
  // The attempts that were abandoned keep their sockets until they end.
  for (const socket of silentSockets) socket.destroy();
  const left = await settle(descriptors, before.descriptors);
  t.ok(left <= before.descriptors, `descriptors: ${left} after ${before.descriptors}`);
  t.same(copies(), [], 'copies');
  t.equal(await settle(() => mapped().size, 1), 1, 'mapped copies: only this thread has one');
  const grown = (process.memoryUsage.rss() - before.memory) / (1 << 20);
  t.ok(grown < 64, `memory grew by ${grown} MiB`);
});

t.test('connecting does not block the thread or libuv', { timeout: 20_000 }, async (t) => {
  const PQ = loadLibpq();
  // More than libuv's pool has threads.
  const attempts = Array.from({ length: 8 }, async () => {
    const pq = new PQ();
    const error = await new Promise<unknown>((resolve) => pq.connect(SILENT, resolve));
    pq.finish();
    return String(error);
  });
  await readFile('/proc/self/stat'); // which takes a thread of libuv
  await until(() => silentSockets.size === attempts.length);
  for (const socket of silentSockets) socket.destroy();
  for (const error of await Promise.all(attempts)) t.match(error, /closed the connection/);
});

t.test('an attempt to connect has a time limit', async (t) => {
  const brief = SILENT.replace(/\d+$/, '2');
  const pq = new (loadLibpq())();
  const error = await new Promise<unknown>((resolve) => pq.connect(brief, resolve));
  pq.finish();
  t.match(String(error), /timeout expired/);
});

t.test('connections made on another thread work', async (t) => {
  const pq = new (loadLibpq())();
  const error = await new Promise<unknown>((resolve) => pq.connect(CONNINFO, resolve));
  t.equal(error, undefined);
  t.ok(pq.serverVersion() > 140_000);
  pq.setNonBlocking(true);
  pq.enterPipelineMode();
  const pipeline = new Pipeline(pq.socket(), 1000);
  pipeline.send('', 'select $1::text', ['é'], VALUE);
  pipeline.flush();
  let outcomes: PipelineResult[] = [];
  for (let i = 0; i < 500 && outcomes.length === 0; i++) {
    await sleep(10);
    outcomes = pipeline.receive();
  }
  t.same(outcomes, ['é']);
  pq.finish();
  t.equal(await settle(clients, 0), 0);
});
