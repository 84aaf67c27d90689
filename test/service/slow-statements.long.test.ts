/** Statements over log.slow are logged with the text of the script, their times and their plan, without SQL and values. */
import t, { type Test } from 'tap';
import { ask as askEverywhere } from '../support/everywhere.js';
import { startOlder } from '../support/older-postgres.js';
import { startOwnPostgres, startPostgres, versionOf, type Postgres } from '../support/postgres.js';
import { callTool } from '../support/mcp.js';
import { startService, type Service } from '../support/service.js';
import { until } from '../support/until.js';

const SLOW = 'a statement was slow';
const SETUP = `
  CREATE TABLE orders (id int PRIMARY KEY, note text);
  INSERT INTO orders SELECT i, 'n' || i FROM generate_series(1, 100) i;
  CREATE ROLE clerk; GRANT SELECT ON orders TO clerk;`;

const scripts = {
  'a/bound.read.sql': `-- all orders but one
SELECT id FROM orders, pg_sleep(0.02) WHERE note <> {{sqlVal "note"}} AND note <> 'constant'`,
  'a/text.read.sql': `SELECT id FROM pg_sleep(0.02), orders
{{if isSet "note"}}
WHERE note = '{{.note}}'
{{end}}
LIMIT 1`,
  'a/change.write.sql': `INSERT INTO orders SELECT 1000 + {{sqlVal "n"}}::int FROM pg_sleep(0.02)`,
  'a/two.write.sql': `SELECT pg_sleep(0.02); UPDATE orders SET note = 'x' WHERE id = 1`,
  'a/over.read.sql': `-- @timeout 50ms
SELECT pg_sleep(60)`,
  'a/fails.read.sql': `SELECT pg_sleep(0.02), 1 / (id - id) FROM orders`,
  'a/header.read.sql': `-- @header X-Id: {id}
SELECT id FROM orders, pg_sleep(0.02)`,
  'a/fast.read.sql': `SELECT 1 AS one`,
};
const config = {
  'log.slow': '15ms',
  'http.processes': 1,
  'pool.threads': 1,
  'queries.proof': 'off',
};

/** The line about the slow statement of a request. */
const lineOf = (service: Service, id: string) =>
  service.line(({ msg, requestId }) => msg === SLOW && requestId === id);

const ask = (service: Service, target: string, id: string, method = 'GET') =>
  service.ask(target, { method, headers: { 'X-Request-Id': id } });

/** The plan of a line, which servers before PostgreSQL 16 do not give. */
async function hasPlan(
  t: Pick<Test, 'match' | 'notOk'>,
  postgres: Postgres,
  line: Readonly<Record<string, unknown>>,
  node: RegExp,
): Promise<void> {
  if ((await versionOf(postgres)) < 16) t.notOk('plan' in line, 'no GENERIC_PLAN');
  else t.match((line['plan'] as string[]).join('\n'), node);
}

t.test('its times, its text and its plan', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await startService(t, { database: postgres.url, scripts, config });
  t.equal((await ask(service, 'a/bound?note=secretvalue', 'r-1')).status, 200);
  const line = await lineOf(service, 'r-1');
  t.match(line, { level: 40, script: 'a/bound', alias: 'postgres', lane: 'slow', attempts: 1 });
  t.ok(Number(line['ms']) >= 15);
  t.ok(Number(line['wait']) >= 0);
  t.match(line['shape'], /^[0-9a-f]{8}$/);
  t.equal(line['lines'], '1-2');
  await hasPlan(t, postgres, line, /^ *Seq Scan on public\.orders \(rows=\d+ cost=[\d.]+\)$/m);
  const text = JSON.stringify(service.lines);
  for (const secret of ['secretvalue', 'constant', 'SELECT', 'note'])
    t.notOk(text.includes(secret), `no line has ${secret}`);

  t.equal((await ask(service, 'a/bound?note=other', 'r-2')).status, 200);
  const second = await lineOf(service, 'r-2');
  t.equal(second['shape'], line['shape'], 'values do not change the shape');
  t.notOk('plan' in second, 'at most one plan a minute');

  t.equal((await ask(service, 'a/two', 'r-3', 'POST')).status, 200);
  const several = await lineOf(service, 'r-3');
  t.match(several, { script: 'a/two', rows: 1 });
  t.notOk('plan' in several, 'several statements have none');
  t.equal((await ask(service, 'a/header', 'r-5')).status, 200);
  t.equal(line['rows'], 100);
  t.equal((await lineOf(service, 'r-5'))['rows'], 100);
  // A fast one has no line; again when it was slow on a busy machine. The line of what follows it would come later.
  let asked = 0;
  await until(async () => {
    const id = `fast-${++asked}`;
    t.equal((await ask(service, 'a/fast', id)).status, 200);
    t.equal((await ask(service, 'a/two', `two-${asked}`, 'POST')).status, 200);
    await lineOf(service, `two-${asked}`);
    return !service.lines.some(({ requestId }) => requestId === id);
  });
});

t.test('many runs in all workers of two HTTP processes have one plan', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  if ((await versionOf(postgres)) < 16) return t.pass('no GENERIC_PLAN');
  const database = postgres.url;
  const two = { ...config, 'http.processes': 2, 'pool.threads': 2 };
  const service = await startService(t, { database, scripts, config: two });
  const target = 'a/bound?note=x';
  const found = () => service.lines.filter(({ msg, script }) => msg === SLOW && script === 'a/bound'); // prettier-ignore
  const plans = () => found().filter((line) => 'plan' in line).length;
  // Each HTTP process numbers its requests behind a text of its own.
  const processes = () => new Set(found().map(({ requestId }) => String(requestId).split('-')[0]));
  await until(async () => {
    await askEverywhere(service.port, `/_QUERIES/${target}`);
    // One after the other: among many at a time no connection may be idle.
    await service.ask(target);
    return plans() > 0 && processes().size === 2;
  });
  let asked = 0;
  // Another script has its own. Again when no connection was idle on a busy machine.
  await until(async () => {
    const id = `other-${++asked}`;
    t.equal((await ask(service, 'a/text', id)).status, 200);
    return 'plan' in (await lineOf(service, id));
  });

  service.signal('SIGHUP');
  await service.line('reloaded');
  t.equal((await ask(service, target, 'r-later')).status, 200);
  t.notOk('plan' in (await lineOf(service, 'r-later')), 'nor after a reload');
  t.ok(found().length > 30);
  t.equal(plans(), 1);
});

t.test('an interpolated value', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await startService(t, { database: postgres.url, scripts, config });
  t.equal((await ask(service, 'a/text?note=secretvalue', 'r-1')).status, 200);
  await ask(service, 'a/text?note=anothervalue', 'r-2');
  await ask(service, 'a/text', 'r-3');
  const [first, second, third] = [
    await lineOf(service, 'r-1'),
    await lineOf(service, 'r-2'),
    await lineOf(service, 'r-3'),
  ];
  t.equal(first['shape'], second['shape']);
  t.equal(first['lines'], '1,3,5');
  t.not(first['shape'], third['shape'], 'another branch is another shape');
  t.equal(third['lines'], '1,5');
  await hasPlan(t, postgres, first, /on public\.orders/);
  t.notOk(JSON.stringify(service.lines).includes('secretvalue'));
});

t.test('a change is planned and not run again; failures have their state', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await startService(t, { database: postgres.url, scripts, config });
  t.equal((await ask(service, 'a/change?n=1', 'r-1', 'POST')).status, 200);
  const line = await lineOf(service, 'r-1');
  t.equal(line['rows'], 1);
  await hasPlan(t, postgres, line, /^Insert on public\.orders /);
  t.same(await postgres.sql('SELECT count(*)::int AS n FROM orders WHERE id > 1000'), [{ n: 1 }]);

  t.equal((await ask(service, 'a/over', 'r-2')).status, 504);
  t.equal((await lineOf(service, 'r-2'))['state'], '57014');
  t.equal((await ask(service, 'a/fails', 'r-3')).status, 400);
  t.equal((await lineOf(service, 'r-3'))['state'], '22012');
});

t.test('the plan is read as the role of the caller', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const roles = {
    'auth.enabled': true,
    'jwt.key': 'k'.repeat(32),
    'auth.db_role': 'role',
    'auth.db_roles': ['clerk'],
  };
  const anonymous = { 'auth.anonymous_role': 'clerk', 'jwt.whitelist': ['/_QUERIES/a/.*'] };
  const service = await startService(t, {
    database: postgres.url,
    scripts,
    config: { ...config, ...roles, ...anonymous },
  });
  t.equal((await ask(service, 'a/bound?note=x', 'r-1')).status, 200);
  await hasPlan(t, postgres, await lineOf(service, 'r-1'), /on public\.orders/);
});

t.test('no plan without an idle connection, nor of an older server', async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  for (const [database, connections] of [
    [postgres.url, 1],
    [await startOlder(t, postgres), 4],
  ] as const) {
    const one = { ...config, 'pg.maxopenconn': connections };
    const service = await startService(t, { database, scripts, config: one });
    t.equal((await ask(service, 'a/bound?note=x', 'r-1')).status, 200);
    const line = await lineOf(service, 'r-1');
    t.ok('ms' in line);
    t.notOk('plan' in line);
  }
});

t.test('log.slow = 0', async (t) => {
  const { url: database } = await startPostgres(t, { setup: SETUP });
  const off = { ...config, 'log.slow': 0 };
  const service = await startService(t, { database, scripts, config: off });
  t.equal((await ask(service, 'a/bound?note=x', 'r-1')).status, 200);
  service.signal('SIGTERM');
  await service.line('stopped');
  t.same(service.lines.filter(({ msg }) => msg === SLOW), []); // prettier-ignore
});

t.test('pg_stat_statements', async (t) => {
  const settings = { shared_preload_libraries: 'pg_stat_statements' };
  const setup = `${SETUP} CREATE SCHEMA "stat's"; CREATE EXTENSION pg_stat_statements SCHEMA "stat's";`;
  const postgres = await startOwnPostgres(t, { settings, setup });
  const service = await startService(t, { database: postgres.url, scripts, config });
  t.equal((await ask(service, 'a/bound?note=x', 'r-1')).status, 200);
  const line = await lineOf(service, 'r-1');
  // The id comes with the plan.
  if ((await versionOf(postgres)) < 16) return t.notOk('queryid' in line, 'no GENERIC_PLAN');
  const { queryid, calls, mean } = line;
  t.equal(calls, 1);
  t.ok(Number(mean) >= 15);
  const found = await postgres.sql(
    `SELECT query FROM "stat's".pg_stat_statements WHERE queryid = $1::bigint`,
    [queryid],
  );
  t.match(found, [{ query: /FROM orders, pg_sleep/ }]);
});

t.test('tools for MCP clients', async (t) => {
  const postgres = await startPostgres(t, {
    setup: `${SETUP}
      INSERT INTO orders VALUES (0, 'secretvalue'); -- without a row that is found, some plans do not sleep
      CREATE VIEW slow_orders AS SELECT id, note FROM orders, pg_sleep(0.02);`,
  });
  const service = await startService(t, {
    database: postgres.url,
    scripts,
    config: { ...config, 'mcp.scripts': true },
  });
  const call = (id: string, name: string, args: object) =>
    callTool(service, `service.${name}`, args, { headers: { 'X-Request-Id': id } });
  const filters = { note: 'secretvalue' };
  t.notOk((await call('r-1', 'select_table', { table: 'slow_orders', filters })).isError);
  const line = await lineOf(service, 'r-1');
  t.match(line, { script: '/_mcp/public.slow_orders', alias: 'postgres', attempts: 1 });
  await hasPlan(t, postgres, line, /on public\.orders/);
  for (const part of ['shape', 'lines']) t.notOk(part in line, 'no script has rendered it');

  t.notOk((await call('r-2', 'script.postgres.a.bound', filters)).isError);
  const script = await lineOf(service, 'r-2');
  t.match(script, { script: 'a/bound', lines: '1-2' });
  await hasPlan(t, postgres, script, /on public\.orders/);
  const text = JSON.stringify(service.lines);
  for (const secret of ['secretvalue', 'SELECT']) t.notOk(text.includes(secret), secret);
});
