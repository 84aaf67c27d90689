/**
 * Nothing that is thrown while a request is handled or rejected ends an HTTP process: each call that the modules of the
 * process make for a request throws, once and then each time. The request gets 500 and a line in the log, or the response
 * that it gets without it.
 */
import t from 'tap';
import { requestBytes } from '../../support/raw-http.js';
import { httpProcessSettings } from '../../support/http-process.js';
import { authSettings, userToken } from '../../support/tokens.js';
import { startFaulty } from './faults.js';

const uncaught: string[] = [];
process.on('uncaughtException', (error) => uncaught.push(String(error.stack)));
process.on('unhandledRejection', () => undefined); // logged by http-process.ts

const TOKEN = `Authorization: Bearer ${userToken('ann')}`;
const full = httpProcessSettings({
  queue: 20,
  context: '/api',
  auth: authSettings({
    whitelist: ['^/_QUERIES/open/.*$', '^/auth$'],
    tokens: { wellKnown: 'http://127.0.0.1:1/.well-known/openid-configuration' },
    login: { type: 'body', encrypt: 'bcrypt' },
    scripts: undefined,
  }),
  registry: { admins: ['ann'] },
  page: { atRoot: false },
  cors: { origins: ['https://a.example'], headers: ['x'], methods: ['GET'], credentials: true },
  metricsToken: 'a-token-of-24-characters',
  trace: { ratio: 1, callers: 1, slow: 1, applicationName: false },
  accessLog: true,
  worker: { mcp: {} as never, openapi: {} as never },
});

const get = (target: string, headers: readonly string[] = []) =>
  requestBytes('GET', `/api${target}`, headers);
const post = (target: string, body: string, headers: readonly string[] = []) =>
  requestBytes('POST', `/api${target}`, [`Content-Length: ${body.length}`, ...headers], body);

const REQUESTS: Readonly<Record<string, string | readonly string[]>> = {
  'a script': get('/_QUERIES/a/b?x=1', [TOKEN]),
  'an open script': get('/_QUERIES/open/b', ['Origin: https://a.example']),
  'without a token': get('/_QUERIES/a/b'),
  'an invalid token': get('/_QUERIES/a/b', ['Authorization: Bearer x.y.z']),
  'an invalid token on an open path': get('/_QUERIES/open/b', ['Authorization: Bearer x.y.z']),
  'the challenge': get('/_mcp'),
  'an odd host': 'GET /api/_mcp HTTP/1.1\r\nHost: x:99999\r\n\r\n',
  'a message': post('/_mcp', '{"jsonrpc":"2.0","id":1,"method":"initialize"}', [TOKEN]),
  'a cancelled call': post('/_mcp', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', [TOKEN]), // prettier-ignore
  'the metadata': 'GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: a.example\r\n\r\n',
  'a body': post('/_QUERIES/a/b', '{"a":1}', [TOKEN]),
  'a body in two parts': [post('/_QUERIES/a/b', '{"a":1}', [TOKEN]).slice(0, -2), '1}'],
  'a chunked body': requestBytes('POST', '/api/_QUERIES/a/b', [TOKEN, 'Transfer-Encoding: chunked'], '2\r\nab\r\n0\r\n\r\n'), // prettier-ignore
  'a body that is too large': requestBytes('POST', '/api/_QUERIES/a/b', [TOKEN, 'Content-Length: 9999999'], 'a'), // prettier-ignore
  'a body without a token': [post('/_QUERIES/a/b', 'ab').slice(0, -1), 'b'],
  'ambiguous framing': requestBytes('GET', '/api/', ['Content-Length: x']),
  'a long target': get(`/${'x'.repeat(66_000)}`),
  'a preflight': requestBytes('OPTIONS', '/api/a', ['Origin: https://a.example', 'Access-Control-Request-Method: GET']), // prettier-ignore
  'another method': requestBytes('OPTIONS', '/api/_health'),
  'a declared path': get('/rooms/1', [TOKEN]),
  'a declared path with a body': post('/rooms/1', 'ab', [TOKEN]),
  'a redirect': get('//_QUERIES/a'),
  'a rejected path': get('/_QUERIES/a/..', [TOKEN]),
  health: get('/_health'),
  ready: get('/_ready'),
  'a login': post('/auth', '{"username":"a","password":"b"}'),
  metrics: get('/metrics', ['Authorization: Bearer a-token-of-24-characters']),
  'metrics without a token': get('/metrics'),
  'the registry': get('/_QUERIES/registry', [TOKEN]),
  'a script of the registry': post('/_QUERIES/registry/main/a/b', '{}', [TOKEN]),
  'a document': get('/_QUERIES/openapi.json', [TOKEN]),
  'the page': get('/_docs'),
  'its access': get('/_docs/access', [TOKEN]),
  'a shown script': get('/_docs/sql/_QUERIES/a/b', [TOKEN]),
  'a listing': get('/tables', [TOKEN]),
  'a plugin': requestBytes('FOO', '/api/_PLUGIN/a/b', [TOKEN]),
  'the head of a script': requestBytes('HEAD', '/api/_QUERIES/a/b', [TOKEN]),
  'a lost worker': get('/_QUERIES/a/b?die', [TOKEN]),
};

t.setTimeout(0);
/** Of these every call is tried, of the others those that none before has reached. */
const ALL = new Set(['a script', 'the challenge', 'a body', 'a body that is too large']);

const { send } = await startFaulty(t, full);

/** Where the response is being written: bytes of it may be out already. */
const WRITING = /^(?:response-writer|large-response|lingering)\.js|write at/;

const tried = new Set<string>();

for (const [what, bytes] of Object.entries(REQUESTS))
  t.test(what, { timeout: 0 }, async (t) => {
    const usual = await send(bytes);
    const expected = usual.answer.status;
    t.ok(usual.sites.size > 50, 'its calls are seen');
    for (const always of [false, true])
      for (const site of usual.sites) {
        const key = `${site} ${always}`;
        if (!ALL.has(what) && tried.has(key)) continue;
        tried.add(key);
        const { answer, sites, errors } = await send(bytes, site, always);
        if (!sites.has(site)) continue; // it is not reached each time
        const { status, closed } = answer;
        const shown = `${site}${always ? ', always' : ''}: ${status} ${errors.join()}`;
        t.same(uncaught.splice(0), [], shown);
        // Without a response where it was begun, where nothing can be written, or where the second error fails too.
        if (status === 0) t.ok(closed && (always || expected === 500 || WRITING.test(site)), shown);
        else if (status !== expected) t.equal(status, 500, shown);
        if (status === 500) t.not(errors.length, 0, shown);
      }
    t.equal((await send(REQUESTS['health']!)).answer.status, 200, 'the next one');
  });

t.test('there were many', (t) => {
  t.ok(tried.size > 800, String(tried.size));
  t.end();
});
