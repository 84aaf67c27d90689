/** Requests over their time, clients that leave, and more requests than there is room for. */
import t from 'tap';
import { Gate, GATES } from '../support/gate.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t, { setup: `CREATE TABLE hit (n int); ${GATES}` });
const beside = new Gate(postgres, 'beside');
const full = new Gate(postgres, 'full');
const scripts = {
  'slow/sleep.read.sql': 'SELECT pg_sleep({{sqlVal "s"}}::float8) IS NULL AS v, $$sleeper$$',
  'slow/sleep.write.sql':
    'INSERT INTO hit SELECT 1 FROM pg_sleep({{sqlVal "s"}}::float8), (VALUES ($$sleeper$$)) v',
  'slow/beside.read.sql': beside.sql,
  'slow/full.read.sql': full.sql,
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

/** settled waits until that many run. */
const settled = (n: number): Promise<true> => until(async () => (await sleepers()) === n);

t.test('http.timeout', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    scripts,
    config: { 'http.timeout': '1500ms', 'pg.statement_timeout': '1h' },
  });
  for (const method of ['GET', 'POST']) {
    const { status, json } = await service.ask('slow/sleep?s=3600', { method });
    t.equal(status, 504);
    t.match(json, { code: 'timeout' });
    await settled(0); // the statement is cancelled
    t.equal(await service.error('fast/one'), '200');
  }
  t.same(await postgres.sql('SELECT 1 FROM hit'), []);
});

t.test('clients that leave', async (t) => {
  const config = { 'http.timeout': '1h', 'pg.statement_timeout': '1h' };
  const service = await startService(t, { database: postgres.url, scripts, config });
  for (const method of ['GET', 'POST']) {
    const leaving = new AbortController();
    const left = service
      .ask('slow/sleep?s=3600', { method, signal: leaving.signal })
      .catch(() => 'left');
    await settled(1);
    leaving.abort();
    t.equal(await left, 'left');
    await settled(0); // the statement is cancelled
    t.equal(await service.error('fast/one'), '200');
  }
  t.same(await postgres.sql('SELECT 1 FROM hit'), []);
});

t.test('a slow statement holds up no fast one', async (t) => {
  const service = await startService(t, { database: postgres.url, scripts });
  const slow = Array.from({ length: 3 }, () => service.error('slow/beside'));
  await beside.reached(3);
  for (let i = 0; i < 50; i++) t.equal(await service.error('fast/one'), '200');
  t.equal(await beside.waiting(), 3);
  await beside.open();
  t.same(await Promise.all(slow), ['200', '200', '200']);
});

t.test('a full queue', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    scripts,
    config: { 'http.processes': 1, 'pool.threads': 1, 'pool.queue': 5 },
  });
  const slow = Array.from({ length: 5 }, () => service.error('slow/full'));
  await full.reached(5);
  const { status, headers, json } = await service.ask('fast/one');
  t.equal(status, 503);
  t.match(json, { error: 'service is busy', code: 'busy' });
  t.match(headers.get('retry-after'), /^[1-9]\d*$/);
  await full.open();
  t.same(new Set(await Promise.all(slow)), new Set(['200']));
  t.equal(await service.error('fast/one'), '200');
});
