/**
 * One query worker: a piscina pool of a single thread, so that a task reaches the thread it is meant for (a request
 * can only be abandoned where it runs) and one that dies costs only what was given to it. Collects the requests of an
 * event-loop tick and hands them over as one task. Refuses nothing: how much may wait is its caller's to bound.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import type { Logger } from '../log.js';
import {
  CONNECTION_STRIDE,
  REQUEST_STRIDE,
  type Answers,
  type Batch,
  type Connections,
  type ProbeResult,
  type WorkerSettings,
  type WorkerTask,
} from '../protocol.js';

/** What becomes of requests given to a worker. */
export interface QueryResults {
  /** Answers that arrived, flat as the protocol has them. */
  answered(answers: Answers): void;
  /** A request without an answer: its worker died (`worker_lost`) or failed at the whole batch (`internal`). */
  lost(id: number, code: 'worker_lost' | 'internal'): void;
}

/** Most requests of one task. */
const TASK_REQUESTS = 64;
const TASK_ENTRIES = TASK_REQUESTS * REQUEST_STRIDE;

/** Deaths further apart than this (seconds) are not one series. */
const DEATH_SERIES = 60;

/** Wait before a thread that cannot even start is tried again (milliseconds): doubled each time up to the last. */
const RESTART_FIRST = 100;
const RESTART_LAST = 5_000;

/** How long a thread that is to end may take to start (milliseconds). */
const START_LIMIT = 1_000;

const noop = (): void => undefined;

/** QueryWorker keeps one worker thread alive and passes tasks to it. */
export class QueryWorker {
  /** Tasks that have not settled: the measure of how busy the thread is. */
  load = 0;
  readonly #filename: string;
  readonly #settings: WorkerSettings;
  /** As WorkerSettings.connections says. */
  readonly #connections: Int32Array;
  readonly #results: QueryResults;
  readonly #log: Logger;
  #piscina: Piscina | undefined;
  /** False from the death of the thread until its replacement takes tasks. */
  #ready = true;
  #closed = false;
  /** How many threads died so far. */
  #generation = 0;
  #restartDelay = RESTART_FIRST;
  #restart: NodeJS.Timeout | undefined;
  #batch: Batch = [];
  #abandoned: number[] = [];

  constructor(
    filename: string,
    settings: Omit<WorkerSettings, 'connections'>,
    results: QueryResults,
    log: Logger,
  ) {
    this.#filename = filename;
    const entries = settings.databases.length * CONNECTION_STRIDE;
    const connections = new SharedArrayBuffer(entries * Int32Array.BYTES_PER_ELEMENT);
    this.#settings = { ...settings, connections };
    this.#connections = new Int32Array(connections);
    settings.databases.forEach((database, i) => {
      this.#connections[i * CONNECTION_STRIDE] = database.connections;
    });
    this.#results = results;
    this.#log = log;
    this.#start();
  }

  /** ready tells whether a thread takes tasks now. */
  get ready(): boolean {
    return this.#ready;
  }

  /** batch is what the next flush hands over. */
  get batch(): Batch {
    return this.#batch;
  }

  /** abandon notes that nobody waits for a request any more. Takes effect at the next flush. */
  abandon(id: number): void {
    this.#abandoned.push(id);
  }

  /** flush hands over what was collected. While no thread takes tasks it stays collected, and goes when one does. */
  flush(): void {
    const piscina = this.#piscina;
    if (piscina === undefined || !this.#ready) return;
    if (this.#batch.length > 0) {
      const batch = this.#batch;
      this.#batch = [];
      if (batch.length <= TASK_ENTRIES) this.#run(piscina, batch);
      else
        for (let i = 0; i < batch.length; i += TASK_ENTRIES)
          this.#run(piscina, batch.slice(i, i + TASK_ENTRIES));
    }
    if (this.#abandoned.length > 0) {
      const task: WorkerTask = { type: 'abandon', ids: this.#abandoned };
      this.#abandoned = [];
      piscina.run(task).catch(noop); // a dead worker has abandoned them too
    }
  }

  /** probe asks the thread which databases answer. Rejects when the thread dies meanwhile or cannot be started. */
  async probe(): Promise<ProbeResult> {
    if (this.#piscina === undefined || !this.#ready) throw new Error('no worker thread');
    return (await this.#piscina.run({ type: 'probe' } satisfies WorkerTask)) as ProbeResult;
  }

  /** allow sets how many connections the thread may hold; those that are too many it gives up as they become idle. */
  allow(connections: Connections): void {
    this.#settings.databases.forEach(({ alias }, i) => {
      const number = connections[alias];
      if (number !== undefined) Atomics.store(this.#connections, i * CONNECTION_STRIDE, number);
    });
    this.#piscina?.run({ type: 'connections' } satisfies WorkerTask).catch(noop);
  }

  /** connections is how many of the database at that place it holds or may hold: less than it said before, never more. */
  connections(database: number): number {
    const at = database * CONNECTION_STRIDE;
    return Math.max(Atomics.load(this.#connections, at), Atomics.load(this.#connections, at + 1));
  }

  /** close ends the thread. One that is still starting is given a moment: ended amid loading an addon, it crashes. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restart);
    if (this.#piscina === undefined) return;
    const started = this.#piscina.run({ type: 'abandon', ids: [] } satisfies WorkerTask);
    await Promise.race([started.catch(noop), sleep(START_LIMIT, undefined, { ref: false })]);
    await this.#piscina.destroy();
  }

  #run(piscina: Piscina, batch: Batch): void {
    const generation = this.#generation;
    this.load++;
    piscina.run({ type: 'run', batch } satisfies WorkerTask).then(
      (answers: Answers) => {
        this.load--;
        this.#restartDelay = RESTART_FIRST;
        this.#results.answered(answers);
      },
      (error: unknown) => {
        this.load--;
        const died = generation !== this.#generation || this.#closed;
        if (!died) this.#log.error({ err: error }, 'a query worker failed at a batch');
        const code = died ? 'worker_lost' : 'internal';
        for (let i = 0; i < batch.length; i += REQUEST_STRIDE)
          this.#results.lost(batch[i] as number, code);
      },
    );
  }

  #start(): void {
    const piscina = new Piscina({
      filename: this.#filename,
      workerData: this.#settings,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: Number.MAX_SAFE_INTEGER,
      // The thread waits for PostgreSQL's sockets on its own event loop: it must never block in Atomics.wait.
      atomics: 'disabled',
      recordTiming: false,
    });
    piscina.on('message', (answers: Answers) => this.#results.answered(answers));
    piscina.on('error', (error: unknown) =>
      this.#log.error({ err: error }, 'a query worker failed while idle'),
    );
    piscina.on('workerCreate', () => {
      this.#ready = true;
      this.flush();
    });
    piscina.on('workerDestroy', () => this.#died(piscina));
    this.#piscina = piscina;
  }

  #died(piscina: Piscina): void {
    if (this.#closed) return;
    this.#ready = false;
    this.#generation++;
    const series = countDeath(this.#settings.deaths);
    this.#log.warn({ series }, 'a query worker died and is replaced');
    // piscina starts the replacement right after this event, but never again once one has died before it was ready.
    setImmediate(() => {
      if (this.#closed || piscina.threads.length > 0) return;
      this.#piscina = undefined;
      this.#log.error({ wait: this.#restartDelay }, 'a query worker cannot start');
      this.#restart = setTimeout(() => this.#start(), this.#restartDelay);
      this.#restartDelay = Math.min(this.#restartDelay * 2, RESTART_LAST);
    });
  }
}

/** countDeath notes a death where the workers of a pool see it, and returns how many came shortly after one another. */
function countDeath(shared: SharedArrayBuffer): number {
  const deaths = new Int32Array(shared);
  const now = Math.floor(Date.now() / 1000);
  const series = now - Atomics.load(deaths, 1) <= DEATH_SERIES ? Atomics.load(deaths, 0) + 1 : 1;
  Atomics.store(deaths, 0, series);
  Atomics.store(deaths, 1, now);
  return series;
}
