/** Scripts in a table: a change becomes live in every worker, however it was made and reported. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import t from 'tap';
import { CREATE, insert, TELL } from '../stored/registry/tables.js';
import { live } from '../support/everywhere.js';
import { Load } from '../support/load.js';
import { startPgbouncer } from '../support/pgbouncer.js';
import {
  connections,
  startOwnPostgres,
  startPostgres,
  type Postgres,
} from '../support/postgres.js';
import { without } from '../support/programs.js';
import { startService, type Configuration, type Service } from '../support/service.js';

const TARGET = '/_QUERIES/a/v';
const LISTENING = `SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN %'`;
const SETUP = [`${CREATE};`, insert('a/v', `SELECT 'first' AS v`)].join('\n');

const STORED: Configuration = {
  'http.processes': 2,
  'pool.threads': 2,
  'pg.maxopenconn': 8,
  'queries.storage': 'database',
  'queries.migrate_on_startup': false,
  'queries.import_on_startup': false,
};

const answer = (value: string): string => `200 [{"v":"${value}"}]`;

/** change writes another text and waits until it is live everywhere. */
async function change(postgres: Postgres, service: Service, value: string): Promise<void> {
  await postgres.sql(`UPDATE service_queries SET read_sql = $1 WHERE name = 'v'`, [
    `SELECT '${value}' AS v`,
  ]);
  return live(service.port, TARGET, answer(value));
}

async function changes(postgres: Postgres, service: Service): Promise<void> {
  await live(service.port, TARGET, answer('first'));
  for (let i = 0; i < 2; i++) await change(postgres, service, `change ${i}`);
}

const all = { buffered: true } as const;
t.jobs = 2;

t.test('without a trigger', all, async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await startService(t, { database: postgres.url, config: STORED });
  await changes(postgres, service);
  await postgres.sql(insert('postgres:a/v', `SELECT 'own' AS v`));
  await live(service.port, TARGET, answer('own')); // that of the alias first
  await live(service.port, '/_QUERIES/postgres/a/v', answer('own'));
  await postgres.sql(`DELETE FROM service_queries`);
  const gone = '404 {"error":"script not found: a/v","code":"script_not_found"}';
  await live(service.port, TARGET, gone); // deleted
});

t.test('with a trigger, also when the listener was ended', all, async (t) => {
  const postgres = await startPostgres(t, { setup: `${SETUP}\n${TELL}` });
  const service = await startService(t, { database: postgres.url, config: STORED });
  await changes(postgres, service);
  t.equal((await postgres.sql(LISTENING)).length, 1, 'one connection listens');
  for (let i = 0; i < 2; i++) {
    await postgres.sql(`SELECT pg_terminate_backend(pid) FROM (${LISTENING}) s`);
    await change(postgres, service, `ended ${i}`);
  }
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  t.equal(await connections(postgres, 0), 0);
});

t.test('through PgBouncer', { ...all, skip: without('pgbouncer') }, async (t) => {
  const postgres = await startOwnPostgres(t, { setup: `${SETUP}\n${TELL}` });
  const user = { name: postgres.user, password: postgres.password };
  const pooler = await startPgbouncer(t, postgres, user, ['default_pool_size = 4']);
  const database = `postgres://${user.name}:x@${pooler.host}:${pooler.port}/postgres`;
  const config = { ...STORED, 'pg.prepared': false };
  await changes(postgres, await startService(t, { database, config }));
});

t.test('a reload goes on to the table, and from it', all, async (t) => {
  const postgres = await startPostgres(t, { setup: `${SETUP}\n${TELL}` });
  const scripts = { 'a/v.read.sql': `SELECT 'a file' AS v` };
  const files = { ...STORED, 'queries.storage': 'filesystem' };
  const service = await startService(t, { database: postgres.url, config: files, scripts });
  await live(service.port, TARGET, answer('a file'));
  t.strictSame(await postgres.sql(LISTENING), []);
  service.configure(STORED);
  service.signal('SIGHUP');
  await service.line(isReloaded);
  await live(service.port, TARGET, answer('first'));
  await change(postgres, service, 'told');
  const load = new Load(t, { port: service.port, clients: 4, anew: true, target: () => TARGET });
  service.signal('SIGHUP');
  await service.line(isReloaded, 2);
  await load.stop();
  t.strictSame(load.failures, [], 'new workers have all scripts before they answer');
  service.configure(files);
  service.signal('SIGHUP');
  await service.line(isReloaded, 3);
  await live(service.port, TARGET, answer('a file'));
  t.strictSame(await postgres.sql(LISTENING), [], 'nobody listens any more');
});

t.test('a database that does not answer keeps no service from ending', all, async (t) => {
  const config = { ...STORED, 'pg.conntimeout': '1h', 'http.grace': 3_600 };
  const mute = net.createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  t.teardown(() => mute.close());
  const { port } = mute.address() as AddressInfo;
  const database = `postgres://postgres:x@127.0.0.1:${port}/postgres`;
  const service = await startService(t, { database, config });
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
});

t.test('before the database is there', all, async (t) => {
  const postgres = await startOwnPostgres(t, { setup: SETUP });
  await postgres.kill();
  const service = await startService(t, { database: postgres.url, config: STORED });
  const busy =
    '503 {"error":"the stored scripts cannot be read now, try again later","code":"busy"}';
  await live(service.port, TARGET, busy);
  await service.line(isReason);
  await postgres.restart();
  await live(service.port, TARGET, answer('first'));
});

const isReloaded = ({ msg }: { msg: string }): boolean => msg === 'reloaded';

const isReason = ({ msg }: { msg: string }): boolean =>
  msg.startsWith('the stored scripts cannot be read: connection');
