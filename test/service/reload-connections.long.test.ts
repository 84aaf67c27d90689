/** During a reload old and new HTTP processes together keep to pg.maxopenconn, and nobody waits long for it. */
import t from 'tap';
import { ConnectionWatch } from '../support/connection-watch.js';
import { Load } from '../support/load.js';
import { Gate, GATES } from '../support/gate.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';
import { SCRIPTS, sharedTest } from './shared-connections.js';

sharedTest(t, { processes: 2, threads: 2, connections: 8 });
sharedTest(t, { processes: 1, threads: 1, connections: 10 });
sharedTest(t, { processes: 2, threads: 1, connections: 2 });
// reload-connections.test.ts has the least.

t.test(
  'a long statement of the old ones leaves the new ones connections to work with',
  async (t) => {
    const postgres = await startPostgres(t, { setup: GATES });
    const gate = new Gate(postgres, 'long');
    const scripts = { ...SCRIPTS, 'slow/wait.read.sql': gate.sql };
    const config = { 'http.processes': 1, 'pool.threads': 1, 'pg.maxopenconn': 4 };
    const service = await startService(t, { database: postgres.url, scripts, config });
    const watch = new ConnectionWatch(t, postgres);
    /** Each HTTP process begins the ids of requests with a text of its own. */
    const process = async (): Promise<string | undefined> =>
      (await service.ask('/_health')).headers.get('X-Request-Id')?.split('-')[0];
    const old = await process();
    const long = service.error('slow/wait');
    await gate.reached(1);
    service.signal('SIGHUP');
    await service.line('reloaded');
    // The old one still accepts connections for a moment.
    await until(async () => (await process()) !== old);
    t.equal(await service.error('hit/one?n=1'), '200');
    t.equal(await gate.waiting(), 1, 'served while the old one still works');
    await gate.open();
    t.equal(await long, '200');
    t.ok(watch.most <= 4);
  },
);

t.test('fewer connections than before, and more', async (t) => {
  const postgres = await startPostgres(t);
  const config = { 'http.processes': 1, 'pool.threads': 1, 'pg.maxopenconn': 8 };
  const service = await startService(t, { database: postgres.url, scripts: SCRIPTS, config });
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
