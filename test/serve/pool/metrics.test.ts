/** What a query worker has counted stays when its thread dies, and its replacement goes on. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createLogger } from '#app/observe/log.js';
import { BLOCK_BYTES, BlockReader } from '#app/observe/metrics/block.js';
import {
  DATABASE,
  DATABASES,
  THREADS,
  THREAD,
  THREAD_DEATHS,
} from '#app/observe/metrics/catalogue.js';
import { blocksOf, ProcessPlaces } from '#app/observe/metrics/places.js';
import { counts } from '#app/observe/metrics/thread.js';
import { createSharedMemory, mapSharedMemory } from '#app/native/shared-memory.js';
import { QueryPool } from '#app/serve/pool/query-pool.js';
import { httpProcessSettings } from '../../support/http-process.js';
import { until } from '../../support/until.js';

const MORTAL = fileURLToPath(new URL('./fixtures/mortal-worker.js', import.meta.url));

t.test('the thread dies', async (t) => {
  const folder = t.testdir({});
  const memory = createSharedMemory(blocksOf(1) * BLOCK_BYTES);
  const reader = new BlockReader(mapSharedMemory(memory, BLOCK_BYTES, BLOCK_BYTES), 0);
  const { worker } = httpProcessSettings({ worker: { scripts: folder } });
  const pool = new QueryPool({
    threads: 1,
    worker,
    results: { answered: () => undefined, died: () => undefined },
    log: createLogger({ level: 'silent', pretty: false }, {}),
    filename: MORTAL,
    metrics: new ProcessPlaces(memory, 0, 1),
  });
  const alive = setInterval(() => undefined, 1_000); // waiting for answers does not keep a process alive
  t.teardown(() => {
    clearInterval(alive);
    return pool.close();
  });
  const failures = (): number => reader.rows(DATABASES)[0]?.values[DATABASE.opened.failed] ?? 0;
  const probeUntil = (more: number): Promise<true> =>
    until(async () => {
      await pool.ask('probe', 'main').catch(() => undefined); // nothing listens there
      return failures() > more;
    });
  await probeUntil(1);
  const [{ labels, values } = { labels: [], values: new Float64Array() }] = reader.rows(THREADS);
  t.same(labels, ['0', 'query_0']);
  const used = values[THREAD.cpu]!;
  t.ok(used > 0);
  await writeFile(path.join(folder, 'die'), '');
  await until(() => counts[THREAD_DEATHS.query] === 1);
  const before = failures();
  t.ok(before > 1);
  await probeUntil(before);
  await until(() => values[THREAD.cpu]! > used);
  t.equal(reader.rows(DATABASES).length, 1, 'in the same row');
});
