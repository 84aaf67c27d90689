/** The users table at start: made by one HTTP process, waited for, and left alone. */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startOwnPostgres, startPostgres, type Postgres } from '../support/postgres.js';
import { startService, type Configuration, type Service } from '../support/service.js';

const AUTH: Configuration = {
  'auth.enabled': true,
  'jwt.key': 'a key of thirty-two bytes at least',
  'http.host': '127.0.0.1',
  'http.processes': 2,
  'pool.threads': 1,
};

function start(t: Test, database: string, config: Configuration = {}): Promise<Service> {
  return startService(t, { database, config: { ...AUTH, ...config } });
}

const exists = async (server: Postgres, table = 'service_users'): Promise<boolean> =>
  (await server.sql('SELECT to_regclass($1) IS NOT NULL AS it', [table]))[0]!['it'] as boolean;

// They have a database each, and wait rather than work.
t.jobs = 2;

t.test('a database', { buffered: true }, async (t) => {
  const server = await startPostgres(t);

  await t.test('not without logins', async (t) => {
    const configs = [
      { 'auth.enabled': false },
      { 'auth.login': false },
      { 'auth.migrate_on_startup': false },
    ];
    await Promise.all(
      configs.map(async (config) => {
        const service = await start(t, server.url, config);
        await service.ask('/_health');
        service.signal('SIGTERM');
        await service.exited;
        t.notMatch(service.output, 'users table');
      }),
    );
    t.notOk(await exists(server));
  });

  await t.test('made, and found by the next one', async (t) => {
    const service = await start(t, server.url);
    t.match(await service.line('users table'), {
      msg: 'the users table was created',
      level: 30,
      schema: 'public',
      table: 'service_users',
      httpProcess: 0,
    });
    t.ok(await exists(server));
    service.signal('SIGHUP');
    t.match(await service.line('users table', 2), {
      msg: 'the users table exists',
      httpProcess: 0,
    });
    t.equal(service.lines.filter(({ msg }) => msg.includes('users table')).length, 2);
  });

  await t.test('columns that are not there', async (t) => {
    const [service, other] = await Promise.all([
      start(t, server.url, { 'auth.password': 'hash' }),
      start(t, server.url, { 'auth.metadata': ['org', 'name'] }),
    ]);
    t.match(await service.line('users table'), {
      level: 40,
      msg: 'the users table has no column hash: logins fail',
    });
    t.match(await other.line('users table'), {
      level: 40,
      msg: 'the users table has no column org: auth.metadata omits it',
    });
  });

  await t.test('not permitted', async (t) => {
    const service = await start(t, server.url, { 'auth.schema': 'nowhere' });
    t.match(await service.line('users table'), {
      level: 40,
      msg: /^the users table cannot be made: /,
    });
    t.equal((await service.ask('/nope')).status, 401, 'it serves on');
  });
});

t.test('made once the database is there', { buffered: true }, async (t) => {
  const server = await startOwnPostgres(t);
  await server.sql('ALTER SYSTEM SET default_transaction_read_only = on');
  await server.sql('SELECT pg_reload_conf()');
  const service = await start(t, server.url);
  await service.line((line) => line.msg === 'listening');
  await sleep(300);
  t.notMatch(service.output, 'users table');
  await server.sql('ALTER SYSTEM RESET default_transaction_read_only');
  await server.sql('SELECT pg_reload_conf()');
  await service.line('the users table was created');
  t.ok(await exists(server));
});
