/** Messages that two programs on the way could read differently are refused, and the connection ends with them. */
import t from 'tap';
import { startFrontEnd } from '../support/front-end.js';
import { requestBytes, sendRaw } from '../support/raw-http.js';

const { port } = await startFrontEnd(t);

const TARGET = '/_QUERIES/a/b';

/** What the service answers itself. */
const OURS: Readonly<Record<string, string>> = {
  'two Content-Length that differ': requestBytes('POST', TARGET, ['Content-Length: 3', 'Content-Length: 4'], 'abcd'), // prettier-ignore
  'two Content-Length that agree': requestBytes('POST', TARGET, ['Content-Length: 3', 'Content-Length: 3'], 'abc'), // prettier-ignore
  'Transfer-Encoding gzip, chunked': requestBytes('POST', TARGET, ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'), // prettier-ignore
  'Transfer-Encoding gzip': requestBytes('POST', TARGET, ['Transfer-Encoding: gzip'], '0\r\n\r\n'),
  'Transfer-Encoding twice': requestBytes('POST', TARGET, ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), // prettier-ignore
};

for (const [name, bytes] of Object.entries(OURS))
  t.test(name, async (t) => {
    const answer = await sendRaw(port, bytes);
    t.equal(answer.status, 400);
    t.equal(answer.closed, true, 'the connection ends');
    t.same(JSON.parse(answer.body), { error: 'invalid request', code: 'invalid_request' });
    t.ok(answer.headers.has('x-request-id'));
  });

/** What one version of uWebSockets.js refuses by itself and another leaves to us. */
const EITHER: Readonly<Record<string, string>> = {
  'two Host': requestBytes('GET', TARGET, ['Host: other']),
  'Content-Length that is no number': requestBytes('POST', TARGET, ['Content-Length: abc']),
  'Content-Length below zero': requestBytes('POST', TARGET, ['Content-Length: -1']),
  'Content-Length with a sign': requestBytes('POST', TARGET, ['Content-Length: +1'], 'a'),
  'Content-Length and Transfer-Encoding': requestBytes('POST', TARGET, ['Content-Length: 3', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), // prettier-ignore
};

for (const [name, bytes] of Object.entries(EITHER))
  t.test(name, async (t) => {
    const answer = await sendRaw(port, bytes);
    t.equal(answer.status, 400);
    t.equal(answer.closed, true, 'the connection ends');
  });

t.test('one after another on a connection', async (t) => {
  const { text } = await sendRaw(
    port,
    requestBytes('POST', '/nope', ['Content-Length: 3'], 'abc') +
      requestBytes('POST', '/nope', ['Transfer-Encoding: Chunked'], '3\r\nabc\r\n0\r\n\r\n') +
      requestBytes('GET', '/nope'),
  );
  t.equal(text.match(/HTTP\/1\.1 404/g)?.length, 3);
});

/** Nothing of this may reach a handler; what exactly comes back is uWebSockets.js's and depends on its version. */
const NOT_HTTP: Readonly<Record<string, string>> = {
  'HTTP/1.0': 'GET /_health HTTP/1.0\r\nHost: x\r\n\r\n',
  'no Host': `GET /_health HTTP/1.1\r\nX-A: ${'a'.repeat(100)}\r\n\r\n`,
  'absolute form': requestBytes('GET', 'http://x/_health'),
  'asterisk form': requestBytes('OPTIONS', '*'),
  'NUL in the target': requestBytes('GET', '/_he\0alth'),
  'space in the target': requestBytes('GET', '/_he alth'),
  'line feed in a header': requestBytes('GET', '/_health', ['X-A: b\nAuthorization: y']),
  'carriage return in a header': requestBytes('GET', '/_health', ['X-A: b\rAuthorization: y']),
  'NUL in a header': requestBytes('GET', '/_health', ['X-A: b\0']),
  'folded header': requestBytes('GET', '/_health', ['X-A: b', ' c']),
  'space before the colon': requestBytes('GET', '/_health', ['X-A : b']),
  'no HTTP at all': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
};

for (const [name, bytes] of Object.entries(NOT_HTTP))
  t.test(name, async (t) => {
    const answer = await sendRaw(port, bytes, { wait: 500 });
    t.notOk(answer.headers.has('x-request-id'), 'no handler saw it');
    t.not(answer.status, 200);
  });

t.test('the front end is none the worse for it', async (t) => {
  t.equal((await sendRaw(port, requestBytes('GET', '/nope'))).status, 404);
});
