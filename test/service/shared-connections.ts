/** Reloads of a service under load, whose old and new HTTP processes share the connections. */
import type { Test } from 'tap';
import { ConnectionWatch } from '../support/connection-watch.js';
import { Gate, GATES } from '../support/gate.js';
import { Load } from '../support/load.js';
import { startPostgres } from '../support/postgres.js';
import { ended } from '../support/process-group.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

export const SCRIPTS = {
  'hit/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n',
  'slow/gate.read.sql': 'SELECT wait_at({{sqlVal "gate"}}) AS waited',
  'slow/sleep.read.sql': 'SELECT 1 AS n FROM pg_sleep({{sqlVal "s"}}::float8)',
} as const;

/** Configuration of a service. */
export interface Shares {
  readonly processes: number;
  readonly threads: number;
  readonly connections: number;
}

/** sharedTest makes the test of a service with some HTTP processes, threads and connections. */
export function sharedTest(t: Test, { processes, threads, connections }: Shares): void {
  t.test(`${processes} × ${threads} sharing ${connections}`, async (t) => {
    const postgres = await startPostgres(t, { setup: GATES });
    const config = {
      'http.processes': processes,
      'pool.threads': threads,
      'pg.maxopenconn': connections,
      'pg.conntimeout': '1h', // also for those that wait for a connection
    };
    const service = await startService(t, { database: postgres.url, scripts: SCRIPTS, config });
    const watch = new ConnectionWatch(t, postgres);
    const load = new Load(t, {
      port: service.port,
      clients: 24,
      target: (n) => `/_QUERIES/${n % 4 === 0 ? 'slow/sleep?s=0.02' : `hit/one?n=${n}`}`,
    });
    await load.more(100);
    for (let i = 1; i <= 2; i++) {
      const old = service.httpProcesses();
      service.signal('SIGHUP');
      await service.line('reloaded', i);
      await ended(old);
      await load.more(100);
    }
    const slow = Array.from({ length: connections + 3 }, () => service.error('slow/gate?gate=all'));
    await until(() => watch.most > connections / 2); // all of them are used
    await new Gate(postgres, 'all').open();
    t.same(new Set(await Promise.all(slow)), new Set(['200']));
    await load.stop();
    t.same(load.failures, []);
    t.ok(watch.most <= connections, `at most ${watch.most} connections`);
  });
}
