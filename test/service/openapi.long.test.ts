/** The OpenAPI documents of a running service: for whom, under which path, and with which headers. */
import t from 'tap';
import { CREATE, insert } from '../stored/registry/tables.js';
import { startPostgres } from '../support/postgres.js';
import { startService, type Service } from '../support/service.js';
import { SECRET, userToken } from '../support/tokens.js';
import { until } from '../support/until.js';
import { isValidDocument } from '../describe/openapi/validators.js';
import type { Json } from '../describe/openapi/documented.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE things (id int)' });
const DOCUMENT = '/_QUERIES/openapi.json';
const AUTH = { 'auth.enabled': true, 'jwt.key': SECRET, 'http.host': '127.0.0.1' };

const SCRIPTS = {
  'shop/open.read.sql': '-- Open things.\n-- @path /v1/open/{id}\nSELECT 1 AS n',
  'shop/own.read.sql': 'SELECT 1 AS n',
  'shop/own.delete.sql': 'DELETE FROM things',
  'shop/same.read.sql': '-- @path /v1/same/{a}\nSELECT 1 AS n',
  'shop/same.write.sql': '-- @path /v1/same/{b}\nSELECT {{sqlVal "b"}}::int AS b',
  'shop/one.read.sql': '-- @path /v1/twice\nSELECT 1 AS n',
  'shop/two.read.sql': '-- @path /v1/twice\nSELECT 1 AS n',
  'shop/unusable.read.sql': 'SELECT {{if}}',
};

const bearer = (user: string): Record<string, string> =>
  user === '' ? {} : { authorization: `Bearer ${userToken(user)}` };

/** The operations of a document: `get /v1/open/{id}`, with a star where a token is needed. */
async function operations(service: Service, user = '', target = DOCUMENT): Promise<string[]> {
  const { status, text, json } = await service.ask(target, { headers: bearer(user) });
  if (status !== 200) throw new Error(`${status} ${text}`);
  const { paths } = json as { paths: Record<string, Record<string, { security?: object[] }>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { security }]) => `${method} ${path}${security?.length === 1 ? ' *' : ''}`,
    ),
  );
}

t.test('without authentication', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    config: { context: '/api', 'queries.proof': 'off' }, // proofs would change the ETag
    scripts: SCRIPTS,
  });
  const target = DOCUMENT; // the URL of the service has the context
  t.same(
    (await operations(service, '', target)).sort(),
    [
      'get /v1/same/{a}',
      'post /v1/same/{a}',
      'get /_QUERIES/shop/one',
      'get /v1/open/{id}',
      'get /_QUERIES/shop/open',
      'get /_QUERIES/shop/own',
      'delete /_QUERIES/shop/own',
      'get /_QUERIES/shop/same',
      'post /_QUERIES/shop/same',
      'get /_QUERIES/shop/two',
    ].sort(),
    'paths that differ in names only are one; those in conflict are not served',
  );
  const { json, headers, status } = await service.ask(target);
  t.equal(status, 200);
  await isValidDocument(t, json as Json);
  t.match(json, {
    openapi: '3.1.0',
    info: { title: 'postgres' },
    servers: [{ url: '..' }],
    tags: [{ name: 'shop' }],
  });
  t.equal((json as Json)['components']!['securitySchemes'], undefined);
  t.equal(new URL('..', `${service.url}${target}`).pathname, '/api/');
  t.match(
    JSON.stringify((json as Json)['paths']!['/v1/same/{a}']!['post']),
    /"name":"a","in":"path"/,
  );
  t.equal(headers.get('content-type'), 'application/json');
  t.equal(headers.get('cache-control'), 'private, no-cache');
  t.equal(headers.get('vary'), 'Authorization');
  const etag = headers.get('etag')!;
  t.match(etag, /^"[\w-]{43}"$/);
  const cases: [ifNoneMatch: string, status: number][] = [
    [etag, 304],
    [`"other", W/${etag}`, 304],
    ['*', 304],
    ['"other"', 200],
    [etag.slice(1, -1), 200],
  ];
  for (const [ifNoneMatch, expected] of cases) {
    const answer = await service.ask(target, { headers: { 'If-None-Match': ifNoneMatch } });
    t.equal(answer.status, expected, ifNoneMatch);
    t.equal(answer.headers.get('etag'), etag);
  }
  const head = await service.ask(target, { method: 'HEAD' });
  t.equal(head.status, 200);
  t.equal(head.headers.get('etag'), etag);
  t.equal(await service.error(target, { method: 'POST' }), '405 method_not_allowed');
  t.equal(await service.error('/_QUERIES/none/openapi.json'), '400 unknown_database');
  t.equal(await service.error('/_QUERIES/a/b/openapi.json'), '400 invalid_identifier');
  const own = await operations(service, '', '/_QUERIES/postgres/openapi.json');
  t.ok(own.includes('get /_QUERIES/postgres/shop/open'), 'with the alias in the path');
  t.ok(own.includes('get /v1/open/{id}'));
  service.script('shop/new.read.sql', 'SELECT 1 AS n');
  await service.rows('shop/new');
  await until(async () =>
    (await operations(service, '', target)).includes('get /_QUERIES/shop/new'),
  );
  t.not((await service.ask(target)).headers.get('etag'), etag);
});

t.test('tokens', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    config: { ...AUTH, 'jwt.whitelist': ['/v1/open/\\d+', '/_QUERIES/shop/own'] },
    scripts: SCRIPTS,
  });
  t.same(await operations(service), [
    'get /v1/open/{id}',
    'get /_QUERIES/shop/own',
    'delete /_QUERIES/shop/own',
  ]);
  t.same(
    (await operations(service, 'ann')).filter((one) => !one.endsWith('*')),
    ['get /v1/open/{id}', 'get /_QUERIES/shop/own', 'delete /_QUERIES/shop/own'],
  );
  t.equal((await operations(service, 'ann')).length, 10);
  const { json, headers } = await service.ask(DOCUMENT, { headers: bearer('ann') });
  await isValidDocument(t, json as Json);
  t.match((json as Json)['components'], {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  });
  t.equal(headers.get('cache-control'), 'private, no-cache', 'with a token too');
  const invalid = await service.ask(DOCUMENT, { headers: { authorization: 'Bearer none' } });
  t.equal(invalid.status, 200, 'an invalid token is as none');
  t.equal(Object.keys((invalid.json as Json)['paths']!).length, 2);
});

t.test('permissions', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    config: {
      ...AUTH,
      'jwt.whitelist': ['.*'],
      'queries.restrict': true,
      'queries.scripts': [{ location: 'shop', name: 'open', permissions: ['read'] }],
      'queries.users': [
        { name: 'ann', scripts: [{ location: 'shop', name: 'own', permissions: ['delete'] }] },
      ],
    },
    scripts: SCRIPTS,
  });
  const open = ['get /v1/open/{id} *', 'get /_QUERIES/shop/open *'];
  t.same(await operations(service), [], 'nothing without a token');
  t.same(await operations(service, 'bob'), open);
  t.same(await operations(service, 'ann'), [...open, 'delete /_QUERIES/shop/own *']);
  const { text } = await service.ask(DOCUMENT, { headers: bearer('bob') });
  t.notMatch(text, /shop_own|same|twice/, 'nothing of others, not even a schema');
});

t.test('roles', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    config: {
      ...AUTH,
      'auth.db_role': 'role',
      'auth.db_roles': ['web'],
      'jwt.whitelist': ['.*'],
    },
    scripts: SCRIPTS,
  });
  t.same(await operations(service), []);
  t.same(await operations(service, 'ann'), [], 'a caller without a role may run nothing');
});

t.test('stored scripts of two databases', async (t) => {
  await postgres.sql(
    [
      `${CREATE};`,
      insert('shop/both', 'SELECT 1 AS n'),
      insert('shop/other', '-- @path /v1/common\nSELECT 1 AS n'),
      insert('other:shop/own', '-- @path /v1/own\nSELECT 1 AS n'),
      insert('other:shop/both', null, { delete_sql: 'DELETE FROM things' }),
    ].join('\n'),
  );
  const service = await startService(t, {
    database: postgres.url,
    config: {
      'queries.storage': 'database',
      databases: [{ alias: 'other', database: 'postgres' }],
    },
  });
  t.same(await operations(service), [
    'get /_QUERIES/shop/both',
    'get /v1/common',
    'get /_QUERIES/shop/other',
  ]);
  t.same(await operations(service, '', '/_QUERIES/other/openapi.json'), [
    'delete /_QUERIES/other/shop/both',
    'get /_QUERIES/other/shop/other',
    'get /v1/own',
    'get /_QUERIES/other/shop/own',
  ]);
});

t.test('switched off', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    config: { 'docs.openapi': false },
    scripts: SCRIPTS,
  });
  t.equal(await service.error(DOCUMENT), '404 not_found');
  t.equal(await service.error('/_QUERIES/postgres/openapi.json'), '400 invalid_identifier');
});
