/** Scripts in a table: a change is live in every worker within a second, however it was made and whoever tells of it. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { CREATE, insert, TELL } from '../registry/tables.js';
import { live } from '../support/everywhere.js';
import { Load } from '../support/load.js';
import { pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.js';
import { connections, startPostgres, type Postgres } from '../support/postgres.js';
import { soon } from '../support/process-group.js';
import { startService, type Configuration, type Service } from '../support/service.js';

const SECOND = 1_000;
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

/** change writes another text and gives how long it took until it was live everywhere, ms. */
async function change(postgres: Postgres, service: Service, value: string): Promise<number> {
  await postgres.sql(`UPDATE service_queries SET read_sql = $1 WHERE name = 'v'`, [
    `SELECT '${value}' AS v`,
  ]);
  return live(service.port, TARGET, answer(value));
}

async function changes(t: Test, postgres: Postgres, service: Service): Promise<number[]> {
  t.not(await live(service.port, TARGET, answer('first')), Infinity);
  const took: number[] = [];
  for (let i = 0; i < 4; i++) took.push(await change(postgres, service, `change ${i}`));
  // A busy machine may hold up one of them.
  const [, , third] = [...took].sort((a, b) => a - b);
  t.ok(third! < SECOND, `live after ${took.map(Math.round).join(', ')} ms`);
  return took;
}

const all = { buffered: true } as const;
t.jobs = 2;

t.test('without a trigger', all, async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const service = await startService(t, { database: postgres.url, config: STORED });
  await changes(t, postgres, service);
  await postgres.sql(insert('postgres:a/v', `SELECT 'own' AS v`));
  t.not(await live(service.port, TARGET, answer('own')), Infinity, 'that of the alias first');
  t.not(await live(service.port, '/_QUERIES/postgres/a/v', answer('own')), Infinity);
  await postgres.sql(`DELETE FROM service_queries`);
  const gone = '404 {"error":"script not found: a/v","code":"script_not_found"}';
  t.not(await live(service.port, TARGET, gone), Infinity, 'deleted');
});

t.test('with a trigger, also when the listener was ended', all, async (t) => {
  const postgres = await startPostgres(t, { setup: `${SETUP}\n${TELL}` });
  const service = await startService(t, { database: postgres.url, config: STORED });
  const took = await changes(t, postgres, service);
  t.ok(
    took.some((time) => time < 200),
    'at least some of them at once',
  );
  t.equal((await postgres.sql(LISTENING)).length, 1, 'one connection listens');
  for (let i = 0; i < 3; i++) {
    await postgres.sql(`SELECT pg_terminate_backend(pid) FROM (${LISTENING}) s`);
    t.not(await change(postgres, service, `ended ${i}`), Infinity);
  }
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  t.equal(await connections(postgres, 0), 0);
});

t.test('through PgBouncer', { ...all, skip: bouncerMissing() }, async (t) => {
  const postgres = await startPostgres(t, { setup: `${SETUP}\n${TELL}` });
  const user = { name: postgres.user, password: postgres.password };
  const pooler = await startPgbouncer(t, postgres, user, ['default_pool_size = 4']);
  const database = `postgres://${user.name}:x@${pooler.host}:${pooler.port}/postgres`;
  const config = { ...STORED, 'pg.prepared': false };
  await changes(t, postgres, await startService(t, { database, config }));
});

t.test('a reload goes on to the table, and from it', all, async (t) => {
  const postgres = await startPostgres(t, { setup: `${SETUP}\n${TELL}` });
  const scripts = { 'a/v.read.sql': `SELECT 'a file' AS v` };
  const files = { ...STORED, 'queries.storage': 'filesystem' };
  const service = await startService(t, { database: postgres.url, config: files, scripts });
  t.not(await live(service.port, TARGET, answer('a file')), Infinity);
  t.strictSame(await postgres.sql(LISTENING), []);
  service.configure(STORED);
  service.signal('SIGHUP');
  await service.line(isReloaded);
  t.not(await live(service.port, TARGET, answer('first')), Infinity);
  t.not(await change(postgres, service, 'told'), Infinity);
  const load = new Load(t, { port: service.port, clients: 4, anew: true, target: () => TARGET });
  service.signal('SIGHUP');
  await service.line(isReloaded, 2);
  await load.stop();
  t.strictSame(load.failures, [], 'new workers have all scripts before they answer');
  service.configure(files);
  service.signal('SIGHUP');
  await service.line(isReloaded, 3);
  t.not(await live(service.port, TARGET, answer('a file')), Infinity);
  t.strictSame(await postgres.sql(LISTENING), [], 'nobody listens any more');
});

t.test('a database that does not answer keeps no service from ending', all, async (t) => {
  const config = { ...STORED, 'pg.conntimeout': '30s' };
  const mute = net.createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  t.teardown(() => mute.close());
  const { port } = mute.address() as AddressInfo;
  const database = `postgres://postgres:x@127.0.0.1:${port}/postgres`;
  const service = await startService(t, { database, config });
  const began = performance.now();
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  t.ok(performance.now() - began < 3_000);
});

t.test('before the database is there', all, async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  await postgres.kill();
  const service = await startService(t, { database: postgres.url, config: STORED });
  const busy =
    '503 {"error":"the stored scripts cannot be read now, try again later","code":"busy"}';
  t.not(await live(service.port, TARGET, busy), Infinity);
  t.not(await soon('the reason', () => service.lines.find(isReason)), undefined);
  await postgres.restart();
  t.not(await live(service.port, TARGET, answer('first')), Infinity);
});

const isReloaded = ({ msg }: { msg: string }): boolean => msg === 'reloaded';

const isReason = ({ msg }: { msg: string }): boolean =>
  msg.startsWith('the stored scripts cannot be read: connection');

function bouncerMissing(): string | false {
  return pgbouncerVersion() === undefined && !process.env['CI']
    ? 'pgbouncer is not installed'
    : false;
}
