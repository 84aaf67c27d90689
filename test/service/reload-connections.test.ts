/** During a reload old and new HTTP processes together keep to pg.maxopenconn, and nobody waits long for it. */
import t from 'tap';
import { ConnectionWatch } from '../support/connection-watch.js';
import { Load } from '../support/load.js';
import { Gate, GATES } from '../support/gate.js';
import { startPostgres } from '../support/postgres.js';
import { alive } from '../support/process-group.js';
import { startService, type Service } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t, { setup: GATES });
const gate = new Gate(postgres, 'long');
const scripts = {
  'hit/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n',
  'slow/wait.read.sql': gate.sql,
  'slow/gate.read.sql': 'SELECT wait_at({{sqlVal "gate"}}) AS waited',
  'slow/sleep.read.sql': 'SELECT 1 AS n FROM pg_sleep({{sqlVal "s"}}::float8)',
};

/** reload waits for the n-th reload and the end of the HTTP processes before it. */
async function reload(service: Service, n: number): Promise<void> {
  const old = service.httpProcesses();
  service.signal('SIGHUP');
  await service.line('reloaded', n);
  await until(() => !old.some(alive));
}

const CASES: readonly (readonly [processes: number, threads: number, connections: number])[] = [
  [1, 1, 10],
  [2, 2, 8],
  [1, 1, 1],
  [2, 1, 2],
];

for (const [processes, threads, connections] of CASES)
  t.test(`${processes} × ${threads} sharing ${connections}`, async (t) => {
    const config = {
      'http.processes': processes,
      'pool.threads': threads,
      'pg.maxopenconn': connections,
      'pg.conntimeout': '1h', // also for those that wait for a connection
    };
    const service = await startService(t, { database: postgres.url, scripts, config });
    const watch = new ConnectionWatch(t, postgres);
    const load = new Load(t, {
      port: service.port,
      clients: 24,
      target: (n) => `/_QUERIES/${n % 4 === 0 ? 'slow/sleep?s=0.02' : `hit/one?n=${n}`}`,
    });
    await load.more(100);
    for (let i = 1; i <= 2; i++) {
      await reload(service, i);
      await load.more(100);
    }
    const shut = `${processes} ${threads} ${connections}`;
    const target = `slow/gate?gate=${encodeURIComponent(shut)}`;
    const slow = Array.from({ length: connections + 3 }, () => service.error(target));
    await until(() => watch.most > connections / 2); // all of them are used
    await new Gate(postgres, shut).open();
    t.same(new Set(await Promise.all(slow)), new Set(['200']));
    await load.stop();
    t.same(load.failures, []);
    t.ok(watch.most <= connections, `at most ${watch.most} connections`);
  });

t.test(
  'a long statement of the old ones leaves the new ones connections to work with',
  async (t) => {
    const config = { 'http.processes': 1, 'pool.threads': 1, 'pg.maxopenconn': 4 };
    const service = await startService(t, { database: postgres.url, scripts, config });
    const watch = new ConnectionWatch(t, postgres);
    const long = service.error('slow/wait');
    await gate.reached(1);
    service.signal('SIGHUP');
    await service.line('reloaded');
    t.equal(await service.error('hit/one?n=1'), '200');
    t.equal(await gate.waiting(), 1, 'served while the old one still works');
    await gate.open();
    t.equal(await long, '200');
    t.ok(watch.most <= 4);
  },
);

t.test('fewer connections than before, and more', async (t) => {
  const config = { 'http.processes': 1, 'pool.threads': 1, 'pg.maxopenconn': 8 };
  const service = await startService(t, { database: postgres.url, scripts, config });
  const watch = new ConnectionWatch(t, postgres);
  const load = new Load(t, {
    port: service.port,
    clients: 16,
    target: () => `/_QUERIES/slow/sleep?s=0.02`,
  });
  await load.more(50);
  for (const [i, connections] of [2, 6].entries()) {
    service.configure({ ...config, 'pg.maxopenconn': connections });
    service.signal('SIGHUP');
    await service.line('reloaded', i + 1);
    await until(() => watch.now <= connections);
    watch.most = watch.now;
    await load.more(50);
    await until(() => watch.most >= connections / 2);
    t.ok(watch.most <= connections, `${watch.most} of ${connections}`);
  }
  await load.stop();
  t.same(load.failures, []);
});
