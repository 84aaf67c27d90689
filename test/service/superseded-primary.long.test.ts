/**
 * A primary that was superseded, accepts writes all the same, and is nearer than its successor: it gets none from processes
 * that start while the successor is away, nor from a service that starts.
 */
import t from 'tap';
import { startOwnPostgres, type Postgres } from '../support/postgres.js';
import { ended } from '../support/process-group.js';
import { Relay } from '../support/relay.js';
import { startService, type ServiceOptions } from '../support/service.js';
import { promote, startStandby } from '../support/standby.js';
import { SECRET } from '../support/tokens.js';
import { until } from '../support/until.js';

const old = await startOwnPostgres(t, { setup: 'CREATE TABLE item (n int)' });
const successor = await startStandby(t, old);
const relay = await Relay.start(t, successor);

const options: ServiceOptions = {
  database: old.url,
  scripts: { 'a/add.write.sql': 'INSERT INTO item VALUES ({{sqlVal "n"}}::int)' },
  config: {
    'pg.replicas': [`postgres://127.0.0.1:${relay.port}`],
    'pg.failover_wait': '1s',
    'pg.maxopenconn': 8,
    'http.processes': 2,
    'pool.threads': 2,
    'queries.proof': 'off',
  },
};
const service = await startService(t, options);
let rows = 0;

/** add writes a row, and gives the answer and the servers that have it then. */
async function add(to = service): Promise<readonly [answer: string, servers: string]> {
  const n = ++rows;
  const answer = await to.error(`a/add?n=${n}`, { method: 'POST' });
  const has = async (server: Postgres): Promise<boolean> =>
    (await server.sql(`SELECT FROM item WHERE n = ${n}`)).length > 0;
  return [answer, `${(await has(old)) ? 'old' : ''}${(await has(successor)) ? 'new' : ''}`];
}

/** refused tells whether no worker writes: requests are spread over all of them. */
async function refused(): Promise<boolean> {
  const answers = await Promise.all(Array.from({ length: 12 }, () => add()));
  return answers.every(([answer, servers]) => answer.startsWith('503') && servers === '');
}

/** away cuts the successor off. */
function away(): void {
  relay.target = undefined;
  relay.cut();
}

t.test('the successor is promoted, and goes away', async (t) => {
  t.equal((await add())[0], '200');
  await promote(successor);
  await until(async () => (await add())[1] === 'new');
  away();
  t.ok(await refused(), 'by none of the workers, though one alone may have seen it');
});

t.test('HTTP processes are killed', async (t) => {
  const killed = service.httpProcesses();
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  await ended(killed);
  await until(() => service.httpProcesses().length === 2);
  await until(async () => (await add().catch(() => undefined)) !== undefined);
  t.ok(await refused());
});

t.test('the configuration is reloaded', async (t) => {
  const before = service.httpProcesses();
  service.signal('SIGHUP');
  await service.line('reloaded');
  await ended(before);
  t.ok(await refused());
});

t.test('the successor is back', async (t) => {
  relay.target = successor;
  // A write waits `pg.failover_wait` for the service to reach the successor, then it is 503.
  const answer = await until(async () => {
    const [status, servers] = await add();
    return (status === '200' || servers !== '') && [status, servers];
  });
  t.strictSame(answer, ['200', 'new']);
});

t.test('a service starts: it waits for the successor, which is far away', async (t) => {
  relay.delay = 200;
  relay.cut();
  const other = await startService(t, {
    ...options,
    config: {
      ...options.config,
      'pg.failover_wait': '60s',
      'auth.enabled': true,
      'auth.migrate_on_startup': true,
      'jwt.key': SECRET,
      'jwt.whitelist': ['/.*'],
    },
  });
  const first = Array.from({ length: 8 }, () => other.error('a/add?n=0', { method: 'POST' }));
  await Promise.all(first);
  await until(async () => (await add(other))[0] === '200');
  t.strictSame(await old.sql('SELECT FROM item WHERE n = 0'), []);
  const made = async (server: Postgres): Promise<boolean> =>
    (await server.sql("SELECT FROM pg_tables WHERE tablename = 'service_users'")).length > 0;
  t.strictSame([await made(old), await made(successor)], [false, true], 'tables of the service');
  relay.delay = 0;
});

t.test('a service starts without the other server: it waits as long as it may', async (t) => {
  away();
  const other = await startService(t, options);
  t.strictSame(await add(other), ['200', 'old']);
  t.equal(await other.error('/_ready'), '200');
});

t.test('without the successor in the configuration, the old server is the primary', async (t) => {
  service.configure({ ...options.config, 'pg.replicas': [] });
  service.signal('SIGHUP');
  await service.line('reloaded', 2);
  await until(async () => (await add())[1] === 'old');
  t.pass('the reload ended what was known of it');
});
