/** Bodies sent to the registry: their limit, the callers whose bodies are kept, and the budget. */
import net from 'node:net';
import t from 'tap';
import { requestBytes, sendRaw, type RawAnswer } from '../../support/raw-http.js';
import { allRead } from '../../support/tcp-state.js';
import { until } from '../../support/until.js';
import { ADMIN, OTHER, serveRegistry } from './served-registry.js';

const MIB = 1 << 20;
const MAX_BODY = MIB + 2_000;
const { port, postgres, process: httpProcess } = await serveRegistry(t, { maxBody: MAX_BODY });

const CHUNKED = 'Transfer-Encoding: chunked';
const length = (bytes: number): string => `Content-Length: ${bytes}`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A record of exactly so many bytes; one without a script is read to its end and not stored. */
function recordOf(bytes: number, script?: string): string {
  const record = { location: 'sizes', name: 'rec', read_sql: script, description: '' };
  const more = bytes - JSON.stringify(record).length;
  return JSON.stringify({ ...record, description: 'x'.repeat(more) });
}

const head = (method: string, path: string, headers: readonly string[]): string =>
  requestBytes(method, `/_QUERIES/registry${path}`, headers);

const codeOf = ({ status, body }: RawAnswer): string => {
  const { code } = (body === '' ? {} : JSON.parse(body)) as { code?: string };
  return code === undefined ? String(status) : `${status} ${code}`;
};

const post = (header: string, body: string): string =>
  head('POST', '', [header, length(body.length)]) + body;
const chunked = (header: string, body: string): string[] => [
  head('POST', '', [header, CHUNKED]),
  ...(body.match(/.{1,60000}/gs) ?? []).map(chunk),
  '0\r\n\r\n',
];

const READ = '400 invalid_record';
const LARGEST = recordOf(MIB);
const LARGER = recordOf(MIB + 1);
const TOO_LARGE = '413 body_too_large';
const DENIED = '403 registration_denied';
/** A token of an unknown caller. */
const BAD = `${ADMIN}x`;

const CASES: [what: string, bytes: string | readonly string[], wanted: string, closed: boolean][] =
  [
    ['1 MiB', post(ADMIN, recordOf(MIB, 'SELECT 1')), '201', false],
    ['1 MiB, chunked', chunked(ADMIN, LARGEST), READ, true],
    ['a byte more', post(ADMIN, LARGER), TOO_LARGE, true],
    ['a byte more, chunked', chunked(ADMIN, LARGER), TOO_LARGE, true],
    ['a byte more, chunked, PUT', [head('PUT', '/a/b', [ADMIN, CHUNKED]), ...chunked(ADMIN, LARGER).slice(1)], TOO_LARGE, true], // prettier-ignore
    ['announced and not sent', head('PUT', '/a/b', [ADMIN, length(MIB + 1)]), TOO_LARGE, true],
    ['chunks without end', [head('POST', '', [ADMIN, CHUNKED]), ...Array<string>(300).fill(chunk('x'.repeat(8_000)))], TOO_LARGE, true], // prettier-ignore
    ['of others, as large as may be discarded', post(OTHER, 'x'.repeat(MAX_BODY)), DENIED, false],
    ['of others, larger', post(OTHER, 'x'.repeat(MAX_BODY + 1)), TOO_LARGE, true],
    ['of others, chunked', chunked(OTHER, 'x'.repeat(MAX_BODY)), DENIED, true],
    ['of nobody', post('X-A: b', 'x'.repeat(MAX_BODY)), '401 token_missing', false],
    ['of nobody, larger', post('X-A: b', 'x'.repeat(MAX_BODY + 1)), TOO_LARGE, true],
    ['a bad token', post(BAD, 'x'.repeat(MAX_BODY)), '401 invalid_claims', false],
    ['a bad token, larger', post(BAD, 'x'.repeat(MAX_BODY + 1)), TOO_LARGE, true],
    ['of a method that takes none', head('DELETE', '/a/b', [ADMIN, length(3)]) + 'abc', '404 query_not_found', false], // prettier-ignore
    ['of a method that takes none, larger', head('GET', '', [ADMIN, length(MAX_BODY + 1)]) + 'x'.repeat(MAX_BODY + 1), TOO_LARGE, true], // prettier-ignore
    ['of a method that is none', head('PATCH', '/a/b', [ADMIN, length(3)]) + 'abc', '405 method_not_allowed', false], // prettier-ignore
    ['another route', requestBytes('POST', '/_QUERIES/a/b', [ADMIN, length(MAX_BODY + 1)]) + 'x'.repeat(MAX_BODY + 1), TOO_LARGE, true], // prettier-ignore
    ['byte by byte', [head('POST', '', [ADMIN, length(60)]), ...(recordOf(75).slice(0, 60).match(/./g) ?? [])], '400 invalid_record', false], // prettier-ignore
  ];

const answers = await Promise.all(
  CASES.map(([, bytes, , closed]) => sendRaw(port, bytes, { untilClosed: closed })),
);

for (const [i, [what, , wanted, closed]] of CASES.entries())
  t.test(what, (t) => {
    t.equal(codeOf(answers[i]!), wanted);
    t.equal(answers[i]!.closed, closed);
    t.end();
  });

/** Sends a body that does not end, and returns the connection. */
function hold(bytes: string): net.Socket {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}

t.test('others make it keep nothing', async (t) => {
  const sockets = Array.from({ length: 60 }, () =>
    hold(head('POST', '', [OTHER, length(MAX_BODY)]) + 'x'.repeat(MAX_BODY - 1)),
  );
  await allRead(port, sockets);
  t.equal(codeOf(await sendRaw(port, post(ADMIN, LARGEST))), READ);
  for (const socket of sockets) socket.destroy();
});

t.test('the budget is bounded, and free again after a disconnect', async (t) => {
  const almost = head('POST', '', [ADMIN, length(MIB)]) + LARGEST.slice(0, MIB - 1);
  const sockets = Array.from({ length: 40 }, () => hold(almost));
  let told = '';
  for (const socket of sockets) socket.on('data', (data) => (told += data.toString()));
  await allRead(port, sockets);
  await until(() => told.includes('"busy"'));
  t.match(told, /^HTTP\/1\.1 503 Service Unavailable\r\n[^]*Retry-After: 1\r\n[^]*"code":"busy"/);
  t.equal(codeOf(await sendRaw(port, post(ADMIN, LARGEST))), '503 busy');
  t.equal(codeOf(await sendRaw(port, head('GET', '/a/b', [ADMIN]))), '404 query_not_found');
  for (const socket of sockets) socket.destroy();
  await until(async () => codeOf(await sendRaw(port, post(ADMIN, LARGEST))) === READ);
});

t.test('http.max_body, where that is less', async (t) => {
  const { send } = await serveRegistry(t, { maxBody: 500 }, postgres);
  const names = ['PUT /sizes/rec', 'POST '];
  for (const target of names) {
    t.equal(codeOf(await send(target, recordOf(501, 'SELECT 1'))), TOO_LARGE, target);
    t.match(codeOf(await send(target, recordOf(500, 'SELECT 1'))), /^20[01]$/, target);
  }
});

t.test('it was one process all along', (t) => {
  t.doesNotThrow(() => process.kill(httpProcess.pid ?? 0, 0));
  t.end();
});
