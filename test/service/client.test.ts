/** The clients that a running service gives: for whom, under which path, and with which headers. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { SECRET, userToken } from '../support/tokens.js';

const CLIENT = '/_QUERIES/client.ts';
const postgres = await startPostgres(t, {});
const scripts = {
  'shop/open.read.sql': '-- @path /v1/open\nSELECT 1 AS n',
  'shop/own.read.sql': 'SELECT 1 AS n',
};
const ONE = { 'http.processes': 1, 'pool.threads': 1 };

t.test('the text', async (t) => {
  const service = await startService(t, { database: postgres.url, config: ONE, scripts });
  const { status, text, headers } = await service.ask(CLIENT);
  t.equal(status, 200);
  t.match(text, /read: call\('GET', '\/v1\/open'\)/);
  t.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  t.equal(headers.get('cache-control'), 'private, no-cache');
  t.equal(headers.get('vary'), 'Authorization');
  t.equal(headers.get('x-content-type-options'), 'nosniff');
  const etag = headers.get('etag')!;
  const again = await service.ask(CLIENT, { headers: { 'If-None-Match': etag } });
  t.same([again.status, again.text], [304, '']);
  const document = await service.ask('/_QUERIES/openapi.json', {
    headers: { 'If-None-Match': etag },
  });
  t.equal(document.status, 200, 'the tag of a client is not that of its document');
  t.equal((await service.ask(CLIENT, { method: 'HEAD' })).status, 200);
  t.equal(await service.error(CLIENT, { method: 'POST' }), '405 method_not_allowed');
  t.equal(await service.error('/_QUERIES/none/client.ts'), '400 unknown_database');
  const named = await service.ask('/_QUERIES/postgres/client.ts');
  t.match(named.text, /call\('GET', '\/_QUERIES\/postgres\/shop\/own'\)/);
  t.match(named.text, / {2}readonly shop: \{/, 'the alias is in the path only');
});

t.test('per caller', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    config: { ...ONE, 'auth.enabled': true, 'jwt.key': SECRET, 'http.host': '127.0.0.1', 'jwt.whitelist': ['/v1/open'] }, // prettier-ignore
    scripts,
  });
  const paths = async (headers: Readonly<Record<string, string>>): Promise<string[]> => {
    const { text } = await service.ask(CLIENT, { headers });
    return [...text.matchAll(/call\('GET', '([^']*)'/g)].map(([, path]) => path!);
  };
  t.same(await paths({}), ['/v1/open']);
  t.same(await paths({ authorization: `Bearer ${userToken('ada')}` }), ['/v1/open', '/_QUERIES/shop/own']); // prettier-ignore
});

t.test('off', async (t) => {
  const config = { ...ONE, 'docs.openapi': false };
  const service = await startService(t, { database: postgres.url, config, scripts });
  t.equal(await service.error(CLIENT), '404 not_found');
});
