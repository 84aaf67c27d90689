/** Responses of plugins as they are sent: statuses, headers beside the service's own, bodies or none, XML. */
import { once } from 'node:events';
import http from 'node:http';
import t, { type Test } from 'tap';
import { ISOLATIONS } from '../../support/plugin-folder.js';
import type { RawAnswer } from '../../support/raw-http.js';
import { authSettings, userToken } from '../../support/tokens.js';
import { errorOf, probeFolder, servePlugins, type ServedPlugins } from './served-plugins.js'; // prettier-ignore

const folder = probeFolder(t);
const CORS = { origins: ['https://a.example'], headers: ['X-A'], methods: ['POST'], credentials: false }; // prettier-ignore
const TOKEN = `Authorization: Bearer ${userToken('ann')}`;

/** Requests a response with some headers. */
function headers(lines: readonly (readonly [name: string, value: string])[], more = ''): string {
  const pairs = lines.map(([name, value]) => `name=${encodeURIComponent(name)}&value=${encodeURIComponent(value)}`); // prettier-ignore
  return `GET probe/Headers?${pairs.join('&')}${more}`;
}

/** How often a header occurs in a response. */
const count = ({ text }: RawAnswer, name: string): number =>
  text.match(new RegExp(`\\r\\n${name}:`, 'gi'))?.length ?? 0;

for (const isolation of ISOLATIONS)
  t.test(isolation, async (t) => {
    const served = await servePlugins(t, folder, { plugins: { isolation } });
    await statuses(t, served);
    await bodiless(t, served);
    await ownHeaders(t, served);
    await xml(t, served);
  });

async function statuses(t: Test, { send }: ServedPlugins): Promise<void> {
  for (const status of [200, 201, 202, 299, 400, 404, 418, 500, 503, 599]) {
    const answer = await send(`GET probe/Status?status=${status}`);
    t.equal(answer.status, status);
    t.equal(answer.body, '{"a":1}');
    t.equal(answer.headers.get('content-type'), 'application/json');
    t.equal(answer.headers.get('content-length'), '7');
    t.equal(count(answer, 'X-Request-Id'), 1);
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    t.equal(answer.headers.get('retry-after'), status === 503 ? '1' : undefined);
  }
  for (const status of [-1, 0, 99, 600, 1000, 65736])
    t.match(errorOf(await send(`GET probe/Status?status=${status}`)), /^502 plugin_response_invalid/, String(status)); // prettier-ignore
  const interim = await send('GET probe/Status?status=100');
  t.match(interim.text, /^HTTP\/1\.1 200 OK\r\n[^]*{"a":1}$/, 'no interim status ends an exchange');
}

async function bodiless(t: Test, { port, send }: ServedPlugins): Promise<void> {
  for (const status of [204, 304]) {
    const answer = await send(`GET probe/Status?status=${status}`);
    t.equal(answer.status, status);
    t.equal(answer.body, '');
    t.notOk(answer.headers.has('content-length'));
    t.notOk(answer.headers.has('content-type'));
    const tagged = await send(headers([['ETag', '"1"']], `&status=${status}`));
    t.equal(tagged.headers.get('etag'), '"1"');
    t.equal(tagged.body, '');
    t.notOk(tagged.headers.has('content-length'));
  }
  const reset = await send('GET probe/Status?status=205');
  t.strictSame([reset.body, reset.headers.get('content-length')], ['', '0']);
  const head = await send('HEAD probe/Hello');
  t.strictSame([head.body, head.headers.get('content-length')], ['', '14']);
  t.notOk((await send('HEAD probe/Nothing')).headers.has('content-length'), 'nothing is known');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (const request of ['GET 204', 'GET 304', 'GET 205', 'HEAD 200', 'GET 200']) {
    const [method, status] = request.split(' ');
    const path = `/_PLUGIN/probe/Status?status=${status}`;
    const [answer] = (await once(http.request({ port, path, method, agent }).end(), 'response')) as [http.IncomingMessage]; // prettier-ignore
    t.equal(answer.statusCode, Number(status), `${request}: the connection goes on`);
    await once(answer.resume(), 'end');
  }
  agent.destroy();
}

async function ownHeaders(t: Test, { send }: ServedPlugins): Promise<void> {
  const several = await send(
    headers([['Content-Type', 'text/plain'], ['Set-Cookie', 'a=1'], ['Set-Cookie', 'b=2'], ['Cache-Control', 'max-age=60'], ['Vary', 'X-A'], ['Access-Control-Allow-Origin', '*']]), // prettier-ignore
  );
  t.equal(count(several, 'Content-Type'), 1);
  t.equal(several.headers.get('content-type'), 'text/plain');
  t.equal(several.headers.get('set-cookie'), 'a=1, b=2');
  t.equal(several.headers.get('cache-control'), 'max-age=60');
  t.equal(several.headers.get('access-control-allow-origin'), '*');

  const alone = await send(headers([['X-A', 'b']]));
  t.equal(alone.headers.get('content-type'), 'application/json');
  t.equal(alone.headers.get('x-a'), 'b');

  const ours = await send(headers([['Date', 'x'], ['X-A', '1']])); // prettier-ignore
  t.not(ours.headers.get('date'), 'x');
  t.equal(ours.headers.get('x-a'), '1');

  const retry = await send(headers([['Retry-After', '9']], '&status=503'));
  t.equal(retry.headers.get('retry-after'), '9');
  const challenge = await send(headers([['WWW-Authenticate', 'Basic']], '&status=401'));
  t.equal(challenge.headers.get('www-authenticate'), 'Basic');
  const without = await send(headers([['X-A', '1']], '&status=401'));
  t.equal(without.headers.get('www-authenticate'), 'Bearer');

  for (const value of ['é', 'ключ', '👍', 'a é'])
    t.equal((await send(headers([['X-A', value]]))).headers.get('x-a'), value, 'UTF-8');

  const refused: [name: string, value: string][] = [
    ['X-A', 'a\r\nX-B: b'],
    ['X-A', 'a\nb'],
    ['X-A\r\nX-B', 'a'],
    ['X A', 'a'],
    ['', 'a'],
    ['X-A:', 'a'],
    ['Content-Length', '1'],
    ['transfer-encoding', 'chunked'],
    ['Connection', 'close'],
    ['x-request-id', 'mine'],
    ['X-Content-Type-Options', 'x'],
  ];
  for (const line of refused)
    t.match(errorOf(await send(headers([line]))), /^502 plugin_response_invalid/, line.join(': '));
}

async function xml(t: Test, { send }: ServedPlugins): Promise<void> {
  const hello = await send('GET probe/Hello?_renderer=xml');
  t.equal(hello.headers.get('content-type'), 'application/xml');
  t.equal(hello.body, '<objects><doc><msg>hello</msg><n>1</n><n>2</n></doc></objects>');
  t.equal((await send('GET probe/Status?status=503&_renderer=xml')).headers.get('retry-after'), '1'); // prettier-ignore
  const failed = await send('GET probe/Status?status=418&_renderer=xml');
  t.strictSame([failed.status, failed.body], [418, '<objects><a>1</a></objects>']);
  const more = await send(headers([['X-A', 'b']], '&_renderer=xml'));
  t.equal(more.headers.get('x-a'), 'b');
  t.equal(more.headers.get('content-type'), 'application/xml');
  t.equal((await send('GET probe/Text?text=%5B%22%C3%A9%22%5D&_renderer=xml')).body, '<objects><doc><object>é</object></doc></objects>'); // prettier-ignore
  const typed = await send(headers([['Content-Type', 'text/plain']], '&_renderer=xml'));
  t.strictSame([typed.headers.get('content-type'), typed.body], ['text/plain', '{"a":1}']);
  for (const text of ['hello', '{"a":', ''])
    t.equal((await send(`GET probe/Text?text=${encodeURIComponent(text)}&_renderer=xml`)).body, text); // prettier-ignore
  t.equal((await send('GET probe/Status?status=204&_renderer=xml')).status, 204);
  const much = await send('GET probe/MuchXml?_renderer=xml');
  t.strictSame([much.status, much.body], [502, '<objects><error>the answer is too large for XML</error><code>plugin_response_too_large</code></objects>']); // prettier-ignore
  t.ok((await send('GET probe/MuchXml')).body.length > 200_000, 'as JSON it is sent');
  const concurrencyLimit = await Promise.all(Array.from({ length: 40 }, () => send('GET probe/MuchXml?_renderer=xml'))); // prettier-ignore
  t.ok(concurrencyLimit.every(({ status }) => status === 502 || status === 503), 'some wait, the rest is refused'); // prettier-ignore
  t.equal((await send('GET probe/Hello?_renderer=xml')).status, 200, 'and it goes on');
}

t.test('beside a configuration for other origins', async (t) => {
  const { send } = await servePlugins(t, folder, { cors: CORS });
  const request = headers([['Access-Control-Allow-Origin', '*'], ['Access-Control-Allow-Credentials', 'true'], ['Access-Control-Expose-Headers', 'X-B'], ['Vary', 'X-A']]); // prettier-ignore
  const allowed = await send(request, ['Origin: https://a.example']);
  t.equal(allowed.headers.get('access-control-allow-origin'), 'https://a.example');
  t.notOk(allowed.headers.has('access-control-allow-credentials'));
  t.match(allowed.headers.get('access-control-expose-headers'), /^X-Request-Id, .*, X-B$/);
  t.equal(allowed.headers.get('vary'), 'Origin, X-A');
  const other = await send(request, ['Origin: https://b.example']);
  t.notOk(other.headers.has('access-control-allow-origin'));
});

t.test('a name that C would read as another one reaches no plugin', async (t) => {
  const { send } = await servePlugins(t, folder, { auth: authSettings({}) });
  for (const name of ['ann\0x', '\0', 'ann\ud800'])
    t.match(errorOf(await send('GET probe/Hello', [`Authorization: Bearer ${userToken(name)}`])), /^403 permission_denied/); // prettier-ignore
  t.equal((await send('GET probe/Hello', [`Authorization: Bearer ${userToken('ann é😀')}`])).status, 200); // prettier-ignore
});

t.test('a response to a token is not stored, whatever its plugin says', async (t) => {
  const { send } = await servePlugins(t, folder, { auth: authSettings({ whitelist: ['.*'] }) });
  const request = headers([['Cache-Control', 'public']]);
  t.equal((await send(request, [TOKEN])).headers.get('cache-control'), 'no-store');
  t.equal((await send(request)).headers.get('cache-control'), 'public');
  t.equal((await send('GET probe/Hello', [TOKEN])).headers.get('cache-control'), 'no-store');
});
