/** Scripts and tools of MCP clients that share connections, through reloads. */
import type { Test } from 'tap';
import { ConnectionWatch } from '../support/connection-watch.js';
import { Load } from '../support/load.js';
import { rowsOf } from '../support/mcp.js';
import { startPostgres } from '../support/postgres.js';
import { ended } from '../support/process-group.js';
import { startService } from '../support/service.js';

const SETUP = 'CREATE TABLE item (id int PRIMARY KEY); INSERT INTO item VALUES (7)';
const ITEM = { schema: 'public', table: 'item', filters: { id: 7 } };

/** connectionsTest makes the test of a service with at most that many connections. */
export function connectionsTest(t: Test, most: number): void {
  t.test(`${most} connections for scripts and tools`, async (t) => {
    const postgres = await startPostgres(t, { setup: SETUP });
    const service = await startService(t, {
      database: postgres.url,
      scripts: { 'hit/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n' },
      config: { 'http.processes': 1, 'pool.threads': 1, 'pg.maxopenconn': most },
    });
    const watch = new ConnectionWatch(t, postgres);
    const load = new Load(t, {
      port: service.port,
      clients: 8,
      target: (n) => `/_QUERIES/hit/one?n=${n}`,
    });
    const call = async (n: number): Promise<unknown> => {
      const rows = [];
      for (let i = 0; i < n; i++)
        rows.push(...((await rowsOf(service, 'service.select_table', ITEM)) as unknown[]));
      return rows.length;
    };
    t.strictSame(
      await Promise.all(Array.from({ length: 8 }, () => call(10))),
      new Array(8).fill(10),
    );
    // As many callers as before: a connection that none of them uses may be closed as one asks on it.
    for (let i = 0; i < 2; i++) {
      const old = service.httpProcesses();
      const busy = Promise.all(Array.from({ length: 8 }, () => call(20)));
      service.signal('SIGHUP');
      t.strictSame(await busy, new Array(8).fill(20), 'through a reload');
      await ended(old);
    }
    await load.stop();
    t.equal(load.failures.length, 0);
    t.ok(watch.most <= most, `${watch.most} connections`);
  });
}
