/** Creating the users table, leaving an existing one unchanged, and dropping both. */
import t from 'tap';
import type { UsersTable } from '#app/messages/database-settings.js';
import { startPostgres, type Postgres } from '../../support/postgres.js';
import { fails, usersOf } from './tables.js';

const server = await startPostgres(t);

const columns = (server: Postgres, table: string): Promise<object[]> =>
  server.sql(
    `SELECT column_name AS name, data_type AS type, column_default AS fallback
     FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position`,
    [table],
  );

t.test('created once', async (t) => {
  const users = usersOf(t, server);
  t.notOk(await users.exists());
  t.strictSame(await users.make(), { made: true, needed: [], metadata: [] });
  t.ok(await users.exists());
  t.strictSame(await columns(server, 'service_users'), [
    { name: 'id', type: 'integer', fallback: "nextval('service_users_id_seq'::regclass)" },
    { name: 'name', type: 'text', fallback: null },
    { name: 'username', type: 'text', fallback: null },
    { name: 'password', type: 'text', fallback: null },
    { name: 'metadata', type: 'jsonb', fallback: null },
  ]);
  const indexes = await server.sql<{ indexdef: string }>(
    "SELECT indexdef FROM pg_indexes WHERE tablename = 'service_users' ORDER BY 1",
  );
  t.match(indexes, [
    { indexdef: /^CREATE UNIQUE INDEX .* \(id\)$/ },
    { indexdef: /^CREATE UNIQUE INDEX .* \(username\)$/ },
  ]);
  await users.add('ann', 'h', {});
  t.strictSame(await users.make(), { made: false, needed: [], metadata: [] });
  t.equal((await users.list()).length, 1, 'nothing is lost');
});

t.test('created by eight connections at once', async (t) => {
  const table = { table: 'race' };
  const eight = Array.from({ length: 8 }, () => usersOf(t, server, table));
  await Promise.all(eight.map((users) => users.exists())); // all are connected
  const results = await Promise.all(eight.map((users) => users.make()));
  for (const { needed } of results) t.strictSame(needed, []);
  t.ok(results.some(({ made }) => made));
});

t.test('columns with other names', async (t) => {
  const cases: [table: Partial<UsersTable>, names: string[]][] = [
    [
      { table: 'c1', username: 'mail', password: 'ha"sh' },
      ['id', 'name', 'mail', 'ha"sh', 'metadata'],
    ],
    [{ table: 'c2', username: 'name', password: 'metadata' }, ['id', 'name', 'metadata']],
    [{ table: 'c3', username: 'id' }, ['id', 'name', 'password', 'metadata']],
    [{ table: "c4' \\", schema: 'public' }, ['id', 'name', 'username', 'password', 'metadata']],
  ];
  for (const [table, names] of cases) {
    const users = usersOf(t, server, table);
    t.strictSame(await users.make(), { made: true, needed: [], metadata: [] });
    t.strictSame(
      (await columns(server, table.table!)).map((column) => (column as { name: string }).name),
      names,
    );
    t.ok(await users.add('ann', 'h', {}));
    t.match(await users.find('ann'), { username: 'ann', password: 'h' });
  }
});

t.test('an existing table is never altered', async (t) => {
  await server.sql('CREATE TABLE theirs (username text, hash text)');
  const before = await columns(server, 'theirs');
  const users = usersOf(t, server, { table: 'theirs', metadata: ['org', 'hash'] });
  t.strictSame(await users.make(), { made: false, needed: ['password'], metadata: ['org'] });
  t.strictSame(await columns(server, 'theirs'), before);
});

t.test('a table that cannot be created', async (t) => {
  await server.sql("CREATE ROLE poor LOGIN PASSWORD 'poor'; CREATE SCHEMA closed");
  const made = (table: Partial<UsersTable>, more = ''): Promise<unknown> =>
    usersOf(t, server, table, more).make();
  const poor = 'user=poor password=poor';
  await fails(t, made({ schema: 'nowhere' }), { state: '3F000', passing: false });
  await fails(t, made({ table: 'new' }, poor), { state: '42501', passing: false });
  await fails(t, made({ schema: 'closed' }, poor), { state: '42501', passing: false });
  const standby = "options='-c default_transaction_read_only=on'";
  await fails(t, made({ table: 'new' }, standby), { state: '25006', passing: true });
});

t.test('dropped', async (t) => {
  const users = usersOf(t, server, { table: 'gone' });
  await users.make();
  t.ok(await users.isEmpty());
  await users.add('ann', 'h', {});
  t.notOk(await users.isEmpty());
  await users.drop();
  t.notOk(await users.exists());
  await fails(t, users.drop(), { state: '42P01' });
});
