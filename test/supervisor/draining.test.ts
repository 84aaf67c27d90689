/** Stopping while statements run, and while a database does not answer at all. */
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { databaseSettings } from '../support/front-end.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from './service.js';

t.test('statements that run are finished', async (t) => {
  const postgres = await startPostgres(t);
  const scripts = t.testdir({ t: { 'sleep.read.sql': `SELECT pg_sleep(0.6), 'slept' AS x` } });
  const { service, port } = await startService(t, {
    worker: {
      // How the kernel spreads them over the front ends, and so how long one waits, is chance.
      databases: [{ ...databaseSettings('main', postgres), connectTimeout: 20_000 }],
      scripts,
    },
  });
  const requests = Array.from({ length: 20 }, async () => {
    const response = await fetch(`http://127.0.0.1:${port}/_QUERIES/t/sleep`);
    const [row] = (await response.json()) as { x: string }[];
    return `${response.status} ${response.headers.get('connection') ?? ''} ${row?.x ?? ''}`;
  });
  await sleep(400);
  service.signal('SIGTERM');
  t.same(new Set(await Promise.all(requests)), new Set(['200 close slept']));
  t.equal(await service.exited, 0);
  t.same(
    await postgres.sql(`SELECT pid FROM pg_stat_activity WHERE query LIKE '%slept%'
                        AND pid <> pg_backend_pid()`), // prettier-ignore
    [],
    'no connection is left',
  );
});

t.test('a database that takes connections and says nothing', async (t) => {
  const mute = net.createServer().listen(0, '127.0.0.1');
  const sockets = new Set<net.Socket>();
  mute.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  t.teardown(() => {
    mute.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise((resolve) => mute.once('listening', resolve));
  const { port } = mute.address() as AddressInfo;
  const database = databaseSettings('main', { host: '127.0.0.1', port, password: 'x' });
  const { conninfo } = database;
  const slow = {
    ...database,
    conninfo: conninfo.replace('connect_timeout=2', 'connect_timeout=30'),
    connectTimeout: 30_000,
  };
  const { service } = await startService(t, { worker: { databases: [slow] } });
  await sleep(500);
  t.ok(sockets.size > 0, 'workers are connecting');
  const began = performance.now();
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  const took = performance.now() - began;
  t.ok(took < 3_000, `down after ${Math.round(took)} ms`);
});
