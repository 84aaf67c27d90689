/**
 * A thread that uses libpq in one of the ways threads may end with: started by tests as a worker, it says `ready` when
 * what the task names is under way.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { READABLE, SocketWatcher, WRITABLE } from '#app/native/socket-watcher.js';
import { loadLibpq, type Libpq } from '#app/pg/libpq-addon.js';

export type LibpqTask =
  | 'never connected'
  | 'failed'
  | 'finished'
  | 'left open'
  | 'exit'
  | 'in a pipeline'
  | 'connected aside'
  | 'connecting'
  | 'reconnecting'
  | 'throw';

const { task, conninfo } = workerData as { task: LibpqTask; conninfo: string };
const PQ = loadLibpq();

function ready(): void {
  parentPort!.postMessage('ready');
}

function stay(): void {
  setInterval(() => undefined, 1000);
}

function connected(): Libpq {
  const pq = new PQ();
  pq.connectSync(conninfo);
  return pq;
}

function watch(pq: Libpq, mode: number): SocketWatcher {
  const watcher = new SocketWatcher(pq.socket(), () => pq.consumeInput());
  watcher.watch(mode);
  return watcher;
}

/** Connects, and again as soon as that is done, so that the end comes at any moment of it. */
function reconnect(): void {
  const pq = new PQ();
  pq.connect(conninfo, (error) => {
    if (error === undefined) watch(pq, READABLE | WRITABLE).close();
    pq.finish();
    reconnect();
  });
}

const tasks: Record<LibpqTask, () => void> = {
  'never connected': () => {
    ready();
    stay();
  },
  failed: () => {
    try {
      new PQ().connectSync('host=/nonexistent');
    } catch {
      ready();
    }
    stay();
  },
  finished: () => {
    const pq = connected();
    watch(pq, READABLE).close();
    pq.finish();
    ready();
  },
  'left open': () => {
    connected();
    ready();
  },
  exit: () => {
    watch(connected(), READABLE);
    ready();
    process.exit(3);
  },
  // More than the sockets hold, so that the connection's end finds both directions full.
  'in a pipeline': () => {
    const pq = connected();
    pq.setNonBlocking(true);
    pq.enterPipelineMode();
    for (let i = 0; i < 200; i++)
      pq.sendQueryParams('select pg_sleep(0.3), $1::text', ['x'.repeat(20_000)]);
    pq.pipelineSync();
    pq.flush();
    watch(pq, READABLE | WRITABLE);
    ready();
  },
  'connected aside': () => {
    const pq = new PQ();
    pq.connect(conninfo, (error) => {
      if (error !== undefined) throw new Error(String(error));
      watch(pq, READABLE);
      ready();
    });
  },
  connecting: () => {
    new PQ().connect(conninfo, () => undefined);
    ready();
  },
  reconnecting: () => {
    for (let i = 0; i < 4; i++) reconnect();
    ready();
  },
  throw: () => {
    const watcher = new SocketWatcher(connected().socket(), () => {
      watcher.close();
      throw new Error('thrown on purpose');
    });
    watcher.watch(WRITABLE);
  },
};

tasks[task]();
