/** A database with two replicas: where requests run, positions of writes, scripts that only the primary can run, metrics. */
import t from 'tap';
import { startOwnPostgres } from '../support/postgres.js';
import { callTool, toolNames } from '../support/mcp.js';
import { metricsUrl, scrape, sum } from '../support/scrape.js';
import { startService, type AskOptions } from '../support/service.js';
import { replayed, startStandby } from '../support/standby.js';
import { until } from '../support/until.js';

const primary = await startOwnPostgres(t, {
  setup: `
    CREATE TABLE item (id serial PRIMARY KEY, name text);
    CREATE UNLOGGED TABLE scratch (n int);
    INSERT INTO scratch VALUES (1);
    CREATE TABLE visit (at timestamptz);
    CREATE FUNCTION visited() RETURNS bigint LANGUAGE sql AS
      'INSERT INTO visit VALUES (now()); SELECT count(*) FROM visit';`,
});
const first = await startStandby(t, primary);
const second = await startStandby(t, primary);
const ports = [first.port, second.port];

const scripts = {
  'test/where.read.sql': 'SELECT inet_server_port() AS port, pg_is_in_recovery() AS replica',
  'test/primary.read.sql': '-- @primary\nSELECT inet_server_port() AS port',
  'test/items.read.sql': 'SELECT count(*) AS n, inet_server_port() AS port FROM item',
  'test/add.write.sql': 'INSERT INTO item (name) VALUES ({{sqlVal "name"}}) RETURNING id',
  'test/fail.write.sql': 'INSERT INTO item (id, name) VALUES (1 / 0, $a$x$a$)',
  'test/visits.read.sql': 'SELECT visited() AS n',
  'test/scratch.read.sql': 'SELECT n FROM scratch',
  'test/three.read.sql': 'SELECT n FROM generate_series(1, 3) n',
  'test/four.read.sql': '-- @primary\nSELECT n FROM generate_series(1, 4) n',
  'test/wrong.read.sql': '-- @primary always\nSELECT 1 AS n',
};
const config = {
  'pg.replicas': [first.url, second.url],
  'pg.lsn_wait': '60s',
  'pg.maxopenconn': 2,
  'mcp.enabled': true,
  'mcp.scripts': true,
  'queries.proof': 'off', // the prover asks the primary
  'http.processes': 1,
};
const service = await startService(t, {
  database: primary.url,
  scripts,
  config: { ...config, 'pg.max_lag': '3600s', 'metrics.listen': '127.0.0.1:0' },
});

/** The port of the server that ran a script. */
async function portOf(script: string, options: AskOptions = {}): Promise<number> {
  const { json, text } = await service.ask(script, options);
  const [row] = json as [{ port: number }];
  if (typeof row.port !== 'number') throw new Error(text);
  return row.port;
}

/** serving waits until both replicas serve. */
async function serving(): Promise<void> {
  const seen = new Set<number>();
  await until(async () => {
    seen.add(await portOf('test/where'));
    return ports.every((port) => seen.has(port));
  });
}

t.test('reads run on both replicas, in turns', async (t) => {
  await serving();
  const asked = await Promise.all(Array.from({ length: 20 }, () => portOf('test/where')));
  t.strictSame([...new Set(asked)].sort(), [...ports].sort());
});

t.test('only the primary runs writes and scripts with @primary', async (t) => {
  const { status, headers } = await service.ask('test/add?name=a', { method: 'POST' });
  t.equal(status, 200);
  t.match(headers.get('service-lsn'), /^1:[0-9A-F]+\/[0-9A-F]+$/);
  t.equal(headers.get('set-cookie'), null);
  t.equal(await portOf('test/primary'), primary.port);
  t.ok((await service.ask('test/primary')).headers.has('service-lsn'));
  t.notOk((await service.ask('test/where')).headers.has('service-lsn'));
  const failed = await service.ask('test/fail', { method: 'POST' });
  t.equal(failed.status, 400);
  t.notOk(failed.headers.has('service-lsn'));
});

t.test('roles and lag are metrics of each server', async (t) => {
  const url = await metricsUrl(service);
  const gauge = async (name: string, alias: string, ...parts: string[]): Promise<number> =>
    sum(await scrape(url), `service_pg_${name}`, `database="${alias}"`, ...parts);
  const role = (alias: string, name: string): Promise<number> =>
    gauge('server_role', alias, `role="${name}"`);
  for (const [alias, name] of [
    ['postgres', 'primary'],
    ['postgres~1', 'serving'],
    ['postgres~2', 'serving'],
  ] as const) {
    await until(async () => (await role(alias, name)) === 1);
    t.equal(await gauge('server_role', alias), 1, `${alias} has one role`);
  }
  await second.sql('SELECT pg_wal_replay_pause()');
  t.equal((await service.ask('test/add?name=lag', { method: 'POST' })).status, 200);
  await until(async () => (await gauge('replication_lag_bytes', 'postgres~2')) > 0);
  await until(async () => (await gauge('replication_lag_seconds', 'postgres~2')) > 1);
  t.equal(await gauge('replication_lag_bytes', 'postgres'), 0, 'the primary has none');
  await second.sql('SELECT pg_wal_replay_resume()');
  await replayed(second, primary);
  await until(async () => (await gauge('replication_lag_bytes', 'postgres~2')) === 0);
  t.equal(sum(await scrape(url), 'service_pg_primary_changes_total'), 0);
  await primary.sql("DELETE FROM item WHERE name = 'lag'");
  await replayed(first, primary);
  await replayed(second, primary);
});

t.test('rows are counted on every server', async (t) => {
  const rows = async (script: string): Promise<number> =>
    sum(
      await scrape(await metricsUrl(service)),
      'db_client_operation_result_rows_total',
      `script="test/${script}"`,
    );
  for (const script of ['three', 'four'])
    t.equal((await service.ask(`test/${script}`)).status, 200, script);
  t.equal(await rows('three'), 3);
  t.equal(await rows('four'), 4);
});

t.test('a script with another value is not served', async (t) => {
  t.equal(await service.error('test/wrong'), '400 script_not_usable');
});

t.test('a read that brings the position of a write sees it', async (t) => {
  for (const standby of [first, second]) await standby.sql('SELECT pg_wal_replay_pause()');
  const { headers, json } = await service.ask('test/add?name=b', { method: 'POST' });
  const position = headers.get('service-lsn')!;
  t.match(json, { rows_affected: 1 });
  const stale = (await service.ask('test/items')).json as [{ n: number; port: number }];
  t.equal(stale[0].n, 1);
  const fresh = service.ask('test/items', { headers: { 'Service-LSN': position } });
  const byCookie = service.ask('test/items', {
    headers: { Cookie: `a=b; Service-LSN=${position}; c=d` },
  });
  const other = await Promise.race([fresh, service.ask('test/items')]);
  t.strictSame((other.json as [{ n: number }])[0].n, 1, 'nothing else waits');
  await second.sql('SELECT pg_wal_replay_resume()');
  for (const answer of [await fresh, await byCookie])
    t.strictSame(answer.json, [{ n: 2, port: second.port }]);
  await first.sql('SELECT pg_wal_replay_resume()');
  await replayed(first, primary);
});

t.test('what is no position', async (t) => {
  for (const text of ['x', '1:0', '1:0/0/0', '0/123456789', '1:0/3000148,, 1:0/3000148', '-1:0/0'])
    t.equal(
      await service.error('test/items', { headers: { 'Service-LSN': text } }),
      '400 invalid_request',
      text,
    );
  const headers = { Cookie: 'Service-LSN=x' };
  t.equal(await service.error('test/items', { headers }), '200', 'the cookie of another program');
});

t.test('a script that reads by its method, but writes', async (t) => {
  t.strictSame(await service.rows('test/visits'), [{ n: 1 }]);
  const { headers, json } = await service.ask('test/visits');
  t.strictSame(json, [{ n: 2 }]);
  t.ok(headers.has('service-lsn'));
  const warned = await service.line(({ script }) => script === 'test/visits');
  t.match(warned, { level: 40, alias: 'postgres', msg: /declare it with -- @primary$/ });
});

t.test('what only a primary has', async (t) => {
  t.strictSame(await service.rows('test/scratch'), [{ n: 1 }]);
});

t.test('listings and MCP', async (t) => {
  const on = async (): Promise<number[]> => {
    const rows = await Promise.all(
      [first, second, primary].map((server) =>
        server.sql<{ n: number }>(
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'sql-rest-service' AND query LIKE '%pg_class%'",
        ),
      ),
    );
    return rows.map(([row]) => row!.n);
  };
  t.equal((await service.ask('/tables')).status, 200);
  const [a, b, c] = await on();
  t.ok(a! + b! > 0);
  t.equal(c, 0);
});

t.test('tools of MCP clients', async (t) => {
  const names = await toolNames(service);
  const call = async (script: string, headers = {}): Promise<unknown> => {
    const name = names.find((one) => one.endsWith(`.${script}`))!;
    const { isError, structuredContent, content } = await callTool(service, name, {}, { headers });
    return isError === true
      ? content[0]!.text
      : (structuredContent as { rows: [{ port: number }] }).rows[0].port;
  };
  t.ok(ports.includes((await call('where')) as number));
  t.equal(await call('primary'), primary.port);
  const { headers } = await service.ask('test/add?name=c', { method: 'POST' });
  const position = headers.get('service-lsn')!;
  t.ok(ports.includes((await call('where', { 'Service-LSN': position })) as number));
  t.match(await call('where', { 'Service-LSN': 'x' }), /Service-LSN/);
});

t.test('a position that no server reaches', async (t) => {
  const quick = await startService(t, {
    database: primary.url,
    scripts,
    config: { ...config, 'pg.lsn_wait': '10ms' },
  });
  for (const position of ['1:FFFFFFFF/FFFFFFFF', '4000000000:0/0', 'FFFFFFFF/0']) {
    const { json } = await quick.ask('test/where', { headers: { 'Service-LSN': position } });
    t.match(json, [{ port: primary.port, replica: false }], position);
  }
});

t.test('the server that is configured first is a replica', async (t) => {
  const moved = await startService(t, {
    database: first.url,
    scripts,
    config: { ...config, 'pg.replicas': [second.url, primary.url] },
  });
  const { status, headers } = await moved.ask('test/add?name=d', { method: 'POST' });
  t.equal(status, 200);
  t.ok(headers.has('service-lsn'));
  t.strictSame(await moved.rows('test/primary'), [{ port: primary.port }]);
  await until(async () => {
    const { json } = await moved.ask('test/where');
    return (json as [{ port: number }])[0].port === first.port;
  });
});

t.test('a role that may only read', async (t) => {
  await primary.sql(
    "CREATE ROLE reader LOGIN PASSWORD 'reader'; ALTER ROLE reader SET default_transaction_read_only = on; GRANT ALL ON ALL TABLES IN SCHEMA public TO reader; GRANT ALL ON SEQUENCE item_id_seq TO reader",
  );
  for (const standby of [first, second]) await replayed(standby, primary);
  const limited = await startService(t, {
    database: `postgres://reader:reader@127.0.0.1:${primary.port}/postgres`,
    scripts,
    config: { ...config, 'pg.replicas': ports.map((port) => `postgres://127.0.0.1:${port}`) },
  });
  t.equal(await limited.error('test/add?name=e', { method: 'POST' }), '503 25006');
  t.equal(await limited.error('test/visits'), '503 25006');
  t.equal(await limited.error('test/where'), '200');
});

t.test('health', async (t) => {
  const { status, json } = await service.ask('/_health');
  t.strictSame([status, json], [200, { status: 'up', databases: { postgres: 'up' } }]);
});
