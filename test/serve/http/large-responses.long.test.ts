/** Responses of many megabytes: complete, at the client's pace, and without delaying others. */
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { databaseSettings, startHttpProcess } from '../../support/http-process.js';
import { requestBytes } from '../../support/raw-http.js';
import { isConnected } from '../../support/tcp-state.js';
import { until } from '../../support/until.js';
import { serveDatabase } from './served-database.js';

const SCRIPTS = {
  'big.read.sql': `SELECT repeat('x', {{sqlVal "n"}}::int) AS x`,
  'small.read.sql': 'SELECT 1 AS one',
};
const { port, postgres, url } = await serveDatabase(t, SCRIPTS);

t.jobs = 4;
const APART = { buffered: true };

t.test('arrives whole', APART, async (t) => {
  for (const n of [65_000, 65_536, 70_000, 1_000_000, 30_000_000]) {
    const response = await fetch(url('big', `n=${n}`));
    t.equal(response.status, 200);
    const text = await response.text();
    t.equal(text.length, n + '[{"x":""}]'.length);
    t.equal(Number(response.headers.get('content-length')), text.length);
    t.match(text.slice(-5), 'xx"}]');
  }
});

t.test('HEAD has the length without the body', APART, async (t) => {
  const response = await fetch(url('big', 'n=200000'), { method: 'HEAD' });
  t.equal(response.headers.get('content-length'), '200010');
  t.equal((await response.text()).length, 0);
});

t.test('a client that does not read', APART, async (t) => {
  const { port, process } = await startHttpProcess(t, {
    timeout: 5_000,
    worker: {
      databases: [databaseSettings('main', postgres)],
      scripts: t.testdir({ t: SCRIPTS }),
    },
  });
  const rss = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process.pid ?? 0}/status`, 'utf8'))?.[1]) /
    1024;
  const before = rss();
  const sockets = Array.from({ length: 4 }, () => {
    const socket = net.connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(requestBytes('GET', '/_QUERIES/t/big?n=20000000'));
    return socket;
  });
  await sleep(1_500);
  const held = rss() - before;
  t.ok(held < 4 * 20 * 3 + 50, `four answers of 20 MB take ${Math.round(held)} MiB`);
  t.equal(
    (await fetch(`http://127.0.0.1:${port}/_QUERIES/t/small`)).status,
    200,
    'others are served',
  );
  const ports = sockets.map(({ localPort }) => localPort!);
  await until(() => !ports.some((client) => isConnected(port, client)), 100);
  let received = 0;
  for (const socket of sockets) {
    socket.on('data', (chunk: Buffer) => (received += chunk.length));
    socket.resume();
  }
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))),
  );
  t.ok(received < 4 * 20_000_000, 'the connection ends when it takes too long');
});

t.test('a client that reads slowly gets all of it', APART, async (t) => {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(requestBytes('GET', '/_QUERIES/t/big?n=5000000'));
  let received = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > 5_000_000) break;
    await sleep(5);
  }
  t.ok(received > 5_000_000);
});
