/**
 * One query worker: a piscina pool of a single thread, so that messages reach the thread they are for (a request can only
 * be abandoned where it runs) and a thread that dies loses only its own requests. Piscina starts, replaces and ends the
 * thread and runs its tasks; the requests of an event-loop tick go to the thread's mailbox as one message, and its responses
 * come back in a ring. The caller limits the requests in flight.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import type { Logger } from '../../observe/log.js';
import { THREAD_DEATHS } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import { Mailbox, releaseBuffer } from '../../native/mailbox.js';
import { createRing, ResponseReader, type OnResponse } from '../../native/response-ring.js';
import { ABANDON, packId, requestIds, ROOM, RUN, type Batch } from '../../messages/batch.js';
import { ServiceError } from '../../base/errors.js';
import { updateChunks, type ProofUpdate } from '../../messages/proofs.js';
import type { ProofCache } from '../../messages/proof-cache.js';
import { connectionsOf, type Connections } from '../../messages/ipc.js';
import { allServers } from '../../messages/database-settings.js';
import { ServerConnections } from '../../messages/server-connections.js';
import { countDeath, FIRST_WAIT, LONGEST_WAIT } from '../../messages/worker-deaths.js';
import type { WorkerSettings } from '../../messages/worker-settings.js';
import type { ResultOf, TaskArguments, TaskName, WorkerTask } from '../../messages/tasks.js';
import { Backoff } from '../../base/backoff.js';

/** What becomes of the requests of a worker. */
export interface QueryResults {
  readonly answered: OnResponse;
  /** A worker died: all its requests are lost except those `kept`, which its replacement runs. */
  readonly died: (worker: number, kept: ReadonlySet<number>) => void;
  /** A worker reports how it has handled a request (observe/trace/work.ts), most often before its response. */
  readonly reported?: (text: string) => void;
}

/** What all workers of a pool have in common. */
export interface QueryWorkerOptions {
  readonly filename: string;
  /** A thread that starts gets them before its first request. */
  readonly proofs: ProofCache;
  readonly results: QueryResults;
  readonly log: Logger;
}

/** Most requests in one message. */
const MESSAGE_REQUESTS = 64;

/** Longest message (characters): JavaScript has no string of twice this length. */
const MESSAGE_LENGTH = 256 << 20;

/** How long close waits for a thread that is still starting (milliseconds). */
const START_LIMIT = 2_000;

const noop = (): void => undefined;

type Thread = Piscina<WorkerTask, unknown>;

export class QueryWorker {
  /** Requests sent to the thread and not answered yet: how busy it is. */
  load = 0;
  /** Number of requests that the next flush sends. */
  collected = 0;
  readonly #number: number;
  readonly #settings: WorkerSettings;
  /** By the place of the server in allServers. */
  readonly #connections: readonly ServerConnections[];
  readonly #options: QueryWorkerOptions;
  readonly #responses: ResponseReader;
  /** Reports the thread's responses; a new one for each thread, so that none of a dead thread arrives late. */
  #mailbox: Mailbox | undefined;
  /** The thread's mailbox; 0 while no thread takes requests. */
  #address = 0;
  #piscina: Thread | undefined;
  /** False from the death of the thread until its replacement has started. */
  #alive = true;
  #closed = false;
  readonly #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
  #restart: NodeJS.Timeout | undefined;
  /** The packed requests of the next message, and the bodies beside it. */
  #batch: Batch = '';
  #bodies: Buffer[] = [];
  #abandoned = '';

  /** `number` identifies the worker in the pool. */
  constructor(
    number: number,
    settings: Omit<WorkerSettings, 'connections' | 'responses'>,
    options: QueryWorkerOptions,
  ) {
    this.#number = number;
    this.#options = options;
    const servers = allServers(settings);
    const connections = ServerConnections.memoryFor(servers.length);
    const responses = createRing();
    this.#responses = new ResponseReader(responses);
    this.#settings = { ...settings, connections, responses };
    const shared = new Int32Array(connections);
    this.#connections = servers.map((_server, i) => new ServerConnections(shared, i));
    servers.forEach(({ connections: allowed }, i) => (this.#connections[i]!.allowed = allowed));
    this.#start();
  }

  /** Whether a thread takes requests now. */
  get ready(): boolean {
    return this.#address !== 0;
  }

  /** collect adds a request to the next message. Throws ServiceError `busy` when there is no room in it. */
  collect(request: Batch, body?: Buffer): void {
    if (this.collected === MESSAGE_REQUESTS || this.#isFull(request)) this.flush();
    if (this.#isFull(request)) throw new ServiceError('busy'); // no thread takes requests now
    this.#batch += request;
    if (body !== undefined) this.#bodies.push(body);
    this.collected++;
  }

  #isFull(request: Batch): boolean {
    return this.#batch.length + request.length > MESSAGE_LENGTH;
  }

  /** abandon reports with the next flush that a request needs no response any more. */
  abandon(id: number): void {
    this.#abandoned += packId(id);
  }

  /** flush sends the collected requests, or keeps them until a thread takes requests. */
  flush(): void {
    const mailbox = this.#mailbox;
    if (mailbox === undefined || this.#address === 0) return;
    if (this.collected > 0) {
      const bodies = this.#bodies;
      const beside = bodies.length === 0 ? undefined : bodies;
      if (!mailbox.post(this.#address, RUN + this.#batch, beside)) return; // the thread is ending
      if (beside !== undefined) {
        for (const { buffer } of bodies) releaseBuffer(buffer as ArrayBuffer);
        this.#bodies = [];
      }
      this.load += this.collected;
      this.#batch = '';
      this.collected = 0;
    }
    if (this.#abandoned !== '') {
      mailbox.post(this.#address, ABANDON + this.#abandoned);
      this.#abandoned = '';
    }
  }

  /** run runs a task on the thread. Rejects when the thread dies meanwhile or is not running. */
  run<Name extends TaskName>(name: Name, ...args: TaskArguments<Name>): Promise<ResultOf<Name>> {
    if (this.#piscina === undefined || !this.#alive)
      return Promise.reject(new Error('no worker thread'));
    return runTask(this.#piscina, name, ...args);
  }

  /** allow sets how many connections the thread may have; it closes the excess as they become idle. */
  allow(connections: Connections): void {
    allServers(this.#settings).forEach(({ alias }, i) => {
      const number = connectionsOf(connections, alias);
      if (number !== undefined) this.#connections[i]!.allowed = number;
    });
    this.applyConnections();
  }

  /** applyConnections has the thread apply the numbers in `lending`. */
  applyConnections(): void {
    if (this.#piscina !== undefined) runTask(this.#piscina, 'connections').catch(noop);
  }

  /** WorkerSettings.connections, for the prover that is lent some. */
  get lending(): SharedArrayBuffer {
    return this.#settings.connections;
  }

  /** proved sends the thread what has changed in `proofs`. */
  proved(update: ProofUpdate): void {
    this.run('proofs', update).catch(noop);
  }

  /** scriptsChanged has the thread poll the stored scripts; a thread that starts does so anyway. */
  scriptsChanged(): void {
    this.run('scripts').catch(noop);
  }

  /** connections gives how many connections to a database (its index) the thread, and the prover, have or may open. */
  connections(database: number): number {
    const { allowed, open, lent } = this.#connections[database]!;
    return Math.max(allowed, open + lent);
  }

  /** close ends the thread, but not while it starts: a thread that is ended amid loading an addon crashes. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#address = 0;
    this.#mailbox?.close();
    clearTimeout(this.#restart);
    if (this.#piscina === undefined) return;
    const started = runTask(this.#piscina, 'connections');
    await Promise.race([started.catch(noop), sleep(START_LIMIT, undefined, { ref: false })]);
    await this.#piscina.destroy();
  }

  #start(): void {
    const piscina: Thread = new Piscina({
      filename: this.#options.filename,
      workerData: this.#settings,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: Number.MAX_SAFE_INTEGER,
      // The thread waits for PostgreSQL's sockets on its own event loop: it must never block in Atomics.wait.
      atomics: 'disabled',
      recordTiming: false,
    });
    piscina.on('error', (error: unknown) => {
      // Piscina reports messages of a thread that is being ended as errors.
      if (!this.#closed) this.#options.log.error({ err: error }, 'a query worker failed');
    });
    piscina.on('workerCreate', () => {
      if (!this.#closed) this.#serve(piscina);
    });
    piscina.on('workerDestroy', () => this.#died(piscina));
    this.#piscina = piscina;
  }

  /** Connects the thread that piscina just started. */
  #serve(piscina: Thread): void {
    this.#alive = true;
    const { proofs, results, log } = this.#options;
    const mailbox = new Mailbox((report, bodies) => {
      if (report !== '') results.reported?.(report);
      this.load -= this.#responses.read(bodies, results.answered);
      if (this.#responses.takeFull()) mailbox.post(this.#address, ROOM);
      this.#backoff.reset();
    });
    this.#mailbox = mailbox;
    for (const update of updateChunks(proofs.contents()))
      runTask(piscina, 'proofs', update).catch(noop);
    runTask(piscina, 'serve', mailbox.address).then(
      (address) => {
        if (this.#mailbox !== mailbox || this.#closed) return;
        this.#address = address;
        this.flush();
      },
      (error: unknown) => {
        if (!this.#closed) log.error({ err: error }, 'a query worker failed as it started');
      },
    );
  }

  #died(piscina: Thread): void {
    if (this.#closed) return;
    this.#alive = false;
    this.#address = 0;
    this.#mailbox?.close();
    this.#mailbox = undefined;
    this.#responses.discard();
    this.load = 0;
    this.#options.results.died(this.#number, new Set(requestIds(this.#batch)));
    counts[THREAD_DEATHS.query]! += 1;
    const series = countDeath(this.#settings.deaths);
    this.#options.log.warn({ series }, 'a query worker died and is replaced');
    // Piscina starts the replacement right after this event, except when the thread died before it was ready.
    setImmediate(() => {
      if (this.#closed || piscina.threads.length > 0) return;
      this.#piscina = undefined;
      this.#batch = '';
      this.#bodies = [];
      this.collected = 0;
      this.#abandoned = '';
      this.#options.results.died(this.#number, new Set()); // no replacement could run them
      const wait = this.#backoff.next();
      this.#options.log.error({ wait }, 'a query worker cannot start');
      this.#restart = setTimeout(() => this.#start(), wait);
    });
  }
}

function runTask<Name extends TaskName>(
  piscina: Thread,
  name: Name,
  ...args: TaskArguments<Name>
): Promise<ResultOf<Name>> {
  return piscina.run({ name, args }) as Promise<ResultOf<Name>>;
}
