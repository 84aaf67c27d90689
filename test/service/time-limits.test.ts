/** Requests over their time, clients that leave, and more requests than there is room for. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE hit (n int)' });
const scripts = {
  'slow/sleep.read.sql': 'SELECT pg_sleep({{sqlVal "s"}}::float8) IS NULL AS v, $$sleeper$$',
  'slow/sleep.write.sql':
    'INSERT INTO hit SELECT 1 FROM pg_sleep({{sqlVal "s"}}::float8), (VALUES ($$sleeper$$)) v',
  'fast/one.read.sql': 'SELECT 1 AS n',
};

/** sleepers is how many of the slow statements run now. */
async function sleepers(): Promise<number> {
  const [row] = await postgres.sql<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE state = 'active' AND query LIKE '%sleeper%' AND pid <> pg_backend_pid()`,
  );
  return row!.n;
}

/** settled waits until that many run, three seconds at most, and gives how many do. */
async function settled(n: number): Promise<number> {
  let now = await sleepers();
  for (let i = 0; now !== n && i < 60; i++) {
    await sleep(50);
    now = await sleepers();
  }
  return now;
}

t.test('http.timeout', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    scripts,
    config: { 'http.timeout': '600ms', 'pg.statement_timeout': '1h' },
  });
  for (const method of ['GET', 'POST']) {
    const began = performance.now();
    const { status, json } = await service.ask('slow/sleep?s=30', { method });
    t.equal(status, 504);
    t.match(json, { code: 'timeout' });
    t.ok(performance.now() - began < 3_000);
    t.equal(await settled(0), 0, 'the statement is cancelled');
    t.equal(await service.error('fast/one'), '200');
  }
  t.same(await postgres.sql('SELECT 1 FROM hit'), []);
});

t.test('clients that leave', async (t) => {
  const service = await startService(t, { database: postgres.url, scripts });
  for (const method of ['GET', 'POST']) {
    const leaving = new AbortController();
    const left = service
      .ask('slow/sleep?s=30', { method, signal: leaving.signal })
      .catch(() => 'left');
    t.equal(await settled(1), 1);
    leaving.abort();
    t.equal(await left, 'left');
    t.equal(await settled(0), 0, 'the statement is cancelled');
    t.equal(await service.error('fast/one'), '200');
  }
  t.same(await postgres.sql('SELECT 1 FROM hit'), []);
});

t.test('a slow statement holds up no fast one', async (t) => {
  const service = await startService(t, { database: postgres.url, scripts });
  const slow = Array.from({ length: 3 }, () => service.error('slow/sleep?s=2'));
  await settled(3);
  const began = performance.now();
  for (let i = 0; i < 50; i++) t.equal(await service.error('fast/one'), '200');
  t.ok(performance.now() - began < 1_500);
  t.same(await Promise.all(slow), ['200', '200', '200']);
});

t.test('a full queue', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    scripts,
    config: { 'http.processes': 1, 'pool.threads': 1, 'pool.queue': 5 },
  });
  const slow = Array.from({ length: 5 }, () => service.error('slow/sleep?s=1'));
  t.ok((await settled(5)) > 0);
  const { status, headers, json } = await service.ask('fast/one');
  t.equal(status, 503);
  t.match(json, { error: 'service is busy', code: 'busy' });
  t.match(headers.get('retry-after'), /^[1-9]\d*$/);
  t.same(new Set(await Promise.all(slow)), new Set(['200']));
  t.equal(await service.error('fast/one'), '200');
});
