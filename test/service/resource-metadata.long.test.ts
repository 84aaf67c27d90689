/** The metadata that names the authorization server of the MCP endpoint, and the challenge that leads to it. */
import t from 'tap';
import { post } from '../support/mcp.js';
import { startPostgres } from '../support/postgres.js';
import { sendRaw } from '../support/raw-http.js';
import { startService, type Configuration } from '../support/service.js';
import { SECRET } from '../support/tokens.js';

const postgres = await startPostgres(t);
const ISSUER = 'http://127.0.0.1:1/realm';
const start = (config: Configuration) =>
  startService(t, {
    database: postgres.url,
    config: {
      'http.processes': 1,
      'pool.threads': 1,
      'auth.enabled': true,
      'jwt.algo': 'RS256',
      'jwt.wellknownurl': `${ISSUER}/.well-known/openid-configuration`,
      ...config,
    },
  });
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const PATH = '/.well-known/oauth-protected-resource';

t.test('the endpoint as the Host header names it', async (t) => {
  const service = await start({ context: '/api' });
  const { origin } = new URL(service.url);
  const ask = async (path: string, options?: RequestInit) => {
    const response = await fetch(origin + path, options);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      json: isJson ? (JSON.parse(text) as unknown) : text,
    };
  };
  const resource = `${origin}/api/_mcp`;
  const metadata = {
    resource,
    authorization_servers: [ISSUER],
    bearer_methods_supported: ['header'],
  };
  for (const path of [PATH, `${PATH}/api/_mcp`, `/api${PATH}`, `/api${PATH}/_mcp`]) {
    const { status, json, headers } = await ask(path);
    t.equal(status, 200, path);
    t.same(json, metadata);
    t.match(headers.get('content-type'), /^application\/json/);
    t.equal(headers.get('cache-control'), 'no-store');
    t.equal((await ask(path, { method: 'POST' })).status, 405);
  }
  t.equal((await ask(`${PATH}/_mcp`)).status, 404, 'of another endpoint');
  const url = `${origin}/api${PATH}/_mcp`;
  const asked = (headers: Record<string, string>) =>
    ask('/api/_mcp', { method: 'POST', body: JSON.stringify(PING), headers });
  const missing = await asked({});
  t.equal(missing.status, 401);
  t.equal(missing.headers.get('www-authenticate'), `Bearer resource_metadata="${url}"`);
  t.match(missing.headers.get('content-type'), /^application\/json/);
  t.match(missing.json, { code: 'token_missing' });
  const invalid = await asked({ authorization: 'Bearer x' });
  t.equal(
    invalid.headers.get('www-authenticate'),
    `Bearer error="invalid_token", resource_metadata="${url}"`,
  );
  t.same((await ask(`/api${PATH}`, { headers: { 'x-forwarded-proto': 'https' } })).json, {
    ...metadata,
    resource: resource.replace('http:', 'https:'),
  });
  t.equal((await ask('/api/tables')).headers.get('www-authenticate'), 'Bearer', 'others');
});

t.test('a Host header that no URL may have', async (t) => {
  const service = await start({});
  const request = (path: string, host: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  for (const host of ['a"b', 'a b', 'a/b', 'user@host', 'x'.repeat(300), 'a:b']) {
    const what = host.slice(0, 20);
    t.equal((await sendRaw(service.port, request(PATH, host))).status, 400, what);
    const { status, headers } = await sendRaw(service.port, request('/_mcp', host));
    t.equal(status, 401, what);
    t.equal(headers.get('www-authenticate'), 'Bearer');
  }
});

t.test('an audience that is a URL is the endpoint', async (t) => {
  const resource = 'https://db.example/api/_mcp';
  const service = await start({ 'jwt.aud': resource, 'jwt.iss': 'https://login.example' });
  t.match((await service.ask(PATH)).json, {
    resource,
    authorization_servers: ['https://login.example'],
  });
  const { headers } = await post(service, PING);
  t.equal(
    headers.get('www-authenticate'),
    'Bearer resource_metadata="https://db.example/api/.well-known/oauth-protected-resource/_mcp"',
  );
});

t.test('without an authorization server there is no metadata', async (t) => {
  const service = await start({ 'jwt.wellknownurl': `${ISSUER}/keys` });
  const other = await startService(t, {
    database: postgres.url,
    config: { 'auth.enabled': true, 'jwt.key': SECRET, 'jwt.iss': 'https://login.example' },
  });
  for (const one of [service, other]) {
    t.equal((await one.ask(PATH)).status, 404);
    t.equal((await post(one, PING)).headers.get('www-authenticate'), 'Bearer');
  }
});
