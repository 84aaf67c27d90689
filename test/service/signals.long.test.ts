/** Signals to a service that has work: what is in flight is finished, and nothing stays behind. */
import t from 'tap';
import { Gate, GATES } from '../support/gate.js';
import { MIXED_SCRIPTS, mixedLoad } from '../support/mixed-load.js';
import { connections, startPostgres } from '../support/postgres.js';
import { alive, ended } from '../support/process-group.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t, { setup: GATES });
const options = {
  database: postgres.url,
  scripts: {
    ...MIXED_SCRIPTS,
    'slow/wait.read.sql': 'SELECT wait_at({{sqlVal "gate"}}) AS waited',
  },
  config: { 'http.processes': 2, 'pool.threads': 2, 'pg.maxopenconn': 8 },
} as const;

const WAITING =
  "SELECT FROM pg_stat_activity WHERE query LIKE '%wait_at($1)%' AND state = 'active' AND pid <> pg_backend_pid()";

for (const [signal, group] of [
  ['SIGTERM', false],
  ['SIGINT', true],
] as const)
  t.test(`${signal} to ${group ? 'the group' : 'the supervisor'}`, async (t) => {
    // Enough for all of them to wait in one thread.
    const config = { ...options.config, 'pg.maxopenconn': 40 };
    const service = await startService(t, { ...options, config });
    const httpProcesses = service.httpProcesses();
    const slow = Array.from({ length: 4 }, () => service.error(`slow/wait?gate=${signal}`));
    await until(async () => (await postgres.sql(WAITING)).length === 4);
    if (group) service.signalGroup(signal);
    else service.signal(signal);
    const refused = () =>
      service.ask('/_health', { headers: { connection: 'close' } }).then(() => false, () => true); // prettier-ignore
    await until(refused);
    await new Gate(postgres, signal).open();
    t.same(new Set(await Promise.all(slow)), new Set(['200']), 'what is in flight is answered');
    t.equal(await service.exited, 0);
    t.notOk(httpProcesses.some(alive));
    t.equal(await connections(postgres, 0), 0, 'no connection is left in PostgreSQL');
  });

t.test('SIGHUP under load, with another configuration', async (t) => {
  const service = await startService(t, options);
  const before = service.httpProcesses();
  const running = mixedLoad(t, service);
  for (const threads of [1, 2]) {
    service.configure({ ...options.config, 'pool.threads': threads });
    service.signal('SIGHUP');
    await service.line('reloaded', threads);
    t.ok(await running.more(50));
  }
  await running.stop();
  t.same(running.failures, []);
  await ended(before);
  // Those of the first reload may still be draining.
  await until(() => service.httpProcesses().length === 2);
});
