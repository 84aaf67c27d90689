/** Data behind a request whose end is uncertain is never executed: there is one response, and the connection ends. */
import t, { type Test } from 'tap';
import { makeCertificate } from '../../support/certificates.js';
import { requestBytes, sendRaw } from '../../support/raw-http.js';
import { serveDatabase } from './served-database.js';

const CHUNKED = 'Transfer-Encoding: chunked';
/** Answered at once: no script can declare it. */
const TARGET = '/_nope';

/** Head and body of requests with status 400. */
const AMBIGUOUS: Readonly<Record<string, readonly [headers: readonly string[], body: string]>> = {
  'two Content-Length that differ': [['Content-Length: 3', 'Content-Length: 4'], 'abcd'],
  'two Content-Length that agree': [['Content-Length: 3', 'Content-Length: 3'], 'abc'],
  'Transfer-Encoding gzip, chunked': [['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
  'Transfer-Encoding gzip, chunked, and a body without chunks': [['Transfer-Encoding: gzip, chunked'], 'abc'], // prettier-ignore
  'Transfer-Encoding xchunked': [['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
  'Transfer-Encoding identity': [['Transfer-Encoding: identity'], ''],
  'Transfer-Encoding twice': [[CHUNKED, CHUNKED], '0\r\n\r\n'],
  'Transfer-Encoding without a value, and Content-Length': [['Transfer-Encoding:', 'Content-Length: 3'], 'abc'], // prettier-ignore
  'Content-Length and Transfer-Encoding': [['Content-Length: 3', CHUNKED], '0\r\n\r\n'],
  'Content-Length with a sign': [['Content-Length: +3'], 'abc'],
  'Content-Length as a list': [['Content-Length: 3,3'], 'abc'],
  'Content-Length without a value': [['Content-Length:'], ''],
  'two Hosts': [['Host: other'], ''],
};

/** Chunks that uWebSockets.js and others can take to end at different places; the request itself is 404. */
const CHUNKS: Readonly<Record<string, string>> = {
  'as they should be': '3\r\nabc\r\n0\r\n\r\n',
  'with an extension': '3 ;a=1\r\nabc\r\n0\r\n\r\n',
  'with bare line feeds': '3\nabc\n0\n\n',
  'with a line feed in an extension': '3 ;\nabc\r\n0\r\n\r\n',
  'without line ends': '3\r\nabcXX0\r\n\r\n',
  'with a size that is no number': 'g\r\nabcdefghijklmnop\r\n0\r\n\r\n',
};

/** Runs all cases on an HTTP process. */
async function run(t: Test, ca?: string): Promise<void> {
  const tls = ca === undefined ? undefined : certificate;
  const { postgres, port } = await serveDatabase(
    t,
    { 'note.write.sql': 'INSERT INTO note VALUES (1)' },
    { tls },
  );
  await postgres.sql('CREATE TABLE note (id integer)');
  const behind = requestBytes('POST', '/_QUERIES/t/note');

  const check = (name: string, head: string, body: string, status: number): void => {
    const ways: Readonly<Record<string, readonly string[]>> = {
      'in one write': [head + body + behind],
      'the other one in a second write': [head + body, behind],
      'in three writes': [head, body, behind],
    };
    for (const [way, bytes] of Object.entries(ways))
      t.test(`${name}, ${way}`, async (t) => {
        const answer = await sendRaw(port, bytes, { between: 20, untilClosed: true, ca });
        t.equal(answer.status, status);
        t.equal(answer.text.match(/HTTP\/1\.1 /g)?.length, 1, 'one answer');
        t.equal(answer.closed, true, 'the connection ends');
        t.match(answer.headers.get('connection'), 'close');
        t.same(await postgres.sql('SELECT FROM note'), [], 'nothing behind it was executed');
      });
  };
  for (const [name, [headers, body]] of Object.entries(AMBIGUOUS))
    check(name, requestBytes('POST', TARGET, headers), body, 400);
  for (const [name, body] of Object.entries(CHUNKS))
    check(`chunks ${name}`, requestBytes('POST', TARGET, [CHUNKED]), body, 404);

  t.test('requests with sound framing are executed', async (t) => {
    const two = requestBytes('POST', TARGET, ['Content-Length: 3'], 'abc') + behind;
    const { text } = await sendRaw(port, two, { responses: 2, ca });
    t.match(text, /^HTTP\/1\.1 404 [^]*HTTP\/1\.1 200 /);
    t.equal((await postgres.sql('SELECT FROM note')).length, 1);
  });
}

const certificate = makeCertificate('framing');

t.test('over HTTP', (t) => run(t));
t.test('over HTTPS', (t) => run(t, certificate.cert));
