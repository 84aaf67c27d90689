/** The report of `check` about the scripts table. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, run } from '../program.js';

const server = await startPostgres(t);
const folder = makeFolder(t);

const check = async (...args: string[]): Promise<{ code: number | null; stdout: string }> => {
  const env = { DATABASE_URL: server.url, SERVICE_QUERIES_STORAGE: 'database' };
  const { code, stdout } = await run(folder, ['check', ...args], env);
  return { code, stdout };
};
const stored = async (...args: string[]): Promise<unknown> =>
  (JSON.parse((await check('--json', ...args)).stdout) as { stored: unknown }).stored;

t.test('the table', async (t) => {
  const table = 'public.service_queries';
  t.equal(await stored('--queries.storage', 'filesystem'), null);
  t.match(await check(), {
    code: 0,
    stdout: /\ntable public\.service_queries ok: it is not there yet; serve makes it\n/,
  });
  const unmade = ['--queries.migrate_on_startup', 'false'];
  t.match(await check(...unmade), {
    code: 1,
    stdout:
      /\ntable public\.service_queries not ok\n {2}error: it is not there; sql-rest-service migrate up queries makes it\n/,
  });
  t.strictSame(await stored(...unmade), {
    table,
    ok: false,
    message: 'it is not there; sql-rest-service migrate up queries makes it',
    count: 0,
    problems: [],
  });
  await run(folder, ['migrate', 'up', 'queries'], { DATABASE_URL: server.url });
  await server.sql(`INSERT INTO service_queries (database_alias, location, name, read_sql, write_sql)
    VALUES ('', 'a', 'b', 'SELECT 1', NULL), ('main', 'a', 'b', 'SELECT 2', '')`);
  t.match(await check(), { code: 0, stdout: /\ntable public\.service_queries ok: 2 scripts\n/ });
  await server.sql(`INSERT INTO service_queries (database_alias, location, name, read_sql, write_sql)
    VALUES ('main', 'a', 'c', 'SELECT 1', E'X\\n{{if}} secret'), ('', 'a.b', 'c', 'SELECT', NULL)`);
  const { code, stdout } = await check();
  t.equal(code, 1);
  t.match(stdout, /\ntable .* not ok: 3 scripts\n/);
  t.match(stdout, /\n {2}error: main\/a\/c \(write\):2:5: .*missing value/);
  t.match(stdout, /\n {2}error: a\.b\/c: no request can name this script\n/);
  t.notMatch(stdout, 'secret');
  t.match(await stored('--pg.port', '1'), { ok: false, message: /08001/ });
});
