/** `/_docs`: its files, their headers, where they are and who gets them. */
import t from 'tap';
import { startHttpProcess } from '../../../support/http-process.js';
import { authSettings, userToken } from '../../../support/tokens.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** All files of the page together (bytes). */
const LARGEST = 150_000;

const FILES = [
  ['/_docs', 'text/html; charset=utf-8'],
  ['/_docs/page.js', 'text/javascript; charset=utf-8'],
  ['/_docs/page.css', 'text/css; charset=utf-8'],
] as const;

const served = await startHttpProcess(t, { page: { atRoot: true } });

function ask(target: string, init: RequestInit = {}, port = served.port): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${target}`, { redirect: 'manual', ...init });
}

t.test('files', async (t) => {
  let size = 0;
  for (const [path, type] of FILES) {
    const response = await ask(path);
    const text = await response.text();
    size += Buffer.byteLength(text);
    const { headers } = response;
    t.equal(response.status, 200, path);
    t.match(Object.fromEntries(headers), {
      'content-type': type,
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
    });
    t.notMatch(text, /\beval\(|new Function|innerHTML|insertAdjacent|document\.write/, path);
    t.strictSame(
      (text.match(/https?:\/\/[^"'`)\s$]+/g) ?? []).filter((url) => !url.includes('www.w3.org')),
      [],
      `${path} names no other host`,
    );

    const tag = headers.get('etag')!;
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await ask(path, { headers: { 'If-None-Match': known } });
      t.strictSame([again.status, await again.text(), again.headers.get('etag')], [304, '', tag]);
    }
    const other = await ask(path, { headers: { 'If-None-Match': '"other"' } });
    t.equal(other.status, 200);
    await other.arrayBuffer();

    const head = await ask(path, { method: 'HEAD' });
    t.equal(head.headers.get('content-length'), String(Buffer.byteLength(text)));
    t.equal(head.headers.get('etag'), tag);
    t.strictSame([head.status, await head.text()], [200, '']);

    const post = await ask(path, { method: 'POST', body: 'x' });
    t.strictSame([post.status, post.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  }
  t.ok(size < LARGEST, `${size} bytes`);
});

t.test('the page has nothing inline, and URLs that are relative', async (t) => {
  const html = await (await ask('/_docs')).text();
  t.notMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  const links = html.match(/(?<=(?:src|href)=")[^"]*/g)!.filter((one) => !one.startsWith('data:'));
  t.strictSame(links, ['_docs/page.css', '_docs/page.js']);
});

t.test('paths', async (t) => {
  t.equal(await (await ask('/')).text(), await (await ask('/_docs')).text());
  const slash = await ask('/_docs/');
  t.strictSame([slash.status, slash.headers.get('location')], [301, '/_docs']);
  for (const path of ['/_docs/x', '/_docs/index.html', '/_docs/page.js.map', '/_DOCS'])
    t.equal((await ask(path)).status, 404, path);
});

t.test('under a context', async (t) => {
  const { port } = await startHttpProcess(t, { context: '/api', page: { atRoot: true } });
  for (const path of ['/api/_docs', '/api/', '/api/_docs/page.js'])
    t.equal((await ask(path, {}, port)).status, 200, path);
  for (const path of ['/_docs', '/']) t.equal((await ask(path, {}, port)).status, 404, path);
});

t.test('not at the root beyond this machine, nowhere when it is off', async (t) => {
  const far = await startHttpProcess(t, { page: { atRoot: false } });
  t.equal((await ask('/_docs', {}, far.port)).status, 200);
  t.equal((await ask('/', {}, far.port)).status, 404);
  const off = await startHttpProcess(t);
  for (const [path] of FILES) t.equal((await ask(path, {}, off.port)).status, 404, path);
});

t.test('with authentication it needs no token, for one is entered there', async (t) => {
  const { port } = await startHttpProcess(t, { auth: authSettings(), page: { atRoot: false } });
  const without = await ask('/_docs', {}, port);
  t.equal(without.status, 200);
  const headers = { Authorization: `Bearer ${userToken('ann')}` };
  const withToken = await ask('/_docs', { headers }, port);
  t.strictSame([withToken.status, withToken.headers.get('cache-control')], [200, 'no-store']);
  const off = await startHttpProcess(t, { auth: authSettings() });
  t.equal((await ask('/_docs', {}, off.port)).status, 401);
});
