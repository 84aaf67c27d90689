/**
 * What goes wrong around MCP clients: callers that leave, statements that do not end, connections that are few or lost,
 * reloads. Scripts go on beside it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startMute } from '../support/black-hole.js';
import { ConnectionWatch } from '../support/connection-watch.js';
import { Load } from '../support/load.js';
import { callTool, post, rowsOf, toolNames } from '../support/mcp.js';
import { startPostgres, type Postgres } from '../support/postgres.js';
import { startService, type Configuration, type Service } from '../support/service.js';

const SETUP = `
  CREATE TABLE item (id int PRIMARY KEY, name text);
  INSERT INTO item SELECT i, 'item ' || i FROM generate_series(1, 1000) i;
  CREATE VIEW slow AS SELECT 1 AS n, pg_sleep(30)::text AS slept;`;
const scripts = { 'hit/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n' };
const ITEM = { schema: 'public', table: 'item', filters: { id: 7 } };
const SLOW = { schema: 'public', table: 'slow' };
const SELECT = 'service.select_table';

const start = (postgres: Postgres, config: Configuration = {}): Promise<Service> =>
  startService(t, {
    database: postgres.url,
    scripts,
    config: { 'http.processes': 1, 'pool.threads': 1, ...config },
  });
const sleeping = async (postgres: Postgres): Promise<number> =>
  (
    await postgres.sql(
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%\"slow\"%' AND wait_event = 'PgSleep'",
    )
  ).length;
const until = async (holds: () => Promise<boolean>, limit = 5_000): Promise<boolean> => {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > limit) return false;
    await sleep(30);
  }
  return true;
};

t.test('a statement whose caller has left is cancelled', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await start(postgres);
  const leaving = new AbortController();
  const call = callTool(service, SELECT, SLOW, { signal: leaving.signal }).catch(() => 'left');
  t.ok(await until(async () => (await sleeping(postgres)) === 1));
  leaving.abort();
  t.equal(await call, 'left');
  t.ok(await until(async () => (await sleeping(postgres)) === 0));
  t.match(await rowsOf(service, SELECT, ITEM), [{ id: 7 }]);
});

t.test('one that takes too long is ended, whatever the time of a request', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await start(postgres, { 'mcp.timeout': '300ms' });
  t.match(await rowsOf(service, SELECT, SLOW), /too long/);
  const shared = await start(postgres, { 'mcp.timeout': '300ms', 'pg.maxopenconn': 1 });
  const began = performance.now();
  t.match(await rowsOf(shared, SELECT, SLOW), /too long/, 'on the connection of scripts');
  t.ok(performance.now() - began < 3_000);
  t.ok(await until(async () => (await sleeping(postgres)) === 0));
  t.match(await shared.rows('hit/one?n=1'), [{ n: 1 }]);
  const brief = await start(postgres, { 'http.timeout': '500ms', 'mcp.timeout': '60s' });
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: SELECT, arguments: SLOW },
  };
  const { status, text } = await post(brief, message);
  t.ok(status === 504 || text.includes('too long'), text);
  t.ok(await until(async () => (await sleeping(postgres)) === 0));
});

t.test('slow tools hold up no script, and no tool that is fast', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await start(postgres, { 'mcp.timeout': '3s' });
  for (let i = 0; i < 10; i++) await rowsOf(service, SELECT, ITEM); // known to be fast
  const load = new Load(t, {
    port: service.port,
    clients: 4,
    target: (n) => `/_QUERIES/hit/one?n=${n}`,
  });
  const slow = Array.from({ length: 40 }, () => callTool(service, SELECT, SLOW));
  await sleep(200);
  const before = load.count(200);
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    t.match(await rowsOf(service, SELECT, ITEM), [{ id: 7 }]);
    times.push(performance.now() - began);
  }
  t.ok(Math.max(...times) < 1_000, `${Math.max(...times)} ms`);
  await sleep(500);
  await load.stop();
  t.ok(load.count(200) - before > 100);
  t.equal(load.failures.length, 0);
  for (const { isError } of await Promise.all(slow)) t.equal(isError, true);
});

t.test('messages take half of the places for requests at most', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await start(postgres, { 'mcp.timeout': '3s', 'pool.queue': 10 });
  const slow = Array.from({ length: 20 }, () => callTool(service, SELECT, SLOW));
  const texts = (await Promise.race([Promise.all(slow), sleep(500)])) ?? [];
  t.equal(texts.length, 0, 'some are still under way');
  const { status, json, headers } = await post(service, { jsonrpc: '2.0', id: 1, method: 'ping' });
  t.equal(status, 503);
  t.match(json, { code: 'busy', error: 'too many MCP requests wait already' });
  t.ok(headers.get('retry-after'));
  t.strictSame(await service.rows('hit/one?n=3'), [{ n: 3 }], 'scripts have the other half');
  const refused = (await Promise.all(slow)).filter(({ content }) =>
    content[0]!.text.includes('503'),
  );
  t.ok(refused.length >= 14, String(refused.length));
});

t.test('tools take no connection that fast scripts need beside slow ones', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await startService(t, {
    database: postgres.url,
    scripts: { ...scripts, 'hit/slow.read.sql': 'SELECT pg_sleep(3)::text AS slept' },
    config: { 'http.processes': 1, 'pool.threads': 1, 'pg.maxopenconn': 5 },
  });
  for (let i = 0; i < 20; i++) await service.rows('hit/one?n=1'); // known to be fast
  const slow = Array.from({ length: 8 }, () => service.error('hit/slow'));
  await sleep(500);
  const tools = Array.from({ length: 4 }, () => rowsOf(service, SELECT, ITEM));
  const times: number[] = [];
  const began = performance.now();
  while (performance.now() - began < 2_000) {
    await sleep(20);
    const asked = performance.now();
    t.match(await service.rows('hit/one?n=1'), [{ n: 1 }]);
    times.push(performance.now() - asked);
  }
  t.ok(Math.max(...times) < 1_000, `${Math.max(...times)} ms`);
  for (const rows of await Promise.all(tools)) t.match(rows, [{ id: 7 }]);
  t.strictSame(await Promise.all(slow), new Array(8).fill('200'));
});

for (const most of [1, 2, 4])
  t.test(`${most} connections for scripts and tools`, async (t) => {
    const postgres = await startPostgres(t, { setup: SETUP });
    const config = { 'pg.maxopenconn': most };
    const service = await start(postgres, config);
    const watch = new ConnectionWatch(t, postgres);
    const load = new Load(t, {
      port: service.port,
      clients: 8,
      target: (n) => `/_QUERIES/hit/one?n=${n}`,
    });
    const call = async (n: number): Promise<unknown> => {
      const rows = [];
      for (let i = 0; i < n; i++)
        rows.push(...((await rowsOf(service, SELECT, ITEM)) as unknown[]));
      return rows.length;
    };
    t.strictSame(
      await Promise.all(Array.from({ length: 8 }, () => call(25))),
      new Array(8).fill(25),
    );
    for (let i = 0; i < 2; i++) {
      const busy = Promise.all(Array.from({ length: 4 }, () => call(50)));
      service.configure({ 'http.processes': 1, 'pool.threads': 1, ...config, 'log.level': 'info' });
      service.signal('SIGHUP');
      t.strictSame(await busy, [50, 50, 50, 50], 'through a reload');
      await sleep(300);
    }
    await load.stop();
    t.equal(load.failures.length, 0);
    t.ok(watch.most <= most, `${watch.most} connections`);
  });

t.test('a database that goes away and comes back', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await start(postgres);
  t.match(await toolNames(service), [/list_databases/]);
  t.match(await rowsOf(service, SELECT, ITEM), [{ id: 7 }]);
  await postgres.kill();
  for (let i = 0; i < 3; i++) {
    const { isError, content } = await callTool(service, SELECT, ITEM);
    t.equal(isError, true);
    t.match(content[0]!.text, /cannot be reached/);
  }
  t.match(await toolNames(service), [/list_databases/], 'what was held is listed');
  await postgres.restart();
  t.ok(await until(async () => Array.isArray(await rowsOf(service, SELECT, ITEM)), 5_000));
  const away = await startPostgres(t);
  await away.kill();
  const late = await start(away);
  const none = await callTool(late, 'service.list_tables');
  t.equal(none.isError, true, 'never seen');
  await away.restart();
  t.ok(await until(async () => (await callTool(late, 'service.list_tables')).isError !== true));
});

t.test(
  'a database that never answers holds up what is listed of the others only once',
  async (t) => {
    const postgres = await startPostgres(t, { setup: SETUP });
    const { port } = await startMute(t);
    const mute = { alias: 'mute', host: '127.0.0.1', port, user: 'nobody', pass: 'none' };
    const service = await start(postgres, { 'pg.conntimeout': '2s', databases: [mute] });
    t.match(await toolNames(service), [/list_databases/]);
    const began = performance.now();
    for (let i = 0; i < 10; i++)
      t.match((await toolNames(service)).join(), /service\.select\.\w+\.public\.item/);
    const ms = performance.now() - began;
    t.ok(ms < 5_000, `${ms} ms`);
  },
);
