/** Several databases: aliases in paths, each with its own failures, connections and limits, and reloads that change them. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { Gate, GATES } from '../support/gate.js';
import { Load } from '../support/load.js';
import { connections, startOwnPostgres } from '../support/postgres.js';
import { startService, type Service } from '../support/service.js';
import { isPending, until } from '../support/until.js';

const main = await startOwnPostgres(t, {
  settings: { log_connections: 'on' },
  setup: 'CREATE TABLE hit (n int)',
});
await main.sql('CREATE DATABASE second');
await main.sql('CREATE DATABASE unlisted');
const other = await startOwnPostgres(t, { setup: `CREATE TABLE hit (n int); ${GATES}` });
const gate = new Gate(other, 'slow');

const scripts = {
  'db/where.read.sql': 'SELECT current_database() AS name, inet_server_port() AS port',
  'db/hit.write.sql': 'INSERT INTO hit VALUES ({{sqlVal "n"}}::int)',
  'db/wait.read.sql': gate.sql,
  'db/sleep.read.sql': 'SELECT 1 AS n FROM pg_sleep({{sqlVal "s"}}::float8)',
};
const SECOND = { alias: 'second' };
const OTHER = { alias: 'Größe_2-x', url: other.url, maxopenconn: 2 };
const OTHERS = encodeURIComponent(OTHER.alias);
const config = {
  databases: [SECOND, OTHER],
  'http.processes': 1,
  'pool.threads': 1,
  'pg.conntimeout': '1h', // also for those that wait for a connection
};

/** answered waits until a request is answered like that. */
function answered(service: Service, target: string, wanted: string): Promise<true> {
  return until(async () => (await service.error(target).catch(() => 'closed')) === wanted);
}

t.test('connections: each database has as many as it may', async (t) => {
  const own = { ...config, 'pg.maxopenconn': 5 };
  const service = await startService(t, { database: main.url, scripts, config: own });
  const targets = ['', 'second/', `${OTHERS}/`];
  const before = await connections(other);
  const asked = targets.flatMap((alias) =>
    Array.from({ length: 6 }, () => service.error(`${alias}db/sleep?s=0.2`)),
  );
  t.same(await Promise.all(asked), Array(18).fill('200'));
  t.ok((await connections(other)) - before <= 2);
});

/** Of all tests that follow. */
let service: Service;

t.test('a service', async () => {
  service = await startService(t, { database: main.url, scripts, config });
});

t.test('an alias in front of the script', async (t) => {
  const cases: [path: string, name: string, port: number][] = [
    ['db/where', 'postgres', main.port],
    ['postgres/db/where', 'postgres', main.port],
    ['second/db/where', 'second', main.port],
    [`${OTHERS}/db/where`, 'postgres', other.port],
  ];
  for (const [path, name, port] of cases)
    t.same(await service.rows(path), [{ name, port }], decodeURIComponent(path));
  await service.ask(`${OTHERS}/db/hit?n=7`, { method: 'POST' });
  t.same(await other.sql('SELECT n FROM hit'), [{ n: 7 }]);
  t.same(await main.sql('SELECT n FROM hit'), []);
  const listed = await service.rows('/databases');
  t.ok((listed as { datname: string }[]).some(({ datname }) => datname === 'unlisted'));
});

t.test('an alias that is not there: 400, and nothing is connected to', async (t) => {
  for (const alias of ['unlisted', 'Second', 'POSTGRES', '127-0-0-1', 'constructor', '__proto__']) {
    const { status, json } = await service.ask(`${alias}/db/where`);
    t.equal(status, 400, alias);
    t.same(json, { error: `database not registered: ${alias}`, code: 'unknown_database' });
    t.equal(await service.error(`${alias}/db/hit?n=1`, { method: 'POST' }), '400 unknown_database');
  }
  t.same(await service.rows('second/db/where'), [{ name: 'second', port: main.port }]);
  const log = readFileSync(main.logFile, 'utf8');
  t.match(log, 'database=second', 'the log of PostgreSQL has every connection');
  t.notMatch(log, 'database=unlisted');
});

t.test('one that goes away and comes back', async (t) => {
  await answered(service, '/_ready', '200');
  const load = new Load(t, {
    port: service.port,
    clients: 4,
    target: (n) => `/_QUERIES/${n % 2 === 0 ? 'second/' : ''}db/where`,
  });
  await other.kill();
  // The first request may be sent before the loss is noticed: whether it has run is not known (08007).
  const { headers, json } = await until(async () => {
    const response = await service.ask(`${OTHERS}/db/where`);
    t.equal(response.status, 503);
    return (response.json as { code: string }).code !== '08007' && response;
  });
  t.match(headers.get('retry-after'), /^[1-9]\d*$/);
  t.match(json, { code: /^(08|57|busy)/ });
  await answered(service, '/_ready', '503');
  t.match((await service.ask('/_health')).json, {
    status: 'up',
    databases: { postgres: 'up', second: 'up', [OTHER.alias]: 'down' },
  });
  // On a busy machine a look at another one may take too long.
  await service.line(
    ({ msg, alias }) => alias === OTHER.alias && msg.startsWith('the database does not answer'),
  );
  await other.restart();
  await answered(service, `${OTHERS}/db/where`, '200');
  await answered(service, '/_ready', '200');
  await service.line(
    ({ msg, alias }) => alias === OTHER.alias && msg === 'the database answers again',
  );
  await load.reached(21);
  await load.stop();
  t.same(load.failures, [], 'the others never noticed');
});

t.test('slow statements hold up those of their database alone', async (t) => {
  // One of them has to wait for the other.
  const slow = Array.from({ length: 2 }, () => service.error(`${OTHERS}/db/wait`));
  await until(async () => (await gate.waiting()) > 0);
  for (let i = 0; i < 20; i++) t.match(await service.rows('db/where'), [{ name: 'postgres' }]);
  t.ok((await Promise.all(slow.map(isPending))).every(Boolean));
  await gate.open();
  t.same(await Promise.all(slow), Array(2).fill('200'));
});

t.test('statements over their time are those of their database', async (t) => {
  const brief = { ...config, 'pg.statement_timeout': 1 };
  const service = await startService(t, { database: main.url, scripts, config: brief });
  const slow = Array.from({ length: 2 }, () => service.error(`${OTHERS}/db/sleep?s=3600`));
  t.same(await Promise.all(slow), Array(2).fill('504 timeout'));
  t.match(await service.rows('db/where'), [{ name: 'postgres' }]);
});

t.test('a reload adds, changes and removes databases', async (t) => {
  const load = new Load(t, {
    port: service.port,
    clients: 4,
    target: (n) => `/_QUERIES/${n % 2 === 0 ? 'second/' : ''}db/where`,
  });
  const reload = async (databases: readonly Record<string, string | number>[], n: number) => {
    service.configure({ ...config, databases });
    service.signal('SIGHUP');
    await service.line('reloaded', n);
  };
  // Until the old HTTP processes have closed them, kept connections are theirs.
  const served = async (target: string, wanted: object): Promise<void> => {
    await until(async () => {
      const rows = await service.rows(target).catch(() => undefined);
      return JSON.stringify(rows) === JSON.stringify([wanted]);
    });
  };
  const added = { alias: 'constructor', url: other.url };
  await reload([SECOND, OTHER, added], 1);
  await served('constructor/db/where', { name: 'postgres', port: other.port });
  await reload([SECOND, { alias: added.alias, database: 'second' }], 2);
  await served('constructor/db/where', { name: 'second', port: main.port });
  await answered(service, `${OTHERS}/db/where`, '400 unknown_database');
  t.equal(await connections(other, 0), 0, 'what is not served is not connected to');
  await load.reached(21);
  await load.stop();
  t.same(load.failures, []);
});
