/**
 * A primary that is killed under load, and a replica that is promoted: no acknowledged write is lost, none runs twice, no
 * read is older than the position it brings, and the old primary is not used when it is back.
 */
import t from 'tap';
import { FailoverLoad, LOAD_SCRIPTS, LOAD_TABLE, percentiles } from '../support/failover-load.js';
import { startOwnPostgres } from '../support/postgres.js';
import { metricsUrl, scrape, sum } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { follow, promote, startStandby } from '../support/standby.js';
import { until } from '../support/until.js';

// The service has no privileges but those on the table.
const primary = await startOwnPostgres(t, {
  setup: `${LOAD_TABLE}
    CREATE ROLE api LOGIN PASSWORD 'api';
    GRANT SELECT, INSERT ON load TO api`,
});
const first = await startStandby(t, primary, { name: 'near' });
const second = await startStandby(t, primary, { name: 'far' });
// A write is acknowledged once the first standby has it, as where a failover may lose nothing.
await primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'near'");
await primary.sql('SELECT pg_reload_conf()');

const service = await startService(t, {
  database: `postgres://api:api@${primary.host}:${primary.port}/postgres`,
  scripts: LOAD_SCRIPTS,
  config: {
    'pg.replicas': [first, second].map(({ host, port }) => `postgres://${host}:${port}`),
    'pg.failover_wait': '60s',
    'pg.maxopenconn': 4,
    'http.processes': 1,
    'pool.threads': 1,
    'metrics.listen': '127.0.0.1:0',
    'queries.proof': 'off',
  },
});

t.test('a primary is killed', async (t) => {
  const load = new FailoverLoad(service, 8);
  await until(() => load.acknowledged.length > 100);
  // The other one does not replay any more, and the first one is promoted.
  await second.sql('SELECT pg_wal_replay_pause()');
  await until(() => load.acknowledged.length > 200);
  await primary.kill();
  await promote(first);
  await second.sql('SELECT pg_wal_replay_resume()');
  await follow(second, first);
  const before = load.acknowledged.length;
  await until(() => load.acknowledged.length > before + 200);
  await load.stop();
  const { stale, failedReads } = load;
  t.strictSame({ stale, failedReads }, { stale: [], failedReads: [] });
  t.strictSame(await load.lost(first), []);
  t.strictSame(await load.doubled(first), []);
  // Those in flight when it was killed: nobody knows.
  for (const [id, answer] of load.refused) t.match(answer, /"code":"08007"/, `${id}`);
  t.ok(load.refused.size <= 8);
  t.comment(`writes: ${percentiles(load.writeTimes)}`);
  t.comment(`reads: ${percentiles(load.readTimes)}`);
  const changed = await service.line(
    ({ msg, server }) =>
      msg.startsWith('the server is the primary') && server === `127.0.0.1:${first.port}`,
  );
  t.match(changed, { level: 30, alias: 'postgres' });
  const url = await metricsUrl(service);
  const changes = async (server: string): Promise<number> =>
    sum(await scrape(url), 'service_pg_primary_changes_total', `database="${server}"`);
  t.equal(await changes('postgres~1'), 1, 'counted once by the only query worker');
  for (const other of ['postgres', 'postgres~2']) t.equal(await changes(other), 0);
});

t.test('the old primary is back, and accepts writes too', async (t) => {
  await primary.restart();
  await service.line(
    ({ msg, server }) =>
      msg.startsWith('the server is not used: another one was promoted') &&
      server === `127.0.0.1:${primary.port}`,
  );
  const load = new FailoverLoad(service, 2);
  await until(() => load.acknowledged.length > 50);
  await load.stop();
  t.strictSame(await load.lost(first), []);
  t.strictSame(load.stale, []);
  t.notOk(load.ports.has(primary.port));
});
