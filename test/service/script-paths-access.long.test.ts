/** Who may use the paths that scripts declare: tokens, open paths, permissions; and stored scripts of several databases. */
import t from 'tap';
import { CREATE, insert } from '../stored/registry/tables.js';
import { live } from '../support/everywhere.js';
import { startOwnPostgres, startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { SECRET, userToken } from '../support/tokens.js';

const path = (text: string, sql = "SELECT 'x' AS x"): string => `-- @path ${text}\n${sql}`;

const postgres = await startPostgres(t);
const AUTH = { 'auth.enabled': true, 'jwt.key': SECRET, 'http.processes': 1 };

const bearer = (user: string): Record<string, string> =>
  user === '' ? {} : { authorization: `Bearer ${userToken(user)}` };

t.test('tokens and open paths', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    config: { ...AUTH, 'jwt.whitelist': ['^/v1/public/.*$', '^/v1/größe$'] },
    scripts: {
      'shop/one.read.sql': path('/v1/public/{id}'),
      'shop/two.read.sql': path('/v1/{kind}/secret'),
      'shop/three.read.sql': path('/v1/größe'),
    },
  });
  const cases: [target: string, user: string, error: string][] = [
    ['/v1/public/7', '', '200'],
    ['/v1/public/%C3%BC', '', '200'],
    ['/v1/gr%C3%B6%C3%9Fe', '', '200'],
    ['/v1/a/secret', '', '401 token_missing'],
    ['/v1/a/secret', 'ann', '200'],
    // The path as a whole is open, whichever script it reaches.
    ['/v1/public/secret', '', '200'],
    // An encoded slash does not make it another path.
    ['/v1/public%2Fa/secret', '', '401 token_missing'],
    ['/v1/public%2Fa/secret', 'ann', '200'],
    ['/v1/public/%ff', '', '401 token_missing'],
    ['/v1/public/%ff', 'ann', '400 invalid_path'],
    ['/v1/none', '', '401 token_missing'],
    ['/v1/none', 'ann', '404 not_found'],
    ['/v1/%6eone', '', '401 token_missing'],
    ['/v1/public/a/b', '', '404 not_found'],
  ];
  for (const [target, user, error] of cases)
    t.equal(await service.error(target, { headers: bearer(user) }), error, `${target} ${user}`);
});

t.test('permissions are those of the script', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    config: {
      ...AUTH,
      'jwt.whitelist': ['^.*$'],
      'queries.restrict': true,
      'queries.scripts': [{ location: 'shop', name: 'open', permissions: ['read'] }],
      'queries.users': [
        {
          name: 'ann',
          scripts: [{ location: 'shop', name: 'own', permissions: ['read', 'delete'] }],
        },
      ],
    },
    scripts: {
      'shop/open.read.sql': path('/v1/open/{id}'),
      'shop/open.write.sql': path('/v1/open/{id}'),
      'shop/own.read.sql': path('/v1/own'),
      'shop/other.delete.sql': path('/v1/own'),
    },
  });
  const cases: [method: string, target: string, user: string, error: string][] = [
    // The first request with a body finds the paths not loaded yet.
    ['POST', '/v1/open/7', 'bob', '403 permission_denied'],
    ['POST', '/v1/open/7', '', '401 token_missing'],
    ['POST', '/v1/open/%ff', 'bob', '400 invalid_path'],
    ['GET', '/v1/open/7', '', '401 token_missing'],
    ['GET', '/v1/open/7', 'bob', '200'],
    ['HEAD', '/v1/open/7', 'bob', '200'],
    ['OPTIONS', '/v1/open/7', 'bob', '204'],
    ['GET', '/v1/own', 'bob', '403 permission_denied'],
    ['GET', '/v1/own', 'ann', '200'],
    ['DELETE', '/v1/own', 'ann', '403 permission_denied'],
    ['OPTIONS', '/v1/own', 'ann', '204'],
    ['OPTIONS', '/v1/own', 'bob', '403 permission_denied'],
    ['OPTIONS', '/v1/own', '', '401 token_missing'],
    ['PUT', '/v1/own', 'ann', '403 permission_denied'],
    ['PUT', '/v1/none', 'ann', '404 not_found'],
  ];
  for (const [method, target, user, error] of cases)
    for (const sent of ['GET', 'HEAD'].includes(method) ? [{}] : [{ body: '{"a":1}' }, {}])
      t.equal(await service.error(target, { method, headers: bearer(user), ...sent }), error, `${method} ${target} ${user}`); // prettier-ignore
});

t.test('stored scripts of several databases', async (t) => {
  const main = await startOwnPostgres(t);
  await main.sql('CREATE DATABASE second');
  const where = 'SELECT current_database() AS name, {{sqlVal "id"}}::text AS id';
  await main.sql(
    [
      `${CREATE};`,
      insert('shop/common', path('/v1/common/{id}', where)),
      insert('second:shop/own', path('/v1/own/{id}', where)),
      insert('nowhere:shop/lost', path('/v1/lost', where)),
      insert('shop/hidden', path('/v1/hidden', where)),
      insert('postgres:shop/hidden', path('/v1/shown/{id}', where)),
      insert('shop/both', path('/v1/both', where)),
      insert('second:shop/both', path('/v1/both', where)),
    ].join('\n'),
  );
  const service = await startService(t, {
    database: main.url,
    config: {
      databases: [{ alias: 'second' }],
      'http.processes': 2,
      'queries.storage': 'database',
      'queries.migrate_on_startup': false,
      'queries.import_on_startup': false,
    },
  });
  const row = (name: string): string => `200 [{"name":"${name}","id":"7"}]`;
  const gone = '404 {"error":"404 page not found","code":"not_found"}';
  const shows = (target: string, answer: string): Promise<void> =>
    live(service.port, target, answer);
  await shows('/v1/common/7', row('postgres'));
  await shows('/v1/own/7', row('second'));
  await shows('/v1/shown/7', row('postgres'));
  for (const target of ['/v1/lost', '/v1/hidden', '/v1/both']) await shows(target, gone);
  // changes
  await main.sql(`DELETE FROM service_queries WHERE database_alias = 'second'`);
  await shows('/v1/own/7', gone);
  await shows('/v1/both', '200 [{"name":"postgres","id":null}]');
  await main.sql(insert('second:shop/new', path('/v1/new/{id}', where)));
  await shows('/v1/new/7', row('second'));
  await main.sql(`UPDATE service_queries SET read_sql = 'SELECT 1 AS n' WHERE name = 'new'`);
  await shows('/v1/new/7', gone);
  t.same(await service.rows('second/shop/new'), [{ n: 1 }]);
  const line = await service.line(({ msg }) => msg.includes('is declared by'));
  t.match(line, { msg: /^GET, HEAD \/v1\/both is declared by shop\/both \(read\), and by second\/shop\/both \(read\)/ }); // prettier-ignore
});
