/** Messages whose framing two programs could read differently are rejected, and their connection is closed. */
import t from 'tap';
import { startHttpProcess } from '../../support/http-process.js';
import { requestBytes, sendRaw } from '../../support/raw-http.js';

const { port } = await startHttpProcess(t);

const TARGET = '/_QUERIES/a/b';

/** Rejected by the service. */
const OURS: Readonly<Record<string, string>> = {
  'two Content-Length that differ': requestBytes('POST', TARGET, ['Content-Length: 3', 'Content-Length: 4'], 'abcd'), // prettier-ignore
  'two Content-Length that agree': requestBytes('POST', TARGET, ['Content-Length: 3', 'Content-Length: 3'], 'abc'), // prettier-ignore
  'Transfer-Encoding gzip, chunked': requestBytes('POST', TARGET, ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'), // prettier-ignore
  'Transfer-Encoding gzip': requestBytes('POST', TARGET, ['Transfer-Encoding: gzip'], '0\r\n\r\n'),
  'Transfer-Encoding xchunked': requestBytes('POST', TARGET, ['Transfer-Encoding: xchunked'], '0\r\n\r\n'), // prettier-ignore
  'Transfer-Encoding without a value': requestBytes('POST', TARGET, ['Transfer-Encoding:']),
  'Content-Length without a value': requestBytes('POST', TARGET, ['Content-Length:']),
  'Transfer-Encoding twice': requestBytes('POST', TARGET, ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), // prettier-ignore
};

for (const [name, bytes] of Object.entries(OURS))
  t.test(name, async (t) => {
    const answer = await sendRaw(port, bytes, { untilClosed: true });
    t.equal(answer.status, 400);
    t.equal(answer.closed, true, 'the connection ends');
    t.same(JSON.parse(answer.body), { error: 'invalid request', code: 'invalid_request' });
    t.equal(Number(answer.headers.get('content-length')), answer.body.length);
    t.ok(answer.headers.has('x-request-id'));
  });

/** Rejected by some versions of uWebSockets.js, and otherwise by the service. */
const EITHER: Readonly<Record<string, string>> = {
  'two Host': requestBytes('GET', TARGET, ['Host: other']),
  'Content-Length that is no number': requestBytes('POST', TARGET, ['Content-Length: abc']),
  'Content-Length below zero': requestBytes('POST', TARGET, ['Content-Length: -1']),
  'Content-Length with a sign': requestBytes('POST', TARGET, ['Content-Length: +1'], 'a'),
  'Content-Length and Transfer-Encoding': requestBytes('POST', TARGET, ['Content-Length: 3', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), // prettier-ignore
};

for (const [name, bytes] of Object.entries(EITHER))
  t.test(name, async (t) => {
    const answer = await sendRaw(port, bytes, { untilClosed: true });
    t.equal(answer.status, 400);
    t.equal(answer.closed, true, 'the connection ends');
  });

t.test('one after another on a connection', async (t) => {
  const { text } = await sendRaw(
    port,
    requestBytes('POST', '/_nope', ['Content-Length: 3'], 'abc') +
      requestBytes('GET', '/_nope') +
      requestBytes('POST', '/_nope', ['Transfer-Encoding: Chunked'], '3\r\nabc\r\n0\r\n\r\n'),
    { responses: 3 },
  );
  t.equal(text.match(/HTTP\/1\.1 404/g)?.length, 3);
});

/** Must not reach a handler; the response depends on the version of uWebSockets.js. */
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

t.test('the HTTP process still serves', async (t) => {
  t.equal((await sendRaw(port, requestBytes('GET', '/nope'))).status, 404);
});
