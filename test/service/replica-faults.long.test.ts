/**
 * Replicas that are behind, killed, or replaced, and a primary that is switched over or lost: what runs where, and what
 * clients notice.
 */
import t from 'tap';
import { ConnectionWatch } from '../support/connection-watch.js';
import { FailoverLoad, LOAD_SCRIPTS, LOAD_TABLE, percentiles } from '../support/failover-load.js';
import { startOwnPostgres } from '../support/postgres.js';
import { ended } from '../support/process-group.js';
import { startService } from '../support/service.js';
import { demote, follow, promote, replayed, startStandby } from '../support/standby.js';
import { until } from '../support/until.js';

const primary = await startOwnPostgres(t, { setup: LOAD_TABLE });
const first = await startStandby(t, primary, { name: 'near' });
const second = await startStandby(t, primary, { name: 'far' });
const servers = [primary, first, second];

const service = await startService(t, {
  database: primary.url,
  scripts: {
    ...LOAD_SCRIPTS,
    'test/port.read.sql': 'SELECT inet_server_port() AS port',
    'test/slow.read.sql': 'SELECT inet_server_port() AS port FROM pg_sleep(0.2)',
    'test/hang.write.sql': `INSERT INTO load (id)
      SELECT 0 FROM pg_sleep(CASE inet_server_port() WHEN ${primary.port} THEN 600 ELSE 0 END)`,
    'test/end.write.sql': 'SELECT pg_terminate_backend(pg_backend_pid())',
  },
  config: {
    'pg.replicas': [first.url, second.url],
    'pg.max_lag': '64KiB',
    'pg.failover_wait': '60s',
    'pg.lsn_cookie': true,
    'pg.maxopenconn': 6,
    'http.processes': 2,
    'queries.proof': 'off',
  },
});

/** ports gives the servers that run reads. */
async function ports(): Promise<Set<number>> {
  const rows = await Promise.all(
    Array.from({ length: 16 }, async () => (await service.ask('test/port')).json),
  );
  return new Set((rows as [{ port: number }][]).map(([{ port }]) => port));
}

/** servedBy waits until exactly these servers run reads. */
async function servedBy(...wanted: readonly { readonly port: number }[]): Promise<void> {
  await until(async () => {
    const seen = await ports();
    return seen.size === wanted.length && wanted.every(({ port }) => seen.has(port));
  }, 100);
}

/** backendThatHangs gives the backend of the primary that runs `test/hang`, once there is one. */
async function backendThatHangs(): Promise<number> {
  let pid: number | undefined;
  await until(async () => {
    const [row] = await primary.sql<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
    );
    pid = row?.pid;
    return pid !== undefined;
  });
  return pid!;
}

t.test('a replica that is behind gets nothing until it has caught up', async (t) => {
  await servedBy(first, second);
  await second.sql('SELECT pg_wal_replay_pause()');
  await primary.sql('INSERT INTO load SELECT -1 FROM generate_series(1, 10000)');
  await servedBy(first);
  const behind = await service.line(
    ({ msg, server }) =>
      msg.startsWith('the replica gets no statements') && server === `127.0.0.1:${second.port}`,
  );
  t.match(behind, { level: 40, alias: 'postgres' });
  await first.sql('SELECT pg_wal_replay_pause()');
  await primary.sql('INSERT INTO load SELECT -1 FROM generate_series(1, 10000)');
  await servedBy(primary);
  for (const standby of [first, second]) await standby.sql('SELECT pg_wal_replay_resume()');
  await servedBy(first, second);
});

t.test('a replica is killed under load: no read fails', async (t) => {
  const load = new FailoverLoad(service, 8);
  const slow: Promise<number>[] = [];
  await until(() => load.acknowledged.length > 100);
  for (let i = 0; i < 8; i++) slow.push(service.ask('test/slow').then(({ status }) => status));
  await second.kill();
  const before = load.acknowledged.length;
  await until(() => load.acknowledged.length > before + 200);
  await load.stop();
  const { stale, failedReads, refused } = load;
  t.strictSame(
    { stale, failedReads, refused: [...refused.values()] },
    { stale: [], failedReads: [], refused: [] },
  );
  t.strictSame([...new Set(await Promise.all(slow))], [200]);
  t.comment(`reads: ${percentiles(load.readTimes)}`);
  await second.restart();
  await servedBy(first, second);
});

t.test('the cookie of a write', async (t) => {
  const { headers } = await service.ask('load/add?id=0', { method: 'POST' });
  const [cookie] = headers.getSetCookie();
  t.equal(
    cookie,
    `Service-LSN=${headers.get('service-lsn')}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax`,
  );
});

t.test('no server has more connections than configured, also during reloads', async (t) => {
  const watches = servers.map((server) => new ConnectionWatch(t, server));
  const load = new FailoverLoad(service, 8);
  for (let i = 1; i <= 3; i++) {
    const old = service.httpProcesses();
    service.signal('SIGHUP');
    await service.line('reloaded', i);
    await ended(old);
  }
  await load.stop();
  for (const { most } of watches) t.ok(most <= 6, `${most}`);
  t.strictSame([...load.refused.values()], []);
  t.strictSame(load.stale, []);
});

t.test('a script that ends its own session: nothing waits for another primary', async (t) => {
  t.match(await service.ask('test/end', { method: 'POST' }), {
    status: 503,
    json: { code: '57P01' },
  });
});

t.test('a planned switchover: requests wait', async (t) => {
  const hanging = service.ask('test/hang', { method: 'POST' });
  const pid = await backendThatHangs();
  await primary.sql('SELECT pg_terminate_backend($1)', [pid]);
  await until(async () => (await backendThatHangs()) !== pid);
  const load = new FailoverLoad(service, 8);
  await until(() => load.acknowledged.length > 100);
  // Shut down cleanly, the primary sends all of its WAL to the standbys first.
  const stopped = demote(primary, first);
  await until(async () => {
    const [row] = await first.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM pg_stat_wal_receiver',
    );
    return row!.n === 0;
  });
  await promote(first);
  await stopped;
  await follow(second, first);
  const before = load.acknowledged.length;
  await until(() => load.acknowledged.length > before + 200);
  await load.stop();
  t.equal((await hanging).status, 200, 'the shutdown ended the second of its sessions');
  const { stale, failedReads, refused } = load;
  t.strictSame({ stale, failedReads }, { stale: [], failedReads: [] });
  // Writes that had run when PostgreSQL ended their sessions: nobody knows whether they were committed.
  for (const answer of refused.values()) t.match(answer, /"code":"08007"/);
  t.ok(refused.size <= 8);
  t.strictSame(await load.lost(first), []);
  t.strictSame(await load.doubled(first), []);
  t.comment(`writes: ${percentiles(load.writeTimes)}`);
  t.comment(`reads: ${percentiles(load.readTimes)}`);
  await servedBy(primary, second);
});

t.test('the primary is lost: reads are served', async (t) => {
  await replayed(second, first);
  await first.kill();
  await until(async () => {
    const { status, json } = await service.ask('/_health');
    t.equal(status, 200);
    return (json as { databases: Record<string, string> }).databases['postgres'] === 'read-only';
  });
  t.equal((await service.ask('/_ready')).status, 200);
  t.notOk((await ports()).has(first.port));
  const written = service.ask('load/add?id=1', { method: 'POST' });
  await first.restart();
  t.equal((await written).status, 200, 'a write waits for the primary');
});
