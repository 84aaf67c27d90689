/** The processes and threads of a service under load: what dies takes little with it and comes back. */
import t from 'tap';
import { ConnectionWatch } from '../support/connection-watch.js';
import { MIXED_SCRIPTS, mixedLoad } from '../support/mixed-load.js';
import { connections, startPostgres } from '../support/postgres.js';
import { alive } from '../support/process-group.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE hit (n int)' });
const options = {
  database: postgres.url,
  scripts: {
    ...MIXED_SCRIPTS,
    'hit/add.write.sql': 'INSERT INTO hit VALUES ({{sqlVal "n"}}::int)',
  },
  config: { 'http.processes': 2, 'pool.threads': 2, 'pg.maxopenconn': 8 },
} as const;

t.test('connections stay within pg.maxopenconn', async (t) => {
  const service = await startService(t, options);
  const running = mixedLoad(t, service, 40);
  const watch = new ConnectionWatch(t, postgres);
  await until(() => watch.most > 2);
  await running.more(200);
  await running.stop();
  t.same(running.failures, []);
  t.ok(watch.most <= 8, `at most ${watch.most}`);
});

t.test('an HTTP process is killed', async (t) => {
  const service = await startService(t, options);
  const before = service.httpProcesses();
  t.equal(before.length, 2);
  const running = mixedLoad(t, service);
  await running.more(50);
  const [victim = 0, other = 0] = before;
  process.kill(victim, 'SIGKILL');
  await until(() => service.httpProcesses().length === 2);
  await running.more(100);
  await running.stop();
  const lost = running.count(0);
  running.statuses.delete(0); // connections that were reset
  t.same([...running.statuses.keys()], [200], 'no answer is wrong');
  t.ok(lost <= 12, `${lost} requests lost`);
  t.ok(service.httpProcesses().includes(other) && alive(other));
  await service.line(({ msg }) => msg.includes('an HTTP process died'));
});

t.test('the supervisor is killed: nothing is left', async (t) => {
  const service = await startService(t, options);
  const httpProcesses = service.httpProcesses();
  await service.error('hit/one?n=1');
  service.signal('SIGKILL');
  await until(() => !httpProcesses.some(alive));
  t.equal(await connections(postgres, 0), 0, 'no connection is left in PostgreSQL');
});
