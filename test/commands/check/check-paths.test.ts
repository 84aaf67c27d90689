/** The report of `check` about paths that scripts declare, in files and in the table. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Report } from '#app/commands/check/report.js';
import { CREATE, insert } from '../../stored/registry/tables.js';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, run } from '../program.js';

const server = await startPostgres(t);
const env = { DATABASE_URL: server.url };

function withScripts(scripts: Readonly<Record<string, string>>): string {
  const folder = makeFolder(t);
  mkdirSync(join(folder, 'queries/shop'), { recursive: true });
  for (const [name, text] of Object.entries(scripts))
    writeFileSync(join(folder, 'queries/shop', name), text);
  return folder;
}

t.test('two scripts with one path', async (t) => {
  const folder = withScripts({
    'a.read.sql': '-- @path /v1/twice/{id}\nSELECT 1',
    'b.read.sql': '-- @path /v1/twice/{key}\n-- @path /v1/b\nSELECT 1',
  });
  const { code, stdout } = await run(folder, ['check'], env);
  t.equal(code, 1);
  t.match(
    stdout,
    '\npaths not ok: 1 path\n' +
      '  error: GET, HEAD /v1/twice/{id} is declared by shop/a (read), and by shop/b (read) as /v1/twice/{key}: neither serves it, change one of the two\n' +
      '  GET HEAD  /v1/b  shop/b\n',
  );
  t.match(stdout, /\nscripts .* ok: 2 scripts\n/);
});

t.test('a path of a built-in route', async (t) => {
  const folder = withScripts({ 'a.read.sql': 'SELECT 1', 'b.read.sql': '-- @path /auth/me\nSELECT 1' }); // prettier-ignore
  const { code, stdout } = await run(folder, ['check'], env);
  t.equal(code, 1);
  t.match(stdout, /\n {2}error: shop\/b\.read\.sql:1.*belongs to the built-in route \/auth/);
  t.notMatch(stdout, /\npaths/);
});

t.test('paths of files', async (t) => {
  const folder = withScripts({
    'list.read.sql': '-- @path /v1/orders\nSELECT 1',
    'list.write.sql': '-- @path /v1/orders\nSELECT 1',
    'detail.read.sql': '-- @path /v1/orders/{id}\nSELECT 1',
    'detail.update.sql': '-- @path PATCH /v1/orders/{id}\nSELECT 1',
    'none.read.sql': 'SELECT 1',
  });
  const { code, stdout } = await run(folder, ['check'], env);
  t.equal(code, 0, stdout);
  t.match(
    stdout,
    [
      '\npaths ok: 4 paths',
      '  GET HEAD  /v1/orders       shop/list',
      '  POST      /v1/orders       shop/list',
      '  GET HEAD  /v1/orders/{id}  shop/detail',
      '  PATCH     /v1/orders/{id}  shop/detail\n',
    ].join('\n'),
  );
});

t.test('paths of the table', async (t) => {
  const path = (text: string): string => `-- @path ${text}\nSELECT 1`;
  await server.sql(
    [
      `${CREATE};`,
      insert('shop/a', path('/v1/a')),
      insert('shop/hidden', path('/v1/hidden')),
      insert('postgres:shop/hidden', path('/v1/own')),
      insert('nowhere:shop/n', path('/v1/a')),
    ].join('\n'),
  );
  const table = { ...env, SERVICE_QUERIES_STORAGE: 'database' };
  const folder = withScripts({ 'a.read.sql': path('/v1/file') });
  const read = async (): Promise<Report> =>
    JSON.parse((await run(folder, ['check', '--json'], table)).stdout) as Report;
  const shop = { methods: ['GET', 'HEAD'], database: 'postgres', folder: 'shop' };
  t.same((await read()).paths, {
    served: [
      { path: '/v1/a', ...shop, name: 'a' },
      { path: '/v1/own', ...shop, name: 'hidden' },
    ],
    problems: [],
  });
  await server.sql(insert('postgres:shop/b', path('/v1/%61')));
  const { ok, paths } = await read();
  t.notOk(ok);
  t.match(paths?.problems, [/by shop\/a \(read\), and by postgres\/shop\/b \(read\) as \/v1\/%61/]);
});
