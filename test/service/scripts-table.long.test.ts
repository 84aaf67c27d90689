/** Stored scripts at the start of the service: what is made, imported, told, and what keeps it from starting. */
import t from 'tap';
import { startPostgres, type Postgres } from '../support/postgres.js';
import { Service, type Configuration } from '../support/service.js';
import { isOutcome, start, STORED } from './stored-start.js';

const stored = async (server: Postgres): Promise<unknown[]> =>
  (await server.sql('SELECT name FROM service_queries ORDER BY 1')).map(({ name }) => name);

t.test('a database', async (t) => {
  const server = await startPostgres(t);

  await t.test('not for files', async (t) => {
    const service = await start(t, server.url, { 'queries.storage': 'filesystem' }).listening();
    t.notMatch(service.output, 'scripts table');
    t.strictSame(await server.sql("SELECT to_regclass('service_queries') AS it"), [{ it: null }]);
  });

  await t.test('neither made nor imported unless wanted', async (t) => {
    const off = { 'queries.migrate_on_startup': false, 'queries.import_on_startup': false };
    const service = await start(t, server.url, off).listening();
    t.notOk(service.lines.some(isOutcome));
    const half = start(t, server.url, { 'queries.migrate_on_startup': false });
    t.match(await half.line('the scripts table'), {
      level: 50,
      msg: 'the scripts table cannot be used: it is not there; sql-rest-service migrate up queries makes it',
    });
    await half.listening();
  });

  await t.test('made and imported before it listens; what does not parse is said', async (t) => {
    const service = await start(t, server.url).listening();
    const listening = service.lines.findIndex(({ msg }) => msg === 'listening');
    const outcome = service.lines.findIndex(isOutcome);
    t.ok(outcome >= 0 && outcome < listening);
    t.match(service.lines[outcome], {
      level: 30,
      msg: 'the scripts table was made',
      schema: 'public',
      table: 'service_queries',
      created: 2,
      updated: 0,
      unchanged: 0,
      skipped: 0,
    });
    t.match(await service.line('missing value'), {
      level: 40,
      script: 'shop/b',
      verb: 'write',
      position: 'shop/b:1:12',
    });
    t.notMatch(service.output, 'secret');
    t.strictSame(await stored(server), ['b', 'list']);

    service.script('shop/new.read.sql', 'SELECT 2');
    service.signal('SIGHUP');
    await service.line('reloaded');
    t.strictSame(await stored(server), ['b', 'list'], 'what it goes by has not changed');
    service.configure({ ...STORED, 'queries.table': 'others' });
    service.signal('SIGHUP');
    await service.line('reloaded', 2);
    t.match(await service.line('the scripts table', 2), { table: 'others', created: 3 });
    t.equal((await server.sql('SELECT FROM others')).length, 3);
  });

  await t.test('once more with SIGHUP, where it failed or the database is another', async (t) => {
    await server.sql('CREATE DATABASE shop');
    await server.sql("CREATE ROLE small LOGIN PASSWORD 'small'");
    const at = (parts: Partial<URL>): Configuration => ({
      'queries.table': 'late',
      'pg.url': Object.assign(new URL(server.url), parts).href,
    });
    const small = at({ username: 'small', password: 'small' });
    const service = await start(t, server.url, small).listening();
    t.match(service.lines.find(isOutcome), { level: 50, msg: /cannot be prepared.*\(42501\)$/ });

    let reloads = 0;
    const reload = async (config: Configuration): Promise<void> => {
      service.configure({ ...STORED, ...config });
      service.signal('SIGHUP');
      await service.line('reloaded', ++reloads);
    };
    await reload(at({}));
    t.match(await service.line(isOutcome, 2), { msg: 'the scripts table was made', created: 2 });
    await reload(small);
    t.equal(service.lines.filter(isOutcome).length, 2, 'another user, but nothing is left to do');
    await reload(at({ pathname: '/shop' }));
    t.match(await service.line(isOutcome, 3), { msg: 'the scripts table was made', created: 2 });
  });

  await t.test('conflicts', async (t) => {
    await server.sql("UPDATE service_queries SET read_sql = 'SELECT 9' WHERE name = 'list'");
    const service = start(t, server.url, { 'queries.import_policy': 'error' });
    t.equal(await service.exited, 1);
    t.match(await service.line('cannot start'), {
      level: 60,
      msg: 'the service cannot start: the scripts are not imported: these scripts are stored with another text: shop/list',
    });
    const skipping = await start(t, server.url, { 'queries.import_policy': 'skip' }).listening();
    t.match(skipping.lines.find(isOutcome), { skipped: 1, unchanged: 1 });
    skipping.configure({ ...STORED, 'queries.import_policy': 'error' });
    skipping.signal('SIGHUP');
    t.match(await skipping.line('not reloaded'), { msg: /another text: shop\/list$/ });
    t.equal((await skipping.ask('/nope')).status, 404, 'it serves on');
  });

  await t.test('a folder that the registry hides', async (t) => {
    const service = new Service(t, {
      database: server.url,
      scripts: { 'registry/x.read.sql': 'SELECT 1' },
      config: {
        ...STORED,
        'auth.enabled': true,
        'jwt.key': 'a key of thirty-two bytes at least',
        'queries.register_enabled': true,
        'queries.register_admins': ['ann'],
      },
    });
    t.match(await service.line('cannot be called'), { level: 40, folder: 'registry' });
  });

  await t.test('without rights', async (t) => {
    await server.sql(`CREATE ROLE poor LOGIN PASSWORD 'poor';
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      CREATE TABLE given (LIKE service_queries INCLUDING ALL);
      GRANT SELECT, INSERT, UPDATE ON given TO poor;
      GRANT USAGE ON SEQUENCE service_queries_id_seq TO poor`);
    const url = new URL(server.url);
    url.username = url.password = 'poor';
    const service = await start(t, url.href, { 'queries.table': 'given' }).listening();
    t.match(await service.line('have no history'), {
      level: 40,
      msg: /by polling only: permission denied for schema public \(42501\)$/,
    });
    t.match(service.lines.find(isOutcome), { created: 2 });
    const none = await start(t, url.href, { 'queries.table': 'new' }).listening();
    t.match(none.lines.find(isOutcome), {
      level: 50,
      msg: 'the scripts table cannot be prepared: permission denied for schema public (42501)',
    });
  });
});
