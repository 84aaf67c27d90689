/**
 * PostgreSQL acknowledges and never answers: its backends are stopped, or a proxy swallows what passes. The service is well
 * again by itself, and what callers were told of their writes is true.
 */
import t, { type Test } from 'tap';
import { freeze, startProxy } from '../support/black-hole.js';
import { startOwnPostgres, type Postgres } from '../support/postgres.js';
import { startService, type Answer, type Service } from '../support/service.js';
import { until } from '../support/until.js';

const scripts = {
  'hit/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n',
  'hit/count.read.sql': 'SELECT hit({{sqlVal "n"}}::int) AS n',
  'hit/add.write.sql': 'INSERT INTO hits VALUES ({{sqlVal "n"}}::int)',
};
const setup = `CREATE TABLE hits (n int);
  CREATE FUNCTION hit(int) RETURNS int LANGUAGE sql AS 'INSERT INTO hits VALUES ($1) RETURNING n'`;
const config = {
  'http.processes': 1,
  'pool.threads': 1,
  'pg.maxopenconn': 2,
  'http.timeout': '8s',
};

/** well waits until a request and the service's health are as they should be. */
async function well(t: Test, service: Service): Promise<void> {
  const isWell = async (): Promise<boolean> =>
    (await service.error('hit/one?n=1')) === '200' && (await service.error('/_health')) === '200';
  await until(isWell, 50);
  for (let i = 0; i < 50; i++) t.equal(await service.error('hit/one?n=1'), '200');
}

/** many sends enough at once for all connections to be used, by several requests each. */
function many(service: Service, script: string, method: string): Promise<Answer>[] {
  return Array.from({ length: 42 }, (_, n) => service.ask(`hit/${script}?n=${n}`, { method }));
}

const codes = (answers: readonly Answer[]): string[] =>
  answers.map(({ status, json }) => `${status} ${(json as { code?: string }).code ?? ''}`.trim());

async function doubled(postgres: Postgres): Promise<unknown[]> {
  return postgres.sql('SELECT n FROM hits GROUP BY n HAVING count(*) > 1');
}

t.jobs = 3;

t.test('all open backends are stopped', { buffered: true }, async (t) => {
  const postgres = await startOwnPostgres(t, { setup });
  const stored = { ...config, 'queries.storage': 'database' };
  const service = await startService(t, { database: postgres.url, config: stored, scripts });
  await service.line(({ msg }) => msg.startsWith('the scripts table'));
  await well(t, service);
  await Promise.all(many(service, 'one', 'GET'));
  t.ok((await freeze(t, postgres, 'sql-rest-service')) >= 2);
  const told = codes(await Promise.all([...many(service, 'one', 'GET'), ...many(service, 'add', 'POST')])); // prettier-ignore
  t.ok(told.includes('504 timeout'));
  t.notOk(told.includes('503 08006'));
  await well(t, service);
  await postgres.sql("UPDATE service_queries SET read_sql = 'SELECT 2 AS n' WHERE name = 'one'");
  // Stored scripts are read again.
  await until(async () => JSON.stringify(await service.rows('hit/one?n=1')) === '[{"n":2}]');
  t.strictSame(await doubled(postgres), []);
});

t.test('a proxy swallows the open connections', { buffered: true }, async (t) => {
  const postgres = await startOwnPostgres(t, { setup });
  const proxy = await startProxy(t, postgres);
  const service = await startService(t, { database: proxy.url, config, scripts });
  await well(t, service);
  proxy.swallow('nothing');
  t.ok(codes(await Promise.all(many(service, 'add', 'POST'))).includes('504 timeout'));
  await well(t, service);
  t.strictSame(await doubled(postgres), []);
});

for (const [script, method] of [
  ['count', 'GET'],
  ['add', 'POST'],
] as const)
  // prettier-ignore
  t.test(`answers are swallowed, then cut: ${method}`, { buffered: true }, async (t) => {
    const postgres = await startOwnPostgres(t, { setup });
    const proxy = await startProxy(t, postgres);
    const patient = { ...config, 'http.timeout': '1h' };
    const service = await startService(t, { database: proxy.url, config: patient, scripts });
    await well(t, service);
    for (const answer of await Promise.all(many(service, script, method))) t.equal(answer.status, 200);
    await postgres.sql('TRUNCATE hits');
    proxy.swallow('requests');
    const asked = many(service, script, method);
    await until(async () => (await postgres.sql('SELECT FROM hits')).length > 0);
    proxy.cut();
    const answers = await Promise.all(asked);
    t.strictSame(await doubled(postgres), [], 'nothing is done twice');
    const unknown = answers.filter(({ status }) => status === 503);
    t.ok(unknown.length > 0);
    t.strictSame([...new Set(codes(answers))].sort(), ['200', '503 08007'].slice(unknown.length === 42 ? 1 : 0)); // prettier-ignore
    for (const { headers } of unknown) t.equal(headers.get('retry-after'), null);
    await well(t, service);
  });
