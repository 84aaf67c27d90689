/** A pool that is closed while its workers do something: nothing of it is a failure. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Logger } from '#app/observe/log.js';
import { QueryPool } from '#app/serve/pool/query-pool.js';
import { httpProcessSettings } from '../../support/http-process.js';

const LATE = fileURLToPath(new URL('./fixtures/late-worker.js', import.meta.url));

t.test('changes are reported until the end', async (t) => {
  const logged: unknown[] = [];
  const take = (...line: unknown[]): unknown => logged.push(line);
  const log = { error: take, warn: take } as unknown as Logger;
  const results = { answered: () => undefined, died: () => undefined };
  const { worker } = httpProcessSettings({});
  for (let i = 0; i < 5; i++) {
    const pool = new QueryPool({ threads: 1, worker, results, log, filename: LATE });
    for (let n = 0; n < 5_000; n++) pool.scriptsChanged();
    await pool.close();
  }
  await sleep(50);
  t.same(logged, []);
});
