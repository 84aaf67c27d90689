/** PostgreSQL goes away and comes back: the service stays up, says so, recovers, and writes nothing twice. */
import t from 'tap';
import { Load } from '../support/load.js';
import { startOwnPostgres } from '../support/postgres.js';
import { alive } from '../support/process-group.js';
import { startService, type Service } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startOwnPostgres(t, { setup: 'CREATE TABLE hit (n int)' });
const scripts = {
  'hit/add.write.sql': 'INSERT INTO hit VALUES ({{sqlVal "n"}}::int)',
  'hit/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n',
};

/** recovered waits for an ordinary answer. */
function recovered(service: Service): Promise<true> {
  return until(async () => (await service.error('hit/one?n=1')) === '200');
}

t.test('started while it is away', async (t) => {
  await postgres.kill();
  const service = await startService(t, { database: postgres.url, scripts });
  for (let i = 0; i < 3; i++) {
    const { status, headers, json } = await service.ask('hit/one?n=1');
    t.equal(status, 503);
    t.match(headers.get('retry-after'), /^[1-9]\d*$/);
    t.match(json, { code: /^(08|busy)/ });
  }
  t.equal((await service.ask('/_health')).status, 503);
  const away = await service.line(({ msg }) => msg.startsWith('the database does not answer'));
  t.match(away, { level: 40, alias: 'postgres', msg: /connection to server/ });
  t.equal(service.output.split('does not answer').length, 2, 'said once');
  await postgres.restart();
  await recovered(service);
  t.match(await service.line(({ msg }) => msg === 'the database answers again'), { level: 30 });
});

t.test('killed and started again under load', async (t) => {
  const service = await startService(t, { database: postgres.url, scripts });
  const [httpProcess = 0] = service.httpProcesses();
  const writes = new Load(t, {
    port: service.port,
    clients: 8,
    method: 'POST',
    target: (n) => `/_QUERIES/hit/add?n=${n}`,
  });
  const reads = new Load(t, {
    port: service.port,
    clients: 4,
    target: (n) => `/_QUERIES/hit/one?n=${n}`,
  });
  for (let round = 0; round < 2; round++) {
    await Promise.all([writes.more(26), reads.more(26)]);
    await postgres.kill();
    await Promise.all([writes.more(1, 503), reads.more(1, 503)]);
    t.match(await service.error('hit/one?n=1'), /^503 /);
    await postgres.restart();
    await recovered(service);
  }
  await Promise.all([writes.more(1), reads.more(1)]);
  await Promise.all([writes.stop(), reads.stop()]);

  for (const load of [writes, reads]) {
    t.same(
      [...load.statuses.keys()].filter((status) => status !== 200 && status !== 503),
      [],
      'every request is answered, with 200 or 503',
      { unanswered: load.unanswered },
    );
    t.equal(load.bare, 0, 'a 503 says when to come again');
  }
  const [rows] = await postgres.sql<{ all: number; distinct: number }>(
    'SELECT count(*)::int AS all, count(DISTINCT n)::int AS distinct FROM hit',
  );
  t.equal(rows!.all, rows!.distinct, 'no write was done twice');
  t.ok(rows!.all >= writes.count(200), 'what was answered 200 was done');
  t.ok(rows!.all <= writes.count(200) + writes.count(503));
  t.same(service.httpProcesses(), [httpProcess]);
  t.ok(alive(httpProcess), 'the process is the same');
});

t.test('sessions are ended: what had not begun is run again', async (t) => {
  const service = await startService(t, { database: postgres.url, scripts });
  await service.rows('hit/one?n=1');
  const reads = new Load(t, {
    port: service.port,
    clients: 8,
    target: (n) => `/_QUERIES/hit/one?n=${n}`,
  });
  for (let i = 0; i < 5; i++) {
    await reads.more(20);
    await postgres.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );
  }
  await reads.more(20);
  await reads.stop();
  // A statement that had begun is not repeated: at most those at the heads of the pipelines. Others are answered 503 while no
  // connection can be made.
  t.ok(reads.unknown <= 5 * 10, `${reads.unknown} of ${reads.asked}`, {
    failures: reads.failures,
  });
  t.same(reads.unanswered, []);
});
