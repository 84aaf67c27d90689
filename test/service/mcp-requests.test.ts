/**
 * What HTTP has to do with the MCP endpoint: who may reach it, by which methods, from which pages, with which bodies. The
 * messages themselves are tested in test/mcp.
 */
import t from 'tap';
import { post } from '../support/mcp.js';
import { startPostgres } from '../support/postgres.js';
import { requestBytes, sendRaw } from '../support/raw-http.js';
import { startService, type AskOptions } from '../support/service.js';
import { SECRET, userToken } from '../support/tokens.js';

const postgres = await startPostgres(t);
const start = (config: Parameters<typeof startService>[1]['config']) =>
  startService(t, {
    database: postgres.url,
    config: { 'http.processes': 1, 'pool.threads': 1, ...config },
  });
const open = await start({
  'mcp.origins': ['https://chat.example'],
  'cors.alloworigin': ['https://app.example'],
});

const PING = { jsonrpc: '2.0', id: 0, method: 'ping' };
const from = (origin: string): AskOptions => ({ headers: { origin } });

t.test('methods', async (t) => {
  const cases: [method: string, headers: Record<string, string>, status: number, allow?: string][] =
    [
      ['GET', {}, 200],
      ['HEAD', {}, 200],
      ['GET', { accept: 'application/json' }, 200],
      ['GET', { accept: 'text/event-stream' }, 405, 'POST, OPTIONS'],
      ['GET', { accept: 'application/json, Text/Event-Stream;q=0.9' }, 405, 'POST, OPTIONS'],
      ['OPTIONS', {}, 204, 'GET, HEAD, POST, OPTIONS'],
      ['PUT', {}, 405, 'GET, HEAD, POST, OPTIONS'],
      ['DELETE', {}, 405, 'GET, HEAD, POST, OPTIONS'],
      ['PATCH', {}, 405, 'GET, HEAD, POST, OPTIONS'],
    ];
  for (const [method, headers, status, allow] of cases) {
    const answer = await open.ask('/_mcp', { method, headers });
    t.equal(answer.status, status, `${method} ${JSON.stringify(headers)}`);
    t.equal(answer.headers.get('allow'), allow ?? null);
  }
  t.match((await open.ask('/_mcp')).json, { name: 'service', endpoint: '/_mcp' });
  t.equal((await open.ask('/_mcp/')).status, 301);
  t.equal((await open.ask('/_mcp/x')).status, 404);
});

t.test('the form of the names of tools', async (t) => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const cases: [query: string, status: number, first: RegExp][] = [
    ['', 200, /"name":"service\.list_databases"/],
    ['?', 200, /"name":"service\.list_databases"/],
    ['?names=dotted', 200, /"name":"service\.list_databases"/],
    ['?names=plain', 200, /"name":"list_databases"/],
    ['?other=1&names=plain&names=plain', 200, /"name":"list_databases"/],
    ['?n%61mes=pl%61in', 200, /"name":"list_databases"/],
    ['?names=', 400, /names must be dotted or plain/],
    ['?names=PLAIN', 400, /names must be dotted or plain/],
    ['?names=plain&names=dotted', 400, /names must be dotted or plain/],
    ['?names=__proto__', 400, /names must be dotted or plain/],
  ];
  for (const [query, status, text] of cases) {
    const target = `/_mcp${query}`;
    for (const options of [{ method: 'POST', body: JSON.stringify(list) }, {}]) {
      const answer = await open.ask(target, options);
      t.equal(answer.status, status, target);
      t.match(answer.text, text, target);
    }
  }
  const plain = await open.ask('/_mcp?names=plain', { method: 'POST', body: JSON.stringify(list) });
  t.notMatch(plain.text, /service\./, 'every text names tools as the client sees them');
  const begin = { jsonrpc: '2.0', id: 1, method: 'initialize' };
  const begun = await open.ask('/_mcp?names=plain', {
    method: 'POST',
    body: JSON.stringify(begin),
  });
  t.notMatch(begun.text, /service\./);
});

t.test('pages of other places', async (t) => {
  const cases: [origin: string, status: number][] = [
    ['http://localhost', 200],
    ['http://localhost:5173', 200],
    ['https://127.0.0.1:8443', 200],
    ['http://[::1]:3000', 200],
    ['https://chat.example', 200],
    ['https://app.example', 200],
    ['https://chat.example:444', 403],
    ['http://chat.example', 403],
    ['http://localhost.evil.example', 403],
    ['http://evil.example/http://localhost', 403],
    ['http://127.0.0.1.evil.example:3000', 403],
    [`http://127.0.0.2:${open.port}`, 200],
    ['null', 403],
  ];
  for (const [origin, status] of cases) {
    t.equal((await post(open, PING, from(origin))).status, status, origin);
    t.equal((await open.ask('/_mcp', from(origin))).status, status, `GET, ${origin}`);
  }
  const rebound = requestBytes('POST', '/_mcp', [
    'Origin: http://evil.example',
    'Content-Length: 2',
  ]).replace('Host: localhost', 'Host: evil.example');
  t.equal(
    (await sendRaw(open.port, `${rebound}{}`)).status,
    403,
    'the name it was asked by is no excuse',
  );
});

t.test('a page of any origin is not meant by cors.alloworigin = *', async (t) => {
  const service = await start({ 'cors.alloworigin': ['*'] });
  t.equal((await post(service, PING, from('https://evil.example'))).status, 403);
});

t.test('bodies', async (t) => {
  const text = JSON.stringify(PING);
  const cases: [what: string, body: string, status: number, answer: RegExp][] = [
    ['none', '', 400, /"code":-32700/],
    [
      'UTF-8',
      '{"jsonrpc":"2.0","id":"\u00e9\u{1f600}","method":"ping"}',
      200,
      /"id":"\u00e9\u{1f600}"/u,
    ],
    ['a byte order mark', `\ufeff${text}`, 400, /"code":-32700/],
    ['1 MiB', text + ' '.repeat((1 << 20) - text.length), 200, /"result":\{\}/],
    ['more', text + ' '.repeat((1 << 20) - text.length + 1), 413, /body_too_large/],
    ['deep', '['.repeat(500_000), 400, /"code":-32700/],
    ['deep, and whole', '['.repeat(400_000) + ']'.repeat(400_000), 400, /"code":-32600/],
  ];
  for (const [what, body, status, wanted] of cases) {
    const answer = await post(open, body);
    t.equal(answer.status, status, what);
    t.match(answer.text, wanted, what);
  }
  const bytes = requestBytes('POST', '/_mcp', ['Content-Length: 6'], '"\xff\xfe\xc3(\x22');
  t.match(await sendRaw(open.port, bytes), { status: 400, body: /"code":-32700/ });
  const chunks = ['{"jsonrpc":"2.0",', '"id":7,"method":"ping"}'];
  const chunked = chunks.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
  const head = requestBytes('POST', '/_mcp', ['Transfer-Encoding: chunked']);
  t.match(await sendRaw(open.port, [head, `${chunked}0\r\n\r\n`]), { status: 200, body: /"id":7/ });
});

t.test('http.max_body bounds messages too', async (t) => {
  const service = await start({ 'http.max_body': 200 });
  const text = JSON.stringify(PING);
  t.equal((await post(service, text.padEnd(200))).status, 200);
  const answer = await post(service, text.padEnd(201));
  t.match(answer, { status: 413, json: { code: 'body_too_large' } });
});

t.test('a token is needed where authentication is on, and nowhere to look for one', async (t) => {
  const service = await start({
    'auth.enabled': true,
    'auth.login': false,
    'auth.migrate_on_startup': false,
    'http.host': '127.0.0.1',
    'jwt.key': SECRET,
  });
  for (const method of ['GET', 'POST', 'DELETE']) {
    const answer = await service.ask('/_mcp', { method });
    t.match(answer, { status: 401, json: { code: 'token_missing' } }, method);
    t.equal(answer.headers.get('www-authenticate'), 'Bearer');
  }
  for (const name of [
    'oauth-protected-resource',
    'oauth-protected-resource/_mcp',
    'openid-configuration',
  ])
    t.equal((await service.ask(`/.well-known/${name}`)).status, 404, name);
  const headers = { authorization: `Bearer ${userToken('ann')}` };
  const answer = await post(service, PING, { headers });
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  t.equal((await post(service, PING, { headers: { authorization: 'Bearer x' } })).status, 401);
  t.equal((await service.ask('/_mcp', { headers })).status, 200);
});

t.test('below a prefix, and switched off', async (t) => {
  const below = await start({ context: '/api' }); // whose URL ends with it
  t.match((await below.ask('/_mcp')).json, { endpoint: '/api/_mcp' });
  t.equal((await post(below, PING)).status, 200);
  const outside = await sendRaw(below.port, requestBytes('GET', '/_mcp'));
  t.equal(outside.status, 404);
  const off = await start({ 'mcp.enabled': false });
  for (const method of ['GET', 'POST'])
    t.equal(await off.error('/_mcp', { method }), '404 not_found');
});
