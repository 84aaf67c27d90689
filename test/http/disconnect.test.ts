/** A client that goes away: its statement is cancelled, and nothing of it is left behind. */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { requestBytes } from '../support/raw-http.js';
import { serveDatabase } from './served-database.js';

const {
  postgres,
  port,
  process: httpProcess,
  url,
} = await serveDatabase(t, {
  'sleep.read.sql': `SELECT pg_sleep(30), 'slept' AS x`,
  'one.read.sql': 'SELECT 1 AS one',
});

const running = async (): Promise<number> =>
  (await postgres.sql(`SELECT FROM pg_stat_activity WHERE query LIKE '%slept%' AND state = 'active'
                       AND pid <> pg_backend_pid()`)).length; // prettier-ignore

async function until(wanted: number): Promise<number> {
  let found = await running();
  for (let i = 0; i < 50 && found !== wanted; i++) {
    await sleep(100);
    found = await running();
  }
  return found;
}

t.test('in the middle of a query', async (t) => {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(requestBytes('GET', '/_QUERIES/t/sleep'));
  t.equal(await until(1), 1);
  socket.destroy();
  t.equal(await until(0), 0, 'the statement is cancelled');
});

t.test('at every point of a request', async (t) => {
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

t.test('hundreds that leave at once', async (t) => {
  const sockets = Array.from({ length: 300 }, () => {
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(requestBytes('GET', '/_QUERIES/t/one'));
    return socket;
  });
  await sleep(30);
  for (const socket of sockets) socket.destroy();
  t.equal((await fetch(url('one'))).status, 200);
});
