/** Responses sent before the body of their request has arrived: clients see them, however they send. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startHttpProcess } from '../../support/http-process.js';
import { connect, requestBytes, sendRaw } from '../../support/raw-http.js';

const BODY = 100_000_000;
const PART = Buffer.alloc(1 << 20, 'x');

const { port } = await startHttpProcess(t, { maxBody: 1_000_000 });

/** Sends a whole body, with a pause of more than a second amid it, in parts made by `wrap`, before it reads anything; resolves to the bytes received. */
async function sendThenRead(
  head: string,
  wrap: (part: Buffer) => Buffer,
  end: string,
): Promise<string> {
  const socket = connect(port).pause();
  let failure = '';
  socket.on('error', (error: NodeJS.ErrnoException) => (failure = error.code ?? 'error'));
  socket.write(head);
  for (let sent = 0; sent < BODY && failure === ''; sent += PART.length) {
    const part = wrap(PART.subarray(0, Math.min(PART.length, BODY - sent)));
    if (sent === 4 * PART.length) await sleep(1_500);
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
  socket.write(end);
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString();
  return failure === '' ? text : failure;
}

const chunk = (part: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);

// Takes seconds, beside the tests.
const unfinished = requestBytes('POST', '/nope', ['Content-Length: 5000000'], 'abc');
const silent = sendRaw(port, unfinished, { untilClosed: true });

t.test('ten that send 100 MB before they read', async (t) => {
  const sound = requestBytes('POST', '/_QUERIES/a/b', [`Content-Length: ${BODY}`]);
  const chunked = requestBytes('POST', '/nope', ['Transfer-Encoding: chunked']);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      i % 2 === 0
        ? sendThenRead(sound, (part) => part, '')
        : sendThenRead(chunked, chunk, '0\r\n\r\n'),
    ),
  );
  for (const answer of answers) {
    t.match(answer, /^HTTP\/1\.1 413 [^]*"code":"body_too_large"/);
    t.equal(answer.match(/HTTP\/1\.1/g)?.length, 1, 'once');
  }
});

t.test('ten of Node', async (t) => {
  const ask = (): Promise<number | string> =>
    new Promise((resolve) => {
      const asked = request({ port, method: 'POST', path: '/nope', agent: false, headers: { 'content-length': BODY } }); // prettier-ignore
      asked.on('response', (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
      let sent = 0;
      const write = (): void => {
        while (sent < BODY) {
          const part = PART.subarray(0, Math.min(PART.length, BODY - sent));
          sent += part.length;
          if (!asked.write(part)) return;
        }
        asked.end();
      };
      asked.on('drain', write);
      write();
    });
  t.same(await Promise.all(Array.from({ length: 10 }, ask)), Array(10).fill(413));
});

t.test('ten of Python', async (t) => {
  const program = `
import http.client, sys
connection = http.client.HTTPConnection('127.0.0.1', ${port})
connection.request('POST', '/nope', body=b'x' * ${BODY})
print(connection.getresponse().status)`;
  const ask = async (): Promise<string> => {
    const python = spawn('python3', ['-c', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    python.stdout.on('data', (data: Buffer) => (output += data.toString()));
    await once(python, 'close');
    return output.trim();
  };
  t.same(await Promise.all(Array.from({ length: 10 }, ask)), Array(10).fill('413'));
});

t.test('the response precedes the body', async (t) => {
  const { status, headers, body, text } = await sendRaw(port, unfinished);
  t.equal(status, 413);
  t.equal(headers.get('connection'), 'close');
  t.equal(Number(headers.get('content-length')), Buffer.byteLength(body));
  t.match(JSON.parse(body), { code: 'body_too_large' });
  t.ok(headers.has('x-request-id') && headers.has('date'));
  t.equal(text.match(/HTTP/g)?.length, 1);
});

t.test('one to HEAD has no body', async (t) => {
  const head = requestBytes('HEAD', '/nope', ['Content-Length: 5000000'], 'abc');
  const { status, body } = await sendRaw(port, head);
  t.equal(status, 413);
  t.equal(body, '');
});

t.test('data after a body that was responded to is not executed', async (t) => {
  const rest = 'x'.repeat(1_000_001 - 3);
  const behind = requestBytes('GET', '/_health');
  const head = requestBytes('POST', '/nope', ['Content-Length: 1000001'], 'abc');
  const { text, closed } = await sendRaw(port, [head, rest + behind], {
    between: 100,
    untilClosed: true,
  });
  t.match(text, /^HTTP\/1\.1 413 /);
  t.equal(text.match(/HTTP\/1\.1/g)?.length, 1);
  t.equal(closed, true);
});

t.test('a body of which nothing more comes', async (t) => {
  t.equal((await silent).closed, true, 'the connection ends after a while');
});
