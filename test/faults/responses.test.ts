/** The campaign's client: how each answer ended, and which answers are wrong. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { HttpConnection, type Reply } from './http-connection.js';
import { shortOf, verdictOn, type Verdict } from './outcomes.js';
import { bytesOf, kindNamed } from './requests.js';

const ONE = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc';

/** A server that gives each connection these bytes, and then what `end` does to it. */
async function serve(
  t: Pick<Test, 'teardown'>,
  bytes: string,
  end: (socket: Socket) => unknown,
): Promise<HttpConnection> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(bytes, () => end(socket)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = new HttpConnection((server.address() as AddressInfo).port);
  t.teardown(() => {
    connection.close();
    server.close();
  });
  return connection;
}

const stay = (): void => undefined;
const close = (socket: Socket): unknown => socket.end();

const ENDS: readonly (readonly [string, string, (socket: Socket) => unknown, string, boolean])[] = [
  ['a whole answer', ONE, stay, '200', true],
  ['with Connection: close', ONE.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'), stay, '200', false],
  ['closed before it', '', close, 'reset', false],
  ['closed within its head', ONE.slice(0, 20), close, 'cut', false],
  ['closed within its body', ONE.slice(0, -1), close, 'cut', false],
  ['that does not come', '', stay, 'hung', false],
  ['that stops within its body', ONE.slice(0, -1), stay, 'hung', false],
  ['with a byte behind it', `${ONE}d`, stay, 'garbled', false],
  ['without a length', 'HTTP/1.1 200 OK\r\n\r\nabc', stay, 'garbled', false],
  ['that is no HTTP', 'nonsense\r\n\r\n', stay, 'garbled', false],
]; // prettier-ignore

for (const [name, bytes, end, reply, open] of ENDS)
  t.test(`an answer ${name}: ${reply}`, async (t) => {
    const connection = await serve(t, bytes, end);
    t.equal(shortOf(await connection.ask('GET / HTTP/1.1\r\n\r\n', { limit: 300 })), reply);
    t.equal(connection.open, open);
  });

t.test('no connection', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  t.equal(await new HttpConnection(port).ask('GET / HTTP/1.1\r\n\r\n', { limit: 300 }), 'refused');
});

t.test('answers to several requests, the last of them cut', async (t) => {
  const connection = await serve(t, ONE + ONE + ONE.slice(0, -1), close);
  const replies = [1, 2, 3, 4].map(() => connection.ask('GET / HTTP/1.1\r\n\r\n', { limit: 300 }));
  t.same((await Promise.all(replies)).map(shortOf), ['200', '200', 'cut', 'reset']);
});

function json(status: number, value: unknown, id = 'r7'): Reply {
  const headers = new Map([['x-request-id', id]]);
  return { status, headers, body: Buffer.from(JSON.stringify(value)) };
}

const RIGHT = [{ id: 8, label: 'label 8', n: 7 }];
const RAISED = { error: 'raised 7', code: 'P0001' };

const VERDICTS: readonly (readonly [string, string, Reply, Verdict])[] = [
  ['its own row', 'one', json(200, RIGHT), 'good'],
  ['the row of another request', 'one', json(200, [{ ...RIGHT[0], n: 8 }]), 'wrong'],
  ['no row', 'one', json(200, []), 'wrong'],
  ['the number of another request', 'one', json(200, RIGHT, 'r8'), 'wrong'],
  ['an error', 'one', json(503, { error: '…', code: '08006' }), 'error'],
  ['an error without a code', 'one', json(503, {}), 'wrong'],
  ['a message raised elsewhere', 'one', json(400, RAISED), 'wrong'],
  ['its own message', 'raise', json(400, RAISED), 'good'],
  ['the message of another', 'raise', json(400, { ...RAISED, error: 'raised 8' }), 'wrong'],
  ['a reset', 'one', 'reset', 'error'],
  ['no connection', 'one', 'refused', 'error'],
  ['an answer that is cut', 'one', 'cut', 'wrong'],
  ['bytes that are no answer', 'one', 'garbled', 'wrong'],
  ['nothing', 'one', 'hung', 'hung'],
];

for (const [name, kind, reply, verdict] of VERDICTS)
  t.test(`${kind}, answered with ${name}: ${verdict}`, (t) => {
    t.equal(verdictOn(kindNamed(kind), 7, reply, false), verdict);
    t.end();
  });

t.test('an answer that is cut because its process was killed is an error', (t) => {
  t.equal(verdictOn(kindNamed('one'), 7, 'cut', true), 'error');
  t.end();
});

t.test('a request carries its number twice', (t) => {
  t.match(
    bytesOf(kindNamed('insert'), 7),
    /^POST \/_QUERIES\/mix\/insert\?n=7&.*\r\nX-Request-Id: r7\r\n/s,
  );
  t.end();
});
