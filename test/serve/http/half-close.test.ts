/** A client that half-closes its connection after a request gets the response. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { makeCertificate } from '../../support/certificates.js';
import { connect, requestBytes, sendRaw } from '../../support/raw-http.js';
import { serveDatabase } from './served-database.js';

const certificate = makeCertificate('half-close');
const LARGE = 8_000_000;

/** Responses that are otherwise written at once, and are larger than what the kernel takes at once. */
const MEDIUM = [30_000, 50_000, 60_000];

/**
 * Takes an answer as over Ethernet: in segments of its size, for which the kernel keeps less than over the loopback
 * interface. Prints how long the body is. In Python, because Node cannot set the size.
 */
const ETHERNET = `
import socket, sys, time
port, target = int(sys.argv[1]), sys.argv[2]
client = socket.socket()
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1460)
client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
client.connect(('127.0.0.1', port))
client.sendall(('GET %s HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n' % target).encode())
client.shutdown(socket.SHUT_WR)
time.sleep(0.5)
answer = b''
while data := client.recv(65536): answer += data
print(len(answer.split(b'\\r\\n\\r\\n', 1)[-1]))`;

async function serve(
  t: Test,
  tls: typeof certificate | undefined,
): ReturnType<typeof serveDatabase> {
  return serveDatabase(
    t,
    {
      'slow.read.sql': `SELECT pg_sleep(0.1), {{sqlVal "n"}}::int AS n`,
      'one.read.sql': `SELECT {{sqlVal "n"}}::int AS n`,
      'one.write.sql': `SELECT {{sqlVal "n"}}::int AS n`,
      'large.read.sql': `SELECT repeat('x', ${LARGE}) AS x`,
      'medium.read.sql': `SELECT repeat('x', {{sqlVal "length"}}::int) AS x`,
    },
    { tls },
  );
}

// Not the cases of one process: those of a second share a number of pauses (src/serve/http/transport/read-pauses.ts).
t.jobs = 2;
const APART = { buffered: true };

t.test('over HTTP', APART, async (t) => {
  const { port } = await serve(t, undefined);
  const answered = async (bytes: string | readonly string[], n: number): Promise<number> => {
    const all = await Promise.all(
      Array.from({ length: n }, () => sendRaw(port, bytes, { halfClose: true, between: 50 })),
    );
    return all.filter(({ status, body }) => status === 200 && body.includes('{')).length;
  };

  t.test('200 at once', async (t) => {
    t.equal(await answered(requestBytes('GET', '/_QUERIES/t/one?n=1'), 200), 200);
  });

  t.test('whose responses take a while', async (t) => {
    t.equal(await answered(requestBytes('GET', '/_QUERIES/t/slow?n=1'), 20), 20);
  });

  t.test('with Connection: close', async (t) => {
    const bytes = requestBytes('GET', '/_QUERIES/t/slow?n=1', ['Connection: close']);
    t.equal(await answered(bytes, 20), 20);
  });

  t.test('with a body', async (t) => {
    const head = requestBytes('POST', '/_QUERIES/t/one?n=1', ['Content-Length: 3']);
    t.equal(await answered(`${head}abc`, 20), 20);
    t.equal(await answered([head, 'a', 'bc'], 20), 20);
    const chunked = requestBytes('POST', '/_QUERIES/t/one?n=1', ['Transfer-Encoding: chunked']);
    t.equal(await answered(`${chunked}3\r\nabc\r\n0\r\n\r\n`, 20), 20);
  });

  t.test('after a request that has its response', async (t) => {
    const one = requestBytes('GET', '/_QUERIES/t/one?n=1');
    const { text } = await sendRaw(port, [one, one], {
      between: 300,
      responses: 2,
      halfClose: true,
    });
    t.equal(text.match(/\[\{"n":1\}\]/g)?.length, 2);
  });

  t.test('with a second request sent before the response to the first', async (t) => {
    const [first, second] = [1, 2].map((n) => requestBytes('GET', `/_QUERIES/t/slow?n=${n}`));
    const { text } = await sendRaw(port, [first!, second!], { between: 50, responses: 2, halfClose: true }); // prettier-ignore
    t.match(text, /"n":1[^]*"n":2/);
  });

  t.test('responses that the kernel does not take at once', async (t) => {
    const check = async (length: number): Promise<void> => {
      const target = `/_QUERIES/t/medium?length=${length}`;
      const python = spawn('python3', ['-c', ETHERNET, String(port), target], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      python.stdout.on('data', (data: Buffer) => (output += data.toString()));
      await once(python, 'close');
      t.equal(Number(output), length + '[{"x":""}]'.length);
    };
    await Promise.all(MEDIUM.map(check));
  });

  t.test('a large response', async (t) => {
    const socket = connect(port);
    socket.end(requestBytes('GET', '/_QUERIES/t/large'));
    let received = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received % 3 === 0) await sleep(1);
    }
    t.ok(received > LARGE, `${received} bytes`);
  });
});

t.test('over HTTPS, where the end of the connection comes after the request', APART, async (t) => {
  const { port } = await serve(t, certificate);
  const bytes = requestBytes('GET', '/_QUERIES/t/slow?n=1');
  const answers = Array.from({ length: 5 }, () =>
    sendRaw(port, [bytes, ''], { halfClose: true, between: 200, ca: certificate.cert }),
  );
  for (const { status } of await Promise.all(answers)) t.equal(status, 200);
});
