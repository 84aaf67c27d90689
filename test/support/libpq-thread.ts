/**
 * A thread that uses libpq in one of the ways threads may end with: started by tests as a worker, it says `ready` when
 * what the task names is under way.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Mailbox } from '#app/native/mailbox.js';
import { ROWS, VALUE, type LargeValue } from '#app/native/pipeline.js';
import { createRing, ResponseRing } from '#app/native/response-ring.js';
import { READABLE, SocketWatcher, WRITABLE } from '#app/native/socket-watcher.js';
import { loadLibpq, type Libpq } from '#app/postgres/connection/libpq-addon.js';
import { Pipelined } from './pipelined.js';

export type LibpqTask =
  | 'never connected'
  | 'failed'
  | 'finished'
  | 'left open'
  | 'exit'
  | 'in a pipeline'
  | 'large values'
  | 'creating objects'
  | 'flooded'
  | 'connected aside'
  | 'connecting'
  | 'reconnecting'
  | 'leaving garbage'
  | 'throw';

const { task, conninfo, turns } = workerData as {
  task: LibpqTask;
  conninfo: string;
  /** With `leaving garbage`: after how many turns it ends. */
  turns?: number;
};
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

function watch(pq: Libpq, mode: number, onEvent = (): unknown => pq.consumeInput()): SocketWatcher {
  const watcher = new SocketWatcher(pq.socket(), () => void onEvent());
  watcher.watch(mode);
  return watcher;
}

const LARGE = `select repeat('x', 100000)`;
const SMALLEST_LARGE = `select repeat('x', 8192)`;

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
    const { pq, pipeline } = new Pipelined(connected(), 1 << 20);
    for (let i = 0; i < 200; i++) {
      if (i % 2 === 0) pipeline.prepare(`s${i}`, 'select pg_sleep(0.3), $1::text');
      pipeline.send(i % 2 === 0 ? `s${i}` : '', 'select $1::text', ['x'.repeat(20_000)], ROWS);
    }
    pipeline.flush();
    watch(pq, READABLE | WRITABLE, () => pipeline.receive());
    ready();
  },
  // In all the places where they may be: unread, dropped, in the thread's own mailbox, and as buffers.
  'large values': () => {
    const { pq, pipeline } = new Pipelined(connected(), 1 << 20);
    const buffers: ArrayBuffer[] = [];
    const mailbox = new Mailbox((_text, bodies) => buffers.push(...bodies!));
    const ask = (): void => {
      for (let i = 0; i < 20; i++) pipeline.send('', LARGE, [], VALUE);
      pipeline.flush();
    };
    watch(pq, READABLE, () => {
      const values = pipeline.receive() as LargeValue[];
      values.forEach((value, i) => i % 3 > 0 && mailbox.post(mailbox.address, '', [value]));
      if (buffers.length >= 10) buffers.length = 0;
      if (values.length > 0) ask();
    });
    ask();
    ready();
  },
  // So that termination comes while the addon creates an object: thousands in each result, and those of the thread.
  'creating objects': () => {
    const { pq, pipeline } = new Pipelined(connected(), 1 << 23);
    const memory = createRing();
    const ask = (): void => {
      for (let i = 0; i < 200; i++) pipeline.send('', SMALLEST_LARGE, [], VALUE);
      pipeline.flush();
    };
    watch(pq, READABLE, () => {
      for (let i = 0; i < 50; i++) {
        new Mailbox(() => undefined).close();
        new ResponseRing(memory);
      }
      if (pipeline.receive().length > 0) ask();
    });
    ask();
    ready();
  },
  // Each message makes the next one, for ever.
  flooded: () => {
    const mailbox = new Mailbox((text) => mailbox.post(mailbox.address, text));
    for (let i = 0; i < 1000; i++) mailbox.post(mailbox.address, `message ${i}`);
    ready();
    stay();
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
  // The heap grows, so that the thread ends while its garbage is being marked.
  'leaving garbage': () => {
    const kept: object[] = [];
    const grow = (left: number): void => {
      for (let i = 0; i < 500; i++) new PQ();
      for (let i = 0; i < 3_000; i++) kept.push({ list: [i] });
      if (left === 0) process.exit(3);
      setImmediate(grow, left - 1);
    };
    grow(turns!);
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
