/** The commands `migrate up queries` and `migrate down queries`. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { makeFolder, run, type Finished } from './program.js';

const server = await startPostgres(t);
const folder = makeFolder(t);

const migrate = (args: readonly string[], url = server.url): Promise<Finished> =>
  run(folder, ['migrate', ...args], { DATABASE_URL: url });
const up = (...args: string[]): Promise<Finished> => migrate(['up', 'queries', ...args]);
const down = (...args: string[]): Promise<Finished> => migrate(['down', 'queries', ...args]);
const tables = async (): Promise<unknown[]> =>
  (await server.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")).map(
    ({ tablename }) => tablename,
  );

t.test('up and down', async (t) => {
  t.match(await down(), { code: 0, stdout: 'public.service_queries is not there\n' });
  t.strictSame(await up(), { code: 0, stdout: 'public.service_queries was made\n', stderr: '' });
  t.strictSame(await up(), {
    code: 0,
    stdout: 'public.service_queries is there already\n',
    stderr: '',
  });
  await server.sql("INSERT INTO service_queries (location, name) VALUES ('a', 'b')");
  t.strictSame(await down(), {
    code: 1,
    stdout: '',
    stderr:
      'error: there are scripts in public.service_queries; --yes drops them and their history\n',
  });
  t.strictSame(await tables(), [
    'service_queries',
    'service_queries_history',
    'service_queries_proofs',
  ]);
  t.match(await down('--yes'), { code: 0, stdout: 'public.service_queries was dropped\n' });
  t.strictSame(await tables(), []);
  t.match(await up(), { code: 0 });
  t.match(await down(), { code: 0 }, 'no scripts: nothing is lost');
  await server.sql('CREATE SCHEMA "App s"');
  const named = ['--queries.schema', 'App s', '--queries.table', 'The "scripts"'];
  t.match(await up(...named), { code: 0, stdout: 'App s.The "scripts" was made\n' });
  t.equal((await server.sql('SELECT FROM "App s"."The ""scripts""_history"')).length, 0);
  t.match(await down(...named), { code: 0 });
});

t.test('refused', async (t) => {
  t.match(await up('--queries.schema', 'nowhere'), {
    code: 1,
    stdout: '',
    stderr: /^error: the database refused: schema … does not exist \(3F000\)\n$/,
  });
  await server.sql('CREATE TABLE other (id int, name text)');
  t.match(await up('--queries.table', 'other'), {
    code: 1,
    stdout: '',
    stderr:
      /^error: the table public\.other is there, but it has no column database_alias, .*: set another queries\.table\n$/,
  });
  t.match(await up('--http.port', 'x'), { code: 1, stderr: /^error: --http\.port/ });
  const away = await migrate(['up', 'queries'], 'postgres://u:hush@127.0.0.1:1/d');
  t.match(away, { code: 1, stdout: '', stderr: /^error: the database refused: .*\(08001\)\n$/ });
  t.notMatch(away.stderr, 'hush');
});

t.test('a user who may create only the table', async (t) => {
  await server.sql(`CREATE ROLE poor LOGIN PASSWORD 'poor'; CREATE SCHEMA shut;
    CREATE TABLE shut.service_queries (id serial PRIMARY KEY, database_alias text NOT NULL DEFAULT '',
      location text, name text, read_sql text, write_sql text, update_sql text, delete_sql text,
      description text, created_by text, created_at timestamptz, updated_at timestamptz,
      UNIQUE (database_alias, location, name));
    GRANT USAGE ON SCHEMA shut TO poor; GRANT ALL ON shut.service_queries TO poor`);
  const url = new URL(server.url);
  url.username = url.password = 'poor';
  t.match(await migrate(['up', 'queries', '--queries.schema', 'shut'], url.href), {
    code: 0,
    stdout: 'shut.service_queries is there already\n',
    stderr: /^warning: without history, .*permission denied for schema shut \(42501\)\n$/,
  });
});
