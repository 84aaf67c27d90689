/** Stopping while statements run, and while a database does not answer at all. */
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { databaseSettings } from '../../support/http-process.js';
import { Gate, GATES } from '../../support/gate.js';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { startService } from './service.js';

t.test('statements that run are finished', async (t) => {
  const postgres = await startPostgres(t, { setup: GATES });
  const gate = new Gate(postgres, 'draining');
  const scripts = t.testdir({ t: { 'wait.read.sql': gate.sql } });
  const { service, port } = await startService(t, {
    httpProcesses: 1,
    worker: {
      databases: [{ ...databaseSettings('main', postgres), connections: 40 }],
      scripts,
    },
  });
  const requests = Array.from({ length: 20 }, async () => {
    const response = await fetch(`http://127.0.0.1:${port}/_QUERIES/t/wait`);
    const [row] = (await response.json()) as { waited: string }[];
    return `${response.status} ${response.headers.get('connection') ?? ''} ${row?.waited ?? 'nothing'}`;
  });
  await gate.reached(20);
  const connection = async (): Promise<string | null> => {
    const response = await fetch(`http://127.0.0.1:${port}/nope`);
    await response.text();
    return response.headers.get('connection');
  };
  await connection(); // an idle one, on which to see when the process drains
  service.signal('SIGTERM');
  await service.line('stopping');
  await until(async () => (await connection()) === 'close');
  await gate.open();
  t.same(new Set(await Promise.all(requests)), new Set(['200 close ']));
  t.equal(await service.exited, 0);
  t.same(
    await postgres.sql(`SELECT pid FROM pg_stat_activity WHERE query LIKE '%wait_at%'
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
    conninfo: conninfo.replace('connect_timeout=60', 'connect_timeout=3600'),
    connectTimeout: 3_600_000,
  };
  const { service } = await startService(t, { worker: { databases: [slow] } });
  await until(() => sockets.size > 0); // workers are connecting
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
});
