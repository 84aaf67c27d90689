/** Scripts and tools of MCP clients that share connections, through reloads. */
import type { Test } from 'tap';
import { ConnectionWatch } from '../support/connection-watch.js';
import { Load } from '../support/load.js';
import { post } from '../support/mcp.js';
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
    const params = { name: 'service.select_table', arguments: ITEM };
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const { text } = await post(service, message);
    t.match(text, /"rows":\[\{"id":7\}\]/);
    const calls = new Load(t, {
      port: service.port,
      clients: 8,
      body: message,
      flood: true,
      target: () => '/_mcp',
    });
    await calls.more(80);
    for (let i = 0; i < 2; i++) {
      const old = service.httpProcesses();
      service.signal('SIGHUP');
      await ended(old);
      await calls.more(80);
    }
    await calls.stop();
    t.strictSame(calls.failures, []);
    t.strictSame([...calls.bodies], [text]);
    await load.stop();
    t.strictSame(load.failures, []);
    t.ok(watch.most <= most, `${watch.most} connections`);
  });
}
