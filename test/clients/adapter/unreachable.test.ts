/** While the endpoint is unreachable, requests get errors and the adapter keeps running; afterwards they succeed. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { makeFolder } from '../../commands/program.js';
import { makeCertificate } from '../../support/certificates.js';
import { Adapter, converse, reply, request, startEndpoint } from './adapter.js';

t.test('an endpoint that goes and comes back', async (t) => {
  let endpoint = await startEndpoint(t, reply);
  const { url, port } = endpoint;
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url });
  for (let round = 0; round < 3; round++) {
    const [up, down] = [`up ${round}`, `down ${round}`];
    await adapter.send(request(up)).answered(2 * round + 1);
    await endpoint.close();
    await adapter.send(request(down)).answered(2 * round + 2);
    const [answer, failure] = adapter.messages.slice(-2);
    t.strictSame(answer, { jsonrpc: '2.0', id: up, result: { n: up } });
    t.equal(failure?.id, down);
    t.equal(failure?.error?.code, -32603);
    t.match(failure?.error?.message, /refuses connections: is the service running/);
    endpoint = await startEndpoint(t, reply, port);
  }
  t.equal(await adapter.end(), 0);
  t.equal(adapter.stderr.split('\n').length, 4, 'each outage is said once');
});

t.test('an endpoint that closes kept connections', async (t) => {
  let hits = 0;
  const { url } = await startEndpoint(t, (received, response) => {
    // The second message is sent on a connection that is closed without a response.
    if (++hits === 2) response.socket!.destroy();
    else reply(received, response);
  });
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url });
  await adapter.send(request(1)).answered(1);
  await adapter.send(request(2)).answered(2);
  t.strictSame(
    adapter.messages.map(({ result }) => result),
    [{ n: 1 }, { n: 2 }],
    'it is sent again, over a new connection',
  );
  t.equal(hits, 3);
  t.equal(await adapter.end(), 0);
});

t.test('connections that fail', async (t) => {
  const cases: [answer: string, message: RegExp][] = [
    ['', /closed the connection before its answer was complete/],
    ['HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"jsonrpc"', /closed the connection before/],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"j\r\n', /closed the connection/],
    ['SSH-2.0-OpenSSH_9.2\r\n', /does not speak as its address says/],
  ];
  for (const [answer, message] of cases) {
    let taken = 0;
    const server = createServer((socket) => {
      taken++;
      socket.on('error', () => undefined).once('data', () => socket.end(answer));
    }).listen(0, '127.0.0.1');
    t.teardown(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { messages, code } = await converse(t, `http://127.0.0.1:${port}`, [request(1)]);
    t.strictSame([code, messages.length, messages[0]?.id], [0, 1, 1], answer);
    t.match(messages[0]?.error?.message, message);
    t.equal(taken, 1, 'a new connection is not tried again');
  }
  const { messages } = await converse(t, 'http://nowhere.invalid', [request(1)]);
  t.match(messages[0]?.error?.message, /no name server knows|cannot be looked up/);
});

t.test('https: a certificate that is not trusted, one that is, and http to it', async (t) => {
  const { cert, key } = makeCertificate('adapter');
  const file = join(makeFolder(t), 'cert.pem');
  writeFileSync(file, cert);
  const server = createTlsServer({ cert, key }, (received, response) => {
    received.resume().on('end', () => response.end('{"jsonrpc":"2.0","id":1,"result":{}}'));
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (scheme: string, env: Record<string, string> = {}) =>
    (await converse(t, `${scheme}://localhost:${port}`, [request(1)], env)).messages[0];
  t.match(
    (await ask('https'))?.error?.message,
    /certificate that is not trusted.*NODE_EXTRA_CA_CERTS/,
  );
  t.strictSame((await ask('https', { NODE_EXTRA_CA_CERTS: file }))?.result, {});
  t.match((await ask('http'))?.error?.message, /closed the connection|does not speak/);
});
