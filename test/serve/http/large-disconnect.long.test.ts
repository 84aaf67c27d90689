/** Clients that disconnect while a large response is made or sent, at every stage: all its memory is freed. */
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { requestBytes } from '../../support/raw-http.js';
import { isConnected } from '../../support/tcp-state.js';
import { until } from '../../support/until.js';
import { serveDatabase } from './served-database.js';

const MIB = 1 << 20;
const BIG = `SELECT repeat('x', {{sqlVal "n"}}::int) AS x`;
const {
  port,
  process: httpProcess,
  url,
} = await serveDatabase(t, {
  'big.read.sql': BIG,
  'often.read.sql': BIG, // of its own, because the other is known to be slow by then
});

const resident = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${httpProcess.pid ?? 0}/status`, 'utf8'))?.[1]) *
  1024;

/** A client that disconnects after so many bytes of the response, or some time after its request. */
function leave(n: number, after: { readonly bytes?: number; readonly ms?: number }): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const go = (): void => {
      if (n % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    };
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received >= (after.bytes ?? Infinity)) go();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    socket.write(requestBytes('GET', `/_QUERIES/t/big?n=${n}`), () => {
      if (after.ms !== undefined) setTimeout(go, after.ms);
    });
  });
}

/** Around the sizes at which values stay with libpq, and at which answers are sent piece by piece. */
const SIZES = [8_000, 8_193, 60_001, 70_000, 70_001, 300_000, 3_000_001];

async function round(): Promise<void> {
  for (const n of SIZES) {
    const bytes = [1, 100, 5_000, n >> 1, n - 10].map((some) => leave(n, { bytes: some }));
    const times = [0, 1, 2, 3, 5, 8, 13, 21].map((ms) => leave(n, { ms }));
    await Promise.all([...bytes, ...times]);
  }
}

t.test('leaving at every stage', async (t) => {
  const sizes: number[] = [];
  // What is kept for reuse (cached texts, the allocator's arenas) has its full size after seven rounds or so.
  for (let i = 0; i < 14; i++) {
    await round();
    sizes.push(resident());
  }
  t.doesNotThrow(() => process.kill(httpProcess.pid ?? 0, 0), 'the HTTP process is alive');
  const growth = (sizes.at(-1)! - sizes[9]!) / MIB;
  t.ok(growth < 30, `resident memory grew by ${Math.round(growth)} MiB`);
  for (const n of SIZES) t.equal((await (await fetch(url('big', `n=${n}`))).text()).length, n + 10);
});

t.test('leaving without having read, many at a time', async (t) => {
  let before = 0;
  for (let i = 0; i < 6; i++) {
    const sockets = Array.from({ length: 20 }, () => {
      const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
      // Of clients that do not say so it would be noticed a second later (docs/http.md).
      const headers = ['Connection: keep-alive'];
      socket.write(requestBytes('GET', '/_QUERIES/t/big?n=8000000', headers));
      return socket.pause();
    });
    await sleep(300);
    const ports = sockets.map(({ localPort }) => localPort!);
    for (const socket of sockets) socket.resetAndDestroy();
    await until(() => !ports.some((client) => isConnected(port, client)));
    await sleep(100);
    if (i === 2) before = resident();
  }
  // On a busy machine the answers to the last ones may be made, and freed, a moment later.
  await until(() => (resident() - before) / MIB < 60);
  t.equal(
    (await fetch(url('big', 'n=8000000'))).status,
    200,
    'the budget of results is free again',
  );
});

t.test('a slow reader of pipelined answers gets all of them, in order', async (t) => {
  const sizes = [10, 9_000, 60_000, 70_000, 20, 200_000, 8_192, 30];
  const socket = net.connect(port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  for (const [i, n] of sizes.entries()) {
    socket.write(requestBytes('GET', `/_QUERIES/t/big?n=${n}`));
    const from = text.length;
    for await (const chunk of socket.iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<string>) {
      text += chunk;
      if (text.endsWith('"}]')) break;
      await sleep(2);
    }
    t.equal(text.length - from - text.indexOf('\r\n\r\n', from) + from - 4, n + 10, `answer ${i}`);
  }
  socket.destroy();
});

t.test('a thousand connections at once', async (t) => {
  const n = 20_000;
  const asked = Array.from(
    { length: 1_000 },
    () =>
      new Promise<number>((resolve) => {
        const socket = net.connect(port, '127.0.0.1');
        let received = 0;
        socket.on('data', (chunk) => (received += chunk.length));
        socket.on('error', () => resolve(-1));
        socket.on('close', () => resolve(received));
        socket.write(requestBytes('GET', `/_QUERIES/t/often?n=${n}`, ['Connection: close']));
      }),
  );
  const received = await Promise.all(asked);
  t.equal(received.filter((bytes) => bytes > n).length, 1_000);
});
