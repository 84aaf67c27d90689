/** More connections than the process has descriptors for: those beyond are closed, and the others are served. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import net from 'node:net';
import t from 'tap';
import { forkHttpProcess } from '../../support/http-process.js';
import { requestBytes, sendRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const LIMIT = 200;

t.test('connections beyond the limit', async (t) => {
  const process = forkHttpProcess(t);
  // Before it listens, which it does when it has been sent its settings and has loaded its modules.
  const limited = spawnSync('prlimit', [
    '--pid',
    String(process.pid),
    `--nofile=${LIMIT}:${LIMIT}`,
  ]);
  t.equal(limited.status, 0, String(limited.stderr));
  const port = await process.listening;
  const descriptors = (): number => readdirSync(`/proc/${process.pid}/fd`).length;
  const sockets = Array.from({ length: 2 * LIMIT }, () => {
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
    t.teardown(() => socket.destroy());
    socket.write(requestBytes('GET', '/_health'));
    return socket;
  });
  const outcome = async (socket: net.Socket): Promise<string> =>
    Promise.race([
      once(socket, 'data').then(() => 'served'),
      once(socket, 'close').then(() => 'closed'),
    ]);
  const outcomes = await Promise.all(sockets.map(outcome));
  const served = outcomes.filter((one) => one === 'served').length;
  t.ok(served >= LIMIT / 4 && served < LIMIT, `${served} are served`);
  t.ok(descriptors() < LIMIT, 'there are descriptors left');
  for (const socket of sockets) socket.destroy();
  await until(() => descriptors() < LIMIT / 2);
  t.equal((await sendRaw(port, requestBytes('GET', '/_health'))).status, 503, 'and again');
});
