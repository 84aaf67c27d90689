/**
 * Libpq in threads that end in every possible way: nothing aborts, and no connection, descriptor, copy of the addon or
 * memory is left. The process that would abort is that of the test.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import t from 'tap';
import { Pipeline, VALUE, type PipelineResult } from '#app/native/pipeline.js';
import { connectsSafely, loadLibpq } from '#app/postgres/connection/libpq-addon.js';
import { startOwnPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { connected, conninfoOf, copies, endThreads, settled } from '../libpq-threads.js';
import { SilentServer } from '../silent-server.js';

// Another package (such as pg) may have loaded the unchanged addon first, which must not be the one we get.
createRequire(import.meta.url)('pg-native');

const server = await startOwnPostgres(t, { settings: { max_connections: 60 } });
const silent = await new SilentServer().start(t);

t.test('the installed libpq addon is one whose imports are known', (t) => {
  t.equal(connectsSafely(), false, 'not loaded yet');
  t.equal(loadLibpq(), loadLibpq());
  t.equal(connectsSafely(), true);
  t.same(copies(), []);
  t.end();
});

// libpq-threads.long.test.ts has many of them.
t.test('threads end in every way and leave nothing', (t) => endThreads(t, server, silent, 3, 32));

t.test('connecting does not block the thread or libuv', async (t) => {
  const PQ = loadLibpq();
  const slow = `${silent.conninfo} connect_timeout=3600`;
  // More than libuv's pool has threads.
  const attempts = Array.from({ length: 8 }, async () => {
    const pq = new PQ();
    const error = await new Promise<unknown>((resolve) => pq.connect(slow, resolve));
    pq.finish();
    return String(error);
  });
  await readFile('/proc/self/stat'); // which takes a thread of libuv
  await until(() => silent.sockets.size === attempts.length);
  silent.reset();
  for (const error of await Promise.all(attempts)) t.match(error, /closed the connection/);
});

t.test('an attempt to connect has a time limit', async (t) => {
  const pq = new (loadLibpq())();
  const brief = `${silent.conninfo} connect_timeout=2`;
  const error = await new Promise<unknown>((resolve) => pq.connect(brief, resolve));
  pq.finish();
  t.match(String(error), /timeout expired/);
});

t.test('connections made on another thread work', async (t) => {
  const pq = new (loadLibpq())();
  const error = await new Promise<unknown>((resolve) => pq.connect(conninfoOf(server), resolve));
  t.equal(error, undefined);
  t.ok(pq.serverVersion() > 140_000);
  pq.setNonBlocking(true);
  pq.enterPipelineMode();
  const pipeline = new Pipeline(pq.socket(), 1000);
  pipeline.send('', 'select $1::text', ['é'], VALUE);
  pipeline.flush();
  let outcomes: PipelineResult[] = [];
  await until(() => (outcomes = pipeline.receive()).length > 0);
  t.same(outcomes, ['é']);
  pq.finish();
  await settled(() => connected(server), 0);
});
