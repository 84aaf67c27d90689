/** Adding, changing and removing users, and renewing a hash. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { fails, usersOf } from './tables.js';

const server = await startPostgres(t);

t.test('a table that make created', async (t) => {
  const users = usersOf(t, server);
  await users.make();
  t.ok(await users.add('bob', 'h1', {}));
  t.ok(await users.add('ann', 'h2', { name: "A'nn", metadata: '{"big":12345678901234567890}' }));
  t.notOk(await users.add('bob', 'h3', {}), 'there already');
  const { id } = (await users.find('ann')) as { id: unknown };
  t.strictSame(await users.list(), [
    { id, username: 'ann', name: "A'nn" },
    { id: 1, username: 'bob', name: '' },
  ]);
  const stored = await server.sql(
    "SELECT metadata::text AS m, password AS p FROM service_users WHERE username = 'ann'",
  );
  t.strictSame(stored, [{ m: '{"big": 12345678901234567890}', p: 'h2' }]);
  t.equal(await users.setPassword('bob', 'h4'), 1);
  t.match(await users.find('bob'), { password: 'h4' });
  t.equal(await users.setPassword('carol', 'h'), 0);
  t.equal(await users.remove('bob'), 1);
  t.equal(await users.remove('bob'), 0);
  t.match(await users.find('ann'), { password: 'h2' }, 'others are not touched');
});

t.test('a table of two columns', async (t) => {
  await server.sql('CREATE TABLE two (username varchar(10), password varchar(10))');
  const users = usersOf(t, server, { table: 'two' });
  t.ok(await users.add('ann', 'h', {}));
  t.notOk(await users.add('ann', 'h', {}), 'there already, though no index says so');
  await fails(t, users.add('bob', 'h', { name: 'B' }), { state: '42703', message: /name|…/ });
  await fails(t, users.add('bob', 'secret hash too long', {}), {
    state: '22001',
    message: /^value too long for type character varying\(10\) \(22001\)$/,
  });
});

t.test('failures contain no values', async (t) => {
  await server.sql(`CREATE TABLE odd (username text, password int);
    CREATE TABLE strict (username text, password text, mail text NOT NULL);
    CREATE TABLE once (username text, password text UNIQUE);
    CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'got %', NEW.password; END $$;
    CREATE TABLE told (username text, password text);
    CREATE TRIGGER tell BEFORE INSERT ON told FOR EACH ROW EXECUTE FUNCTION tell()`);
  const add = (table: string): Promise<boolean> =>
    usersOf(t, server, { table }).add('ann', 'hush', {});
  await fails(t, add('odd'), { state: '42804' });
  await fails(t, add('strict'), { message: /\(23502, column mail\)$/ });
  await usersOf(t, server, { table: 'once' }).add('bob', 'hush', {});
  await fails(t, add('once'), { message: /\(23505, constraint once_password_key\)$/ });
  await fails(t, add('told'), {
    message: /^a function in the database raised an error \(P0001\)$/,
  });
  for (const table of ['odd', 'strict', 'once', 'told'])
    await add(table).catch((error: unknown) => t.notMatch(String(error), /hush|ann/));
});

t.test('renew', async (t) => {
  await server.sql(`CREATE TABLE old AS SELECT * FROM (VALUES ('ann', 'old'), ('bob', 'old')) AS v (username, password);
    CREATE TABLE narrow (username text, password varchar(5)); INSERT INTO narrow VALUES ('ann', 'old')`);
  const users = usersOf(t, server, { table: 'old' });
  await users.renew('ann', 'another', 'new');
  t.match(await users.find('ann'), { password: 'old' }, 'changed meanwhile: stays');
  await users.renew('ann', 'old', 'new');
  t.match(await users.find('ann'), { password: 'new' });
  t.match(await users.find('bob'), { password: 'old' });
  const narrow = usersOf(t, server, { table: 'narrow' });
  await fails(t, narrow.renew('ann', 'old', 'a longer one'), { state: '22001' });
  t.match(await narrow.find('ann'), { password: 'old' });
});
