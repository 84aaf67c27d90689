/** Many threads with libpq that end in every possible way: nothing aborts, and nothing is left of them. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { loadLibpq } from '#app/postgres/connection/libpq-addon.js';
import { startOwnPostgres } from '../support/postgres.js';
import { endThreads } from './libpq-threads.js';
import { SilentServer } from './silent-server.js';

// Another package (such as pg) may have loaded the unchanged addon first, which must not be the one we get.
createRequire(import.meta.url)('pg-native');

t.test('threads end in every way and leave nothing', async (t) => {
  const server = await startOwnPostgres(t, { settings: { max_connections: 60 } });
  const silent = await new SilentServer().start(t);
  loadLibpq();
  await endThreads(t, server, silent, 14, 64);
});

t.test('threads end at any moment of a garbage collection', async (t) => {
  for (let turns = 5; turns < 65; turns++) {
    const worker = new Worker(new URL('../support/libpq-thread.js', import.meta.url), {
      workerData: { task: 'leaving garbage', turns },
      execArgv: [],
    });
    t.same(await once(worker, 'exit'), [3]);
  }
});
