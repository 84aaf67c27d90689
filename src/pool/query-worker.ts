/**
 * One query worker: a piscina pool of a single thread, so that what is meant for a thread reaches it (a request can only
 * be abandoned where it runs) and one that dies costs only what was given to it. Piscina starts, replaces and ends the
 * thread and runs what is asked of it now and then; requests and answers go from mailbox to mailbox, those of an
 * event-loop tick as one message. Refuses nothing: how much may wait is its caller's to bound.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import type { Logger } from '../log.js';
import { Mailbox } from '../native/mailbox.js';
import {
  ABANDON,
  CONNECTION_STRIDE,
  connectionsOf,
  packId,
  requestIds,
  RUN,
  unpackAnswers,
  type Batch,
  type Connections,
  type TakeAnswer,
  type WorkerSettings,
  type WorkerTask,
} from '../protocol.js';

/** What becomes of requests given to a worker. */
export interface QueryResults {
  /** One answer. */
  readonly answered: TakeAnswer;
  /** The worker of that number died: all its requests are lost but those `kept`, which its replacement gets. */
  readonly died: (worker: number, kept: ReadonlySet<number>) => void;
}

/** Most requests of one message to a thread that takes them. */
const MESSAGE_REQUESTS = 64;

/** Deaths further apart than this (seconds) are not one series. */
const DEATH_SERIES = 60;

/** Wait before a thread that cannot even start is tried again (milliseconds): doubled each time up to the last. */
const RESTART_FIRST = 100;
const RESTART_LAST = 5_000;

/** How long a thread that is to end may take to start (milliseconds). */
const START_LIMIT = 2_000;

const noop = (): void => undefined;

/** QueryWorker keeps one worker thread alive and passes requests to it. */
export class QueryWorker {
  /** Requests handed over and not answered: the measure of how busy the thread is. */
  load = 0;
  readonly #number: number;
  readonly #filename: string;
  readonly #settings: WorkerSettings;
  /** As WorkerSettings.connections says. */
  readonly #connections: Int32Array;
  readonly #results: QueryResults;
  readonly #log: Logger;
  /** What the thread's answers go to: a new one for each thread, so that nothing comes late from a dead one. */
  #mailbox: Mailbox | undefined;
  /** The thread's mailbox, 0 while none takes requests. */
  #address = 0;
  #piscina: Piscina | undefined;
  /** False from the death of the thread until its replacement is there. */
  #alive = true;
  #closed = false;
  #restartDelay = RESTART_FIRST;
  #restart: NodeJS.Timeout | undefined;
  /** What the next message hands over, and how many requests that are. */
  #batch: Batch = '';
  #collected = 0;
  #abandoned = '';

  /** `number` tells this worker from others. */
  constructor(
    number: number,
    filename: string,
    settings: Omit<WorkerSettings, 'connections'>,
    results: QueryResults,
    log: Logger,
  ) {
    this.#number = number;
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

  /** ready tells whether a thread takes requests now. */
  get ready(): boolean {
    return this.#address !== 0;
  }

  /** collected is how many requests the next flush hands over. */
  get collected(): number {
    return this.#collected;
  }

  /** collect takes one packed request. */
  collect(request: Batch): void {
    if (this.#collected === MESSAGE_REQUESTS) this.flush();
    this.#batch += request;
    this.#collected++;
  }

  /** abandon notes that nobody waits for a request any more. Takes effect at the next flush. */
  abandon(id: number): void {
    this.#abandoned += packId(id);
  }

  /** flush hands over what was collected. While no thread takes requests it stays collected, and goes when one does. */
  flush(): void {
    const mailbox = this.#mailbox;
    if (mailbox === undefined || this.#address === 0) return;
    if (this.#collected > 0) {
      if (!mailbox.post(this.#address, RUN + this.#batch)) return; // the thread is ending
      this.load += this.#collected;
      this.#batch = '';
      this.#collected = 0;
    }
    if (this.#abandoned !== '') {
      mailbox.post(this.#address, ABANDON + this.#abandoned);
      this.#abandoned = '';
    }
  }

  /** run has the thread do one task. Rejects when it dies meanwhile or cannot be started. */
  run(task: WorkerTask): Promise<unknown> {
    if (this.#piscina === undefined || !this.#alive)
      return Promise.reject(new Error('no worker thread'));
    return this.#piscina.run(task);
  }

  /** allow sets how many connections the thread may hold; those that are too many it gives up as they become idle. */
  allow(connections: Connections): void {
    this.#settings.databases.forEach(({ alias }, i) => {
      const number = connectionsOf(connections, alias);
      if (number !== undefined) Atomics.store(this.#connections, i * CONNECTION_STRIDE, number);
    });
    this.#piscina?.run({ type: 'connections' } satisfies WorkerTask).catch(noop);
  }

  /** scriptsChanged has the thread look at the stored scripts; one that starts does so in any case. */
  scriptsChanged(): void {
    this.run({ type: 'scripts' }).catch(noop);
  }

  /** connections is how many of the database at that place it holds or may hold: less than it said before, never more. */
  connections(database: number): number {
    const at = database * CONNECTION_STRIDE;
    return Math.max(Atomics.load(this.#connections, at), Atomics.load(this.#connections, at + 1));
  }

  /** close ends the thread. One that is still starting is given a moment: ended amid loading an addon, it crashes. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#address = 0;
    this.#mailbox?.close();
    clearTimeout(this.#restart);
    if (this.#piscina === undefined) return;
    const started = this.#piscina.run({ type: 'connections' } satisfies WorkerTask);
    await Promise.race([started.catch(noop), sleep(START_LIMIT, undefined, { ref: false })]);
    await this.#piscina.destroy();
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
    piscina.on('error', (error: unknown) => {
      // What a thread answers while it is ended, piscina takes for a failure.
      if (!this.#closed) this.#log.error({ err: error }, 'a query worker failed');
    });
    piscina.on('workerCreate', () => {
      if (!this.#closed) this.#serve(piscina);
    });
    piscina.on('workerDestroy', () => this.#died(piscina));
    this.#piscina = piscina;
  }

  /** Has the thread that piscina just started take requests. */
  #serve(piscina: Piscina): void {
    this.#alive = true;
    const mailbox = new Mailbox((answers, bodies) => {
      this.load -= unpackAnswers(answers, bodies, this.#results.answered);
      this.#restartDelay = RESTART_FIRST;
    });
    this.#mailbox = mailbox;
    piscina.run({ type: 'serve', address: mailbox.address } satisfies WorkerTask).then(
      (address: number) => {
        if (this.#mailbox !== mailbox || this.#closed) return;
        this.#address = address;
        this.flush();
      },
      (error: unknown) => {
        if (!this.#closed) this.#log.error({ err: error }, 'a query worker failed as it started');
      },
    );
  }

  #died(piscina: Piscina): void {
    if (this.#closed) return;
    this.#alive = false;
    this.#address = 0;
    this.#mailbox?.close();
    this.#mailbox = undefined;
    this.load = 0;
    this.#results.died(this.#number, new Set(requestIds(this.#batch)));
    const series = countDeath(this.#settings.deaths);
    this.#log.warn({ series }, 'a query worker died and is replaced');
    // piscina starts the replacement right after this event, but never again once one has died before it was ready.
    setImmediate(() => {
      if (this.#closed || piscina.threads.length > 0) return;
      this.#piscina = undefined;
      this.#batch = '';
      this.#collected = 0;
      this.#abandoned = '';
      this.#results.died(this.#number, new Set()); // there is no replacement that could get them
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
