/**
 * What goes wrong around MCP clients: callers that leave, statements that do not end, connections that are few or lost.
 * Scripts go on beside it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startMute } from '../support/black-hole.js';
import { Gate, GATES } from '../support/gate.js';
import { Load } from '../support/load.js';
import { callTool, post, rowsOf, toolNames } from '../support/mcp.js';
import { startOwnPostgres, startPostgres, type Postgres } from '../support/postgres.js';
import { startService, type Configuration, type Service } from '../support/service.js';
import { isPending, until } from '../support/until.js';

const SETUP = `
  CREATE TABLE item (id int PRIMARY KEY, name text);
  INSERT INTO item SELECT i, 'item ' || i FROM generate_series(1, 1000) i;
  ${GATES}
  CREATE VIEW slow AS SELECT 1 AS n, wait_at('slow') AS waited;`;
const scripts = { 'hit/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n' };
const ITEM = { schema: 'public', table: 'item', filters: { id: 7 } };
const SLOW = { schema: 'public', table: 'slow' };
const SELECT = 'service.select_table';
/** No statement that waits at a gate, or for a connection, is ended. */
const PATIENT = { 'http.timeout': '1h', 'mcp.timeout': '1h', 'pg.conntimeout': '1h' };

const start = (t: Test, postgres: Postgres, config: Configuration = {}): Promise<Service> =>
  startService(t, {
    database: postgres.url,
    scripts,
    config: { 'http.processes': 1, 'pool.threads': 1, ...config },
  });
/** running is how many statements of tools read the slow view. */
const running = async (postgres: Postgres): Promise<number> => {
  const rows = await postgres.sql(
    "SELECT FROM pg_stat_activity WHERE query LIKE '%\"slow\"%' AND state = 'active' AND pid <> pg_backend_pid()",
  );
  return rows.length;
};
/** settled waits until that many of them run. */
const settled = (postgres: Postgres, count: number): Promise<true> =>
  until(async () => (await running(postgres)) === count);

t.test('a statement whose caller has left is cancelled', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await start(t, postgres, PATIENT);
  const leaving = new AbortController();
  const call = callTool(service, SELECT, SLOW, { signal: leaving.signal }).catch(() => 'left');
  await settled(postgres, 1);
  leaving.abort();
  t.equal(await call, 'left');
  await settled(postgres, 0);
  t.match(await rowsOf(service, SELECT, ITEM), [{ id: 7 }]);
});

t.test('one that takes too long is ended, whatever the time of a request', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const [service, shared, brief] = await Promise.all([
    start(t, postgres, { 'mcp.timeout': '300ms' }),
    start(t, postgres, { 'mcp.timeout': '300ms', 'pg.maxopenconn': 1 }),
    start(t, postgres, { 'http.timeout': '500ms', 'mcp.timeout': '60s' }),
  ]);
  // The first call reads the catalogue, which may take as long on a busy machine.
  for (const one of [service, shared])
    await until(async () => Array.isArray(await rowsOf(one, SELECT, ITEM)));
  t.match(await rowsOf(service, SELECT, SLOW), /too long/);
  t.match(await rowsOf(shared, SELECT, SLOW), /too long/, 'on the connection of scripts');
  await settled(postgres, 0);
  t.match(await shared.rows('hit/one?n=1'), [{ n: 1 }]);
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: SELECT, arguments: SLOW },
  };
  const { status, text } = await post(brief, message);
  t.ok(status === 504 || text.includes('too long'), text);
  await settled(postgres, 0);
});

t.test('slow tools hold up no script, and no tool that is fast', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await start(t, postgres, PATIENT);
  for (let i = 0; i < 10; i++) await rowsOf(service, SELECT, ITEM); // known to be fast
  const load = new Load(t, {
    port: service.port,
    clients: 4,
    target: (n) => `/_QUERIES/hit/one?n=${n}`,
  });
  const slow = Array.from({ length: 40 }, () => rowsOf(service, SELECT, SLOW));
  await until(async () => (await running(postgres)) > 0);
  const before = load.count(200);
  for (let i = 0; i < 20; i++) t.match(await rowsOf(service, SELECT, ITEM), [{ id: 7 }]);
  await until(() => load.count(200) - before > 100);
  t.ok((await Promise.all(slow.map(isPending))).every(Boolean), 'all of them wait at the gate');
  await load.stop();
  t.equal(load.failures.length, 0);
  await new Gate(postgres, 'slow').open();
  for (const rows of await Promise.all(slow)) t.strictSame(rows, [{ n: 1, waited: '' }]);
});

t.test('messages take half of the places for requests at most', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await start(t, postgres, { ...PATIENT, 'pool.queue': 10 });
  const refused: unknown[] = [];
  const slow = Array.from({ length: 20 }, async () => {
    const rows = await rowsOf(service, SELECT, SLOW);
    if (typeof rows === 'string') refused.push(rows);
    return rows;
  });
  await until(() => refused.length === 15);
  for (const text of refused) t.match(text, /^503 .*"busy"/);
  const { status, json, headers } = await post(service, { jsonrpc: '2.0', id: 1, method: 'ping' });
  t.equal(status, 503);
  t.match(json, { code: 'busy', error: 'too many MCP requests wait already' });
  t.ok(headers.get('retry-after'));
  t.strictSame(await service.rows('hit/one?n=3'), [{ n: 3 }], 'scripts have the other half');
  await new Gate(postgres, 'slow').open();
  const rows = (await Promise.all(slow)).filter((one) => !refused.includes(one));
  t.strictSame(rows, new Array(5).fill([{ n: 1, waited: '' }]));
});

t.test('tools take no connection that fast scripts need beside slow ones', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const gate = new Gate(postgres, 'script');
  const service = await startService(t, {
    database: postgres.url,
    scripts: { ...scripts, 'hit/slow.read.sql': gate.sql },
    config: { ...PATIENT, 'http.processes': 1, 'pool.threads': 1, 'pg.maxopenconn': 5 },
  });
  for (let i = 0; i < 20; i++) await service.rows('hit/one?n=1'); // known to be fast
  const slow = Array.from({ length: 8 }, () => service.error('hit/slow'));
  await until(async () => (await gate.waiting()) > 0);
  const tools = Array.from({ length: 4 }, () => rowsOf(service, SELECT, ITEM));
  for (let i = 0; i < 20; i++) {
    await sleep(20);
    t.match(await service.rows('hit/one?n=1'), [{ n: 1 }]);
  }
  t.ok((await Promise.all(slow.map(isPending))).every(Boolean), 'all of them wait at the gate');
  await gate.open();
  for (const rows of await Promise.all(tools)) t.match(rows, [{ id: 7 }]);
  t.strictSame(await Promise.all(slow), new Array(8).fill('200'));
});

t.test('a database that goes away and comes back', async (t) => {
  const postgres = await startOwnPostgres(t, { setup: SETUP });
  const service = await start(t, postgres);
  t.match(await toolNames(service), [/list_databases/]);
  t.match(await rowsOf(service, SELECT, ITEM), [{ id: 7 }]);
  await postgres.kill();
  for (let i = 0; i < 3; i++) {
    const { isError, content } = await callTool(service, SELECT, ITEM);
    t.equal(isError, true);
    t.match(content[0]!.text, /cannot be reached/);
  }
  t.match(await toolNames(service), [/list_databases/], 'what was held is listed');
  const late = await start(t, postgres);
  const none = await callTool(late, 'service.list_tables');
  t.equal(none.isError, true, 'never seen');
  await postgres.restart();
  await until(async () => Array.isArray(await rowsOf(service, SELECT, ITEM)));
  await until(async () => (await callTool(late, 'service.list_tables')).isError !== true);
});

t.test('a database that never answers keeps no tool of the others from being listed', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const { port } = await startMute(t);
  const url = `postgres://nobody:none@127.0.0.1:${port}/none?connect_timeout=2`;
  const service = await start(t, postgres, { databases: [{ alias: 'mute', url }] });
  t.match(await toolNames(service), [/list_databases/]);
  for (let i = 0; i < 10; i++)
    t.match((await toolNames(service)).join(), /service\.select\.\w+\.public\.item/);
});
