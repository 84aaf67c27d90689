/** A client that goes away: its statement is cancelled, and nothing of it is left behind. */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { requestBytes } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { serveDatabase } from './served-database.js';

const {
  postgres,
  port,
  process: httpProcess,
  url,
} = await serveDatabase(t, {
  'sleep.read.sql': `SELECT pg_sleep(3600), 'slept' AS x`,
  'one.read.sql': 'SELECT 1 AS one',
});

const running = async (): Promise<number> =>
  (await postgres.sql(`SELECT FROM pg_stat_activity WHERE query LIKE '%slept%' AND state = 'active'
                       AND pid <> pg_backend_pid()`)).length; // prettier-ignore

t.jobs = 3;
const APART = { buffered: true };

t.test('in the middle of a query', APART, async (t) => {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(requestBytes('GET', '/_QUERIES/t/sleep'));
  await until(async () => (await running()) === 1);
  socket.destroy();
  await until(async () => (await running()) === 0); // it is cancelled
  t.equal((await fetch(url('one'))).status, 200);
});

t.test('at every point of a request', APART, async (t) => {
  const bytes = requestBytes('POST', '/_QUERIES/t/one', ['Content-Length: 4'], 'abcd');
  await Promise.all(
    Array.from({ length: bytes.length }, async (_, length) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(bytes.slice(0, length + 1));
      await sleep(20 + (length % 7));
      socket.resetAndDestroy();
    }),
  );
  t.equal((await fetch(url('one'))).status, 200);
  t.doesNotThrow(() => process.kill(httpProcess.pid ?? 0, 0), 'the HTTP process is alive');
});

t.test('hundreds that leave at once', APART, async (t) => {
  const sockets = Array.from({ length: 300 }, () => {
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(requestBytes('GET', '/_QUERIES/t/one'));
    return socket;
  });
  await sleep(30);
  for (const socket of sockets) socket.destroy();
  t.equal((await fetch(url('one'))).status, 200);
});
