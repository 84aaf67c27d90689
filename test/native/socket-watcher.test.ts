/** The socket watcher on real libpq connections: events, callbacks and errors. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import {
  READABLE,
  SocketWatcher,
  WRITABLE,
  type OnSocketEvent,
} from '#app/native/socket-watcher.js';
import { loadLibpq, type Libpq } from '#app/postgres/connection/libpq-addon.js';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const server = await startPostgres(t);
const ACCOUNT = `port=${server.port} user=postgres password=${server.password} dbname=postgres`;
const CONNINFO = `host=127.0.0.1 ${ACCOUNT}`;
const PQ = loadLibpq();

function connect(t: Tap): Libpq {
  const pq = new PQ();
  pq.connectSync(CONNINFO);
  t.teardown(() => pq.finish());
  return pq;
}

type Tap = Pick<typeof t, 'teardown'>;

/** The first event of a watcher in a mode. */
function nextEvent(pq: Libpq, mode: number): Promise<Parameters<OnSocketEvent>> {
  return new Promise((resolve) => {
    const watcher = new SocketWatcher(pq.socket(), (...event) => {
      watcher.close();
      resolve(event);
    });
    watcher.watch(mode);
  });
}

t.test('wrong arguments are rejected', (t) => {
  const pq = connect(t);
  const Any = SocketWatcher as unknown as new (...values: unknown[]) => SocketWatcher;
  t.throws(() => new Any(), TypeError);
  t.throws(() => new Any('1', () => undefined), TypeError);
  t.throws(() => new Any(pq.socket()), TypeError);
  t.throws(() => new Any(-1, () => undefined), /cannot watch the descriptor/);
  t.throws(() => new Any(1_000_000, () => undefined), /cannot watch the descriptor/);
  const watcher = new SocketWatcher(pq.socket(), () => undefined);
  for (const mode of [-1, 4, NaN, undefined, '1'])
    t.throws(() => watcher.watch(mode as number), TypeError, `mode ${String(mode)}`);
  watcher.close();
  watcher.close();
  t.throws(() => watcher.watch(READABLE), /closed/);
  t.end();
});

t.test('reports readability', async (t) => {
  const pq = connect(t);
  t.same(await nextEvent(pq, WRITABLE), [false, true, 0]);
  pq.sendQueryParams("select repeat('x', 5000)", []);
  t.same(await nextEvent(pq, READABLE), [true, false, 0]);
});

t.test('a unix socket reports the number of bytes that wait', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'unix-')); // the path of a socket must be short
  t.teardown(() => rmSync(folder, { recursive: true }));
  const relay = createServer((socket) => {
    const upstream = createConnection(server.port, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    socket.on('error', () => upstream.destroy());
  });
  relay.listen(`${folder}/.s.PGSQL.${server.port}`);
  await once(relay, 'listening');
  t.teardown(() => relay.close());
  const pq = new PQ();
  const error = await new Promise((resolve) => pq.connect(`host=${folder} ${ACCOUNT}`, resolve));
  t.equal(error, undefined);
  pq.sendQueryParams("select repeat('x', 5000)", []);
  let waiting = 0;
  await new Promise<void>((resolve) => {
    const watcher = new SocketWatcher(pq.socket(), (_readable, _writable, bytes) => {
      waiting = bytes;
      if (bytes < 5_000) return;
      t.equal(watcher.arrived(true), 0);
      watcher.close();
      resolve();
    });
    watcher.watch(READABLE);
  });
  t.ok(waiting < 6_000, `${waiting} bytes`);
  pq.finish();
});

t.test('tells how many bytes arrived, and for a new result no more than a read takes', (t) => {
  const pq = connect(t);
  const watcher = new SocketWatcher(pq.socket(), () => undefined);
  t.teardown(() => watcher.close());
  const finish = (sql: string): void => {
    pq.sendQueryParams(sql, []);
    while (pq.getResult());
  };
  watcher.arrived(false);
  finish("select repeat('x', 50000)");
  const one = watcher.arrived(false);
  t.ok(one > 50_000 && one < 51_000, `${one} bytes`);
  t.equal(watcher.arrived(false), 0);
  for (let i = 0; i < 10; i++) finish("select repeat('x', 10000)");
  t.equal(watcher.arrived(true), 32_768);
  finish("select repeat('x', 10000)");
  const small = watcher.arrived(true);
  t.ok(small > 10_000 && small < 11_000, `${small} bytes`);
  t.end();
});

t.test('reports nothing while stopped', async (t) => {
  const pq = connect(t);
  const events: boolean[] = [];
  const watcher = new SocketWatcher(pq.socket(), (readable) => events.push(readable));
  watcher.watch(WRITABLE);
  watcher.watch(0);
  for (let i = 0; i < 10; i++) await nextTurn();
  t.same(events, []);
  watcher.close();
});

t.test('the end of the connection is readable until the watcher stops', async (t) => {
  const pq = connect(t);
  let events = 0;
  await new Promise<void>((resolve) => {
    const watcher = new SocketWatcher(pq.socket(), (readable) => {
      t.equal(readable, true);
      events++;
      if (events < 3) return;
      watcher.close();
      resolve();
    });
    watcher.watch(READABLE);
    void server.sql(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
    );
  });
  // The server sends an error before it closes the connection; they may arrive separately.
  await until(() => !pq.consumeInput());
});

t.test('a reset connection is readable too', async (t) => {
  const relay = createServer((socket) => {
    const upstream = createConnection(server.port, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    socket.on('error', () => upstream.destroy());
    relay.once('reset', () => socket.resetAndDestroy());
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  t.teardown(() => relay.close());
  const pq = new PQ();
  const { port } = relay.address() as AddressInfo;
  const error = await new Promise<unknown>((resolve) => {
    pq.connect(`host=127.0.0.1 ${ACCOUNT.replace(/port=\d+/, `port=${port}`)}`, resolve);
  });
  t.equal(error, undefined);
  let events = 0;
  await new Promise<void>((resolve) => {
    const watcher = new SocketWatcher(pq.socket(), (readable) => {
      t.equal(readable, true);
      if (++events < 3) return;
      watcher.close();
      resolve();
    });
    watcher.watch(READABLE);
    relay.emit('reset');
  });
  t.equal(pq.consumeInput() && pq.consumeInput(), false);
  pq.finish();
});

t.test('a closed watcher is garbage-collected, a watching one is not', async (t) => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const pq = connect(t);
  let events = 0;
  const forget = (mode: number, closed: boolean) => {
    const watcher = new SocketWatcher(pq.socket(), () => {
      events++;
      watcher.close();
    });
    watcher.watch(mode);
    if (closed) watcher.close();
    return new WeakRef(watcher);
  };
  const closed = Array.from({ length: 100 }, () => forget(READABLE, true));
  const watching = forget(READABLE, false);
  for (let i = 0; i < 20; i++) {
    gc();
    await nextTurn();
  }
  t.equal(closed.filter((ref) => ref.deref() !== undefined).length, 0);
  t.not(watching.deref(), undefined);
  t.equal(events, 0);
  pq.sendQueryParams('select 1', []);
  await until(() => events > 0);
  t.equal(events, 1);
});

t.test('microtasks and ticks run after each callback', async (t) => {
  const pq = connect(t);
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    const watcher = new SocketWatcher(pq.socket(), () => {
      if (order.length > 0) {
        order.push('second');
        watcher.close();
        resolve();
        return;
      }
      order.push('first');
      process.nextTick(() => order.push('tick'));
      queueMicrotask(() => order.push('microtask'));
    });
    watcher.watch(WRITABLE);
  });
  t.same(order, ['first', 'tick', 'microtask', 'second']);
});

t.test('an exception in a callback is uncaught', async (t) => {
  const worker = new Worker(new URL('../support/libpq-thread.js', import.meta.url), {
    workerData: { task: 'throw', conninfo: CONNINFO },
  });
  // Registered before the error, which the exit may follow at once.
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve));
  const [error] = (await once(worker, 'error')) as [Error];
  t.equal(error.message, 'thrown on purpose');
  t.equal(await exited, 1);
});
