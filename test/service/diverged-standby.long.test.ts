/**
 * A standby that has replayed what the promoted one never had: a service that starts later does not read from it, though the
 * new primary has overtaken it. Nothing streams to it any more, which would show the timeline that it follows.
 */
import t from 'tap';
import { startOwnPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { promote, replayed, startStandby } from '../support/standby.js';
import { until } from '../support/until.js';

const lost = await startOwnPostgres(t, { setup: 'CREATE TABLE item (n int)' });
const promoted = await startStandby(t, lost, { name: 'promoted' });
const ahead = await startStandby(t, lost, { name: 'ahead' });

t.test('reads with and without a position', async (t) => {
  await replayed(promoted, lost);
  await promoted.kill();
  await lost.sql('INSERT INTO item SELECT 0 FROM generate_series(1, 20000)');
  await replayed(ahead, lost);
  await lost.kill();
  await promoted.restart();
  await promote(promoted);
  await until(async () => {
    const [row] = await promoted.sql<{ is: boolean }>('SELECT NOT pg_is_in_recovery() AS is');
    return row!.is;
  });
  await promoted.sql('INSERT INTO item VALUES (1)');
  const [row] = await promoted.sql<{ at: string }>(
    'SELECT pg_current_wal_insert_lsn()::text AS at',
  );
  await promoted.sql('INSERT INTO item SELECT 2 FROM generate_series(1, 40000)');
  const service = await startService(t, {
    database: promoted.url,
    scripts: {
      'a/find.read.sql':
        'SELECT inet_server_port() AS port, count(*)::int AS found FROM item WHERE n = 1',
    },
    config: {
      'pg.replicas': [ahead.url],
      'pg.max_lag': '3600s',
      'http.processes': 1,
      'queries.proof': 'off',
    },
  });
  const headers = { 'Service-LSN': `2:${row!.at}` };
  const found = { port: promoted.port, found: 1 };
  const isLeftOut = (): boolean =>
    service.lines.some(
      ({ msg, server }) =>
        msg.startsWith('the replica gets no statements: it follows another server') &&
        server === `127.0.0.1:${ahead.port}`,
    );
  do {
    t.strictSame(await service.rows('a/find', { headers }), [found]);
    t.strictSame(await service.rows('a/find'), [found]);
  } while (!isLeftOut() && t.passing());
  t.strictSame(await service.rows('a/find'), [found]);
});
