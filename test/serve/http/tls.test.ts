/** HTTPS serves the same as plain HTTP; no TLS, old TLS and unfinished handshakes are rejected. */
import { Agent, request, type RequestOptions } from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import t from 'tap';
import { GATES } from '../../support/gate.js';
import { startHttpProcess } from '../../support/http-process.js';
import { makeCertificate } from '../../support/certificates.js';
import { requestBytes } from '../../support/raw-http.js';
import { serveDatabase } from './served-database.js';
import { CONNECTION_SCRIPTS, connectionsTest } from './tls-connections.js';

const certificate = makeCertificate('first');
/** tls.long.test.ts has a thousand. */
const CONNECTIONS = 100;
const { port, postgres } = await serveDatabase(
  t,
  {
    'big.read.sql': `SELECT repeat('x', {{sqlVal "n"}}::int) AS x`,
    ...CONNECTION_SCRIPTS,
    'echo.write.sql': `SELECT {{sqlVal "word"}} AS word`,
  },
  { tls: certificate, maxBody: 1 << 20, queue: CONNECTIONS },
);
await postgres.sql(GATES);

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly reused: boolean;
}

function ask(
  path: string,
  options: RequestOptions & { readonly body?: string } = {},
): Promise<Answer> {
  const { body: sent, ...rest } = options;
  const all = { port, host: '127.0.0.1', ca: certificate.cert, agent: false as const, ...rest };
  return new Promise((resolve, reject) => {
    const asked = request({ ...all, path }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body, reused: asked.reusedSocket }),
      );
      answer.on('error', reject);
    });
    asked.on('error', reject).end(sent);
  });
}

/** The bytes received on a connection without a handshake until the service closes it. */
function stalled(bytes: Buffer | string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
}

/** The protocol and cipher agreed on, or the code of the error. */
function handshake(options: tls.ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const all = { port, host: '127.0.0.1', ca: certificate.cert, ...options };
    const socket = tls.connect(all, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().standardName}`);
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
  });
}

// The beginning of a ClientHello of 200 bytes. It times out after seconds; meanwhile the rest is tested.
const halfHello = stalled(Buffer.from('16030100c8010000c40303', 'hex'));
const silent = stalled('');

t.test('a certificate and a key that do not belong together', async (t) => {
  const { key } = makeCertificate('other');
  const mixed = { cert: certificate.cert, key };
  await t.rejects(startHttpProcess(t, { tls: mixed }), /cannot use the certificate/);
});

t.test('plain HTTP gets no response', async (t) => {
  const got = await stalled(requestBytes('GET', '/_health'));
  t.notMatch(got.toString('latin1'), 'HTTP');
});

t.test('old versions and weak ciphers are rejected', async (t) => {
  const REFUSED = 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION';
  for (const version of ['TLSv1', 'TLSv1.1'] as const)
    t.equal(
      await handshake({
        minVersion: version,
        maxVersion: version,
        ciphers: 'DEFAULT:@SECLEVEL=0',
      }),
      REFUSED,
    );
  const ciphers = tls.getCiphers().filter((name) => !name.startsWith('tls_'));
  const agreed = await Promise.all(
    ciphers.map((cipher) =>
      handshake({ maxVersion: 'TLSv1.2', ciphers: `${cipher.toUpperCase()}:@SECLEVEL=0` }),
    ),
  );
  t.strictSame(agreed.filter((result) => result.startsWith('TLS')).sort(), [
    'TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    'TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    'TLSv1.2 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  ]);
  t.match(await handshake({}), /^TLSv1\.3 /);
});

t.test('a certificate with an RSA key', async (t) => {
  const rsa = makeCertificate('rsa', 'rsa');
  const other = await startHttpProcess(t, { tls: rsa });
  const options = { port: other.port, ca: rsa.cert };
  t.match(await handshake({ ...options, maxVersion: 'TLSv1.2' }), /ECDHE_RSA_WITH_AES/);
  t.equal((await ask('/nope', options)).status, 404);
});

t.test('requests', async (t) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const path = '/_QUERIES/t/echo?word=hi';
  t.match(await ask(path, { agent }), { status: 200, body: '[{"word":"hi"}]', reused: false });
  t.match(await ask(path, { agent }), { status: 200, body: '[{"word":"hi"}]', reused: true });
  const body = 'b'.repeat(300_000);
  t.match(await ask(path, { agent, method: 'POST', body }), { status: 200, reused: true });
  const head = await ask(path, { agent, method: 'HEAD' });
  t.match(head, { status: 200, body: '', reused: true });
  const tooLarge = 'b'.repeat((1 << 20) + 1);
  t.equal((await ask(path, { method: 'POST', body: tooLarge })).status, 413);
});

t.test('large results arrive whole', async (t) => {
  for (const n of [16_384, 65_536, 1_000_000, 20_000_000]) {
    const { status, body } = await ask(`/_QUERIES/t/big?n=${n}`);
    t.equal(status, 200);
    t.equal(body.length, n + '[{"x":""}]'.length);
    t.match(body.slice(-5), 'xx"}]');
  }
});

t.test('a client that reads slowly gets all of it', async (t) => {
  const socket = tls.connect({ port, host: '127.0.0.1', ca: certificate.cert });
  socket.write(requestBytes('GET', '/_QUERIES/t/big?n=3000000'));
  let received = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > 3_000_000) break;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  t.ok(received > 3_000_000);
});

connectionsTest(t, { port, postgres, ca: certificate.cert }, CONNECTIONS);

t.test('a handshake that does not go on is ended', async (t) => {
  for (const got of await Promise.all([halfHello, silent])) t.equal(got.length, 0);
});
