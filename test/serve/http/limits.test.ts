/** Sizes: request targets, headers and bodies over their limits, and those just within. */
import t from 'tap';
import { startHttpProcess } from '../../support/http-process.js';
import { requestBytes, sendRaw, SPLITS_FAIL, type RawAnswer } from '../../support/raw-http.js';

const { port, process: httpProcess } = await startHttpProcess(t, { maxBody: 1_000 });

const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

interface Case {
  readonly name: string;
  readonly bytes: string | readonly string[];
  readonly status: number;
  readonly code: string;
  readonly closed: boolean;
}

const CHUNKED = 'Transfer-Encoding: chunked';

const CASES: readonly Case[] = [
  {
    name: 'a target of 64 KiB',
    bytes: requestBytes('GET', `/nope?${'x'.repeat(65_536 - 6)}`),
    status: 404,
    code: 'not_found',
    closed: false,
  },
  {
    name: 'a target over 64 KiB',
    bytes: requestBytes('GET', `/nope?${'x'.repeat(65_536)}`),
    status: 414,
    code: 'uri_too_long',
    closed: false,
  },
  {
    name: 'a path over 64 KiB, and a body',
    bytes: requestBytes('POST', `/${'x'.repeat(65_536)}`, ['Content-Length: 3'], 'abc'),
    status: 414,
    code: 'uri_too_long',
    closed: false,
  },
  {
    name: 'a body at the limit',
    bytes: requestBytes('POST', '/nope', ['Content-Length: 1000'], 'x'.repeat(1000)),
    status: 404,
    code: 'not_found',
    closed: false,
  },
  {
    name: 'a chunked body at the limit',
    bytes: requestBytes('POST', '/nope', [CHUNKED], chunked('x'.repeat(1000))),
    status: 404,
    code: 'not_found',
    closed: true,
  },
  {
    name: 'a body announced over the limit',
    bytes: requestBytes('POST', '/nope', ['Content-Length: 1001'], 'x'.repeat(1001)),
    status: 413,
    code: 'body_too_large',
    closed: true,
  },
  {
    name: 'a body announced far over the limit, of which nothing comes',
    bytes: requestBytes('PUT', '/_QUERIES/a/b', ['Content-Length: 999999999999']),
    status: 413,
    code: 'body_too_large',
    closed: true,
  },
  {
    name: 'a chunked body over the limit',
    bytes: requestBytes('POST', '/nope', [CHUNKED], chunked('x'.repeat(1001))),
    status: 413,
    code: 'body_too_large',
    closed: true,
  },
  {
    name: 'a chunked body that never ends',
    bytes: [requestBytes('POST', '/nope', [CHUNKED]), ...Array<string>(300).fill('4\r\nxxxx\r\n')],
    status: 413,
    code: 'body_too_large',
    closed: true,
  },
  {
    name: 'a GET with a body',
    bytes: requestBytes('GET', '/nope', ['Content-Length: 1001'], 'x'.repeat(1001)),
    status: 413,
    code: 'body_too_large',
    closed: true,
  },
  {
    name: '90 headers',
    bytes: requestBytes(
      'GET',
      '/nope',
      Array.from({ length: 90 }, (_, i) => `X-${i}: ${i}`),
    ),
    status: 404,
    code: 'not_found',
    closed: false,
  },
];

/**
 * As sendRaw, again where uWebSockets.js's binary for Node 20 did not read the request line in one piece, which is
 * chance when it is longer than a packet (docs/operations.md).
 */
async function send({ bytes, closed }: Case): Promise<RawAnswer> {
  for (let i = 0; ; i++) {
    const answer = await sendRaw(port, bytes, { untilClosed: closed });
    if (answer.status !== 505 || !SPLITS_FAIL || i === 20) return answer;
  }
}

// Some are closed after seconds: beside the floods.
const answers = CASES.map(send);

/** Floods that uWebSockets.js turns away by itself: nothing of them may reach a handler, or hurt. */
const FLOODS: Readonly<Record<string, string>> = {
  'a target of 1 MiB': requestBytes('GET', `/nope?${'x'.repeat(1 << 20)}`),
  'a header of 1 MiB': requestBytes('GET', '/nope', [`X-A: ${'x'.repeat(1 << 20)}`]),
  '1,000 headers': requestBytes('GET', '/nope', Array<string>(1_000).fill('X-A: b')),
  '100,000 headers': requestBytes('GET', '/nope', Array<string>(100_000).fill('X-A: b')),
};

for (const [name, bytes] of Object.entries(FLOODS))
  t.test(name, async (t) => {
    const answer = await sendRaw(port, bytes, { wait: 1_000 });
    t.not(answer.status, 404, 'not handled');
    t.not(answer.status, 200);
    t.equal((await sendRaw(port, requestBytes('GET', '/nope'))).status, 404, 'others are served');
  });

for (const [i, { name, status, code, closed }] of CASES.entries())
  t.test(name, async (t) => {
    const answer = await answers[i]!;
    t.equal(answer.status, status);
    t.equal((JSON.parse(answer.body) as { code: string }).code, code);
    t.equal(answer.closed, closed);
  });

t.test('it was one process all along', (t) => {
  t.doesNotThrow(() => process.kill(httpProcess.pid ?? 0, 0));
  t.end();
});
