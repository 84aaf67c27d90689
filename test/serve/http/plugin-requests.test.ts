/** What a plugin receives: the caller, headers without credentials, and bodies within their limit; and from whom. */
import { createHash } from 'node:crypto';
import net from 'node:net';
import t from 'tap';
import type { RawAnswer } from '../../support/raw-http.js';
import { requestBytes } from '../../support/raw-http.js';
import { allRead } from '../../support/tcp-state.js';
import { authSettings, userToken } from '../../support/tokens.js';
import { until } from '../../support/until.js';
import { errorOf, probeFolder, servePlugins } from './served-plugins.js';

const folder = probeFolder(t);
const MAX_BODY = 100_000;
const CORS = { origins: ['https://a.example'], headers: ['X-A'], methods: ['POST'], credentials: false }; // prettier-ignore
const open = await servePlugins(t, folder, { maxBody: MAX_BODY, cors: CORS });
const guarded = await servePlugins(t, folder, {
  maxBody: MAX_BODY,
  auth: authSettings({ whitelist: ['/_PLUGIN/probe/(Hello|Echo)'] }),
});

const TOKEN = `Authorization: Bearer ${userToken('ann')}`;
const BAD = `${TOKEN}x`;
const length = (bytes: number): string => `Content-Length: ${bytes}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** The lines of POSTEcho's response by name; of two with one name, the last. */
function given({ body }: RawAnswer): Readonly<Record<string, string>> {
  const lines = body.slice(0, body.indexOf('\n\n')).split('\n');
  return Object.fromEntries(
    lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
}

t.test('permitted callers', async (t) => {
  const cases: [request: string, headers: string[], wanted: string][] = [
    ['GET probe/Text?text=1', [], '401 token_missing'],
    ['GET probe/Text?text=1', [BAD], '401 invalid_claims'],
    ['GET nope/Hello', [], '401 token_missing'],
    ['FOO nope/Hello', [], '401 token_missing'],
    ['GET nope/Hello', [TOKEN], '404 plugin_not_found'],
    ['GET probe/Text?text=1', [TOKEN], '200'],
    ['GET probe/Hello', [], '200'],
    ['GET probe/Hello', [BAD], '200'],
    ['GET probe/Hell%6F', [], '200'], // as it is routed
    ['GET probe/.hello', [], '400 invalid_identifier'],
  ];
  for (const [request, headers, wanted] of cases) {
    const seen = errorOf(await guarded.send(request, headers));
    t.equal(seen.slice(0, wanted.length), wanted, `${request} ${seen}`);
  }
});

t.test('the caller', async (t) => {
  const known = given(await guarded.send('GET probe/Echo', [TOKEN]));
  t.equal(known['user'], 'ann');
  t.match(JSON.parse(known['claims']!), { UserInfo: { username: 'ann' } });
  const nobody = given(await guarded.send('GET probe/Echo'));
  t.match(nobody, { user: '', claims: '' });
});

t.test('the request', async (t) => {
  const headers = [
    'X-Request-Id: r1',
    'X-Twice: 1',
    'x-twice: 2',
    'X-Empty:',
    'Authorization: Basic x',
    'Proxy-Authorization: x',
    'Cookie: x',
    'X-Api-Key: x',
    'X-Auth-Token: x',
    'X-Access-Token: x',
  ];
  const answer = await open.send('GET probe/Echo?a=1&b=%C3%A9+x', headers);
  t.strictSame(given(answer), {
    method: 'GET',
    path: '/_PLUGIN/probe/Echo',
    query: 'a=1&b=%C3%A9+x',
    request_id: 'r1',
    user: '',
    claims: '',
    file: 'probe',
    func: 'Echo',
    connection: 'close',
    'x-request-id': 'r1',
    'x-twice': '2',
    'x-empty': '',
  });
  t.match(answer.body, /x-twice=1\nx-twice=2\n/);
  t.equal(answer.headers.get('x-request-id'), 'r1');
});

t.test('a preflight is not for plugins, other OPTIONS are', async (t) => {
  const origin = 'Origin: https://a.example';
  const asked = ['Access-Control-Request-Method: POST', origin];
  t.equal((await open.send('OPTIONS probe/Hello', asked)).status, 204);
  const plain = await open.send('OPTIONS probe/Hello', [origin]);
  t.equal(plain.body, '{"msg":"options"}');
});

t.test('bodies', async (t) => {
  const large = 'x'.repeat(MAX_BODY);
  const parts = ['a\0b\n', 'c'.repeat(9_000), '\r\n'];
  const cases: [what: string, answer: Promise<RawAnswer>, wanted: string][] = [
    ['none', open.send('POST probe/Echo'), ''],
    ['an empty one', open.send('POST probe/Echo', [length(0)]), ''],
    ['with NUL', open.send('POST probe/Echo', [length(3)], 'a\0b'), 'a\0b'],
    ['with GET', open.send('GET probe/Echo', [length(3)], 'abc'), 'abc'],
    ['the largest', open.send('POST probe/Echo', [length(MAX_BODY)], large), large],
    ['chunked', open.send('POST probe/Echo', [CHUNKED], [...parts.map(chunk), '0\r\n\r\n']), parts.join('')], // prettier-ignore
    ['with a token', guarded.send('POST probe/Echo', [TOKEN, length(3)], 'abc'), 'abc'],
    ['of a caller who is not identified, on an open path', guarded.send('POST probe/Echo', [length(3)], 'abc'), 'abc'], // prettier-ignore
  ];
  for (const [what, answer, wanted] of cases) {
    const { status, body } = await answer;
    t.equal(status, 200, what);
    t.ok(body.slice(body.indexOf('\n\n') + 2) === wanted, what);
  }
});

t.test('any bytes', async (t) => {
  const bytes = Uint8Array.from({ length: MAX_BODY }, (_, i) => (i * 7 + (i >> 8)) & 255);
  const url = `http://127.0.0.1:${open.port}/_PLUGIN/probe/Echo`;
  const answer = await fetch(url, { method: 'POST', body: bytes });
  t.equal(answer.headers.get('content-type'), 'application/octet-stream');
  const got = Buffer.from(await answer.arrayBuffer());
  const digest = (data: Uint8Array): string => createHash('sha1').update(data).digest('hex');
  t.equal(digest(got.subarray(got.indexOf('\n\n') + 2)), digest(bytes));
});

t.test('bodies that are rejected', async (t) => {
  const over = 'x'.repeat(MAX_BODY + 1);
  const TOO_LARGE = '413 body_too_large';
  const cases: [what: string, answer: Promise<RawAnswer>, wanted: string][] = [
    ['a byte more', open.send('POST probe/Echo', [length(MAX_BODY + 1)], over), TOO_LARGE],
    ['announced', open.send('POST probe/Echo', [length(MAX_BODY + 1)]), TOO_LARGE],
    ['chunked', open.send('POST probe/Echo', [CHUNKED], [chunk(over), '0\r\n\r\n']), TOO_LARGE],
    ['no plugin', open.send('POST nope/Echo', [length(3)], 'abc'), '404 plugin_not_found'],
    ['no token', guarded.send('POST probe/Large', [length(3)], 'abc'), '401 token_missing'],
    ['a bad one', guarded.send('POST probe/Large', [BAD, length(3)], 'abc'), '401 invalid_claims'],
    ['a bad one, larger', guarded.send('POST probe/Large', [BAD, length(MAX_BODY + 1)], over), TOO_LARGE], // prettier-ignore
  ];
  for (const [what, answer, wanted] of cases)
    t.equal(errorOf(await answer).slice(0, wanted.length), wanted, what);
});

t.test('bodies of callers who are not identified are bounded', async (t) => {
  const large = await servePlugins(t, folder, { maxBody: 1 << 20, auth: authSettings() });
  const almost = (header: string): string =>
    requestBytes('POST', '/_PLUGIN/probe/Echo', [header, length(1 << 20)]) +
    'x'.repeat((1 << 20) - 1);
  const begin = (header: string): net.Socket[] =>
    Array.from({ length: 40 }, () => {
      const socket = net.connect(large.port, '127.0.0.1').on('error', () => undefined);
      socket.write(almost(header));
      return socket;
    });
  const sockets = begin(BAD);
  await allRead(large.port, sockets);
  const full = 'x'.repeat(1 << 20);
  const { status } = await large.send('POST probe/Echo', [TOKEN, length(1 << 20)], full);
  t.equal(status, 502, 'it is kept and reaches the plugin, which answers more than it may');
  for (const socket of sockets) socket.destroy();
  const known = begin(TOKEN);
  let text = '';
  for (const socket of known) socket.on('data', (data) => (text += data.toString()));
  await until(() => text.includes('"busy"'));
  t.match(text, /^HTTP\/1\.1 503 /, 'bodies of callers with a token are bounded');
  for (const socket of known) socket.destroy();
});
