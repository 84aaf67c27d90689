/**
 * The query workers of one HTTP process. Requests of one event-loop tick are collected and sent together, sixteen at a time
 * to the least busy worker, so that bursts are spread and single requests need few messages. There is no promise and no
 * closure per request: responses come back by id. The HTTP process limits the requests in flight.
 */
import { installedFile } from '../../base/installed-file.js';
import { ServiceError } from '../../base/errors.js';
import type { Batch } from '../../messages/batch.js';
import type { Connections } from '../../messages/ipc.js';
import type { ProcessPlaces } from '../../observe/metrics/places.js';
import { ProofCache } from '../../messages/proof-cache.js';
import type { ProofUpdate } from '../../messages/proofs.js';
import { allServers } from '../../messages/database-settings.js';
import type { HttpSettings } from '../../messages/http-settings.js';
import type { WorkerTraceSettings } from '../../messages/thread-settings.js';
import type { WorkerSettings } from '../../messages/worker-settings.js';
import type { ResultOf, TaskArguments, TaskName } from '../../messages/tasks.js';
import { deathsMemory } from '../../messages/worker-deaths.js';
import { QueryWorker, type QueryWorkerOptions } from './query-worker.js';

/** After this many requests of a tick the next worker is chosen. */
const SHARE = 16;

/** Always tasks of the same worker, while that is ready: each one that is asked scans all scripts. */
const SCANS: ReadonlySet<TaskName> = new Set(['openapi', 'databases', 'routes']);

/** The bundle of '../workers/query.js', made by scripts/build.mjs. */
const WORKER_FILE = installedFile('dist/programs/query-worker.js');

/** What a pool runs on; by default with the service's own program and without proofs. */
export interface QueryPoolOptions
  extends
    Omit<QueryWorkerOptions, 'filename' | 'proofs'>,
    Partial<Pick<QueryWorkerOptions, 'proofs'>> {
  readonly threads: number;
  readonly worker: HttpSettings['worker'];
  readonly filename?: string | undefined;
  readonly metrics?: ProcessPlaces | undefined;
  readonly trace?: WorkerTraceSettings | undefined;
  /** WorkerSettings.shared. */
  readonly shared?: number | undefined;
}

export class QueryPool {
  /** The proofs of the scripts: a worker that starts gets them first. */
  readonly proofs: ProofCache;
  readonly #workers: readonly QueryWorker[];
  readonly #aliases: readonly string[];
  readonly #sending = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #activity = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #scheduled = false;
  /** Whether a worker was chosen for the requests of this tick. */
  #chosen = false;
  #current = 0;
  /** The worker of the last probe of each database, and the worker of the last other task. */
  readonly #turns = new Map<string, number>();

  constructor(options: QueryPoolOptions) {
    const { threads, worker, metrics, trace, shared } = options;
    const { filename = WORKER_FILE, proofs = new ProofCache(), results, log } = options;
    this.proofs = proofs;
    this.#aliases = allServers(worker).map(({ alias }) => alias);
    const full: Omit<WorkerSettings, 'connections' | 'responses' | 'metrics'> = {
      ...worker,
      trace,
      shared,
      deaths: deathsMemory(),
      sending: this.#sending.buffer,
      serverStates: new SharedArrayBuffer(this.#aliases.length * Int32Array.BYTES_PER_ELEMENT),
    };
    const common = { filename, proofs, results, log };
    this.#workers = Array.from(
      { length: threads },
      (_, i) => new QueryWorker(i, { ...full, metrics: metrics?.query(i) }, common),
    );
  }

  /**
   * submit queues one packed request, with the body beside it, and returns the number of its worker. Throws ServiceError
   * `busy`.
   */
  submit(request: Batch, body?: Buffer): number {
    if (!this.#chosen) {
      this.#chosen = true;
      this.#activity[0]!++;
      this.#schedule();
      this.#current = this.#choose();
    }
    let worker = this.#workers[this.#current]!;
    if (worker.collected >= SHARE && this.#workers.length > 1) {
      this.#current = this.#choose();
      worker = this.#workers[this.#current]!;
    }
    worker.collect(request, body);
    return this.#current;
  }

  /** abandon reports to a worker that a request needs no response any more. */
  abandon(worker: number, id: number): void {
    this.#schedule();
    this.#workers[worker]!.abandon(id);
  }

  /**
   * ask has a worker run an occasional task. Rejects with ServiceError: `busy` when no worker could, `worker_lost` when one
   * died over a request to the registry, which may have been carried out.
   */
  async ask<Name extends TaskName>(
    name: Name,
    ...args: TaskArguments<Name>
  ): Promise<ResultOf<Name>> {
    const worker = this.#workerFor(name, args);
    const { ready } = worker;
    try {
      return await worker.run(name, ...args);
    } catch (error) {
      const code = ready && name === 'registry' ? 'worker_lost' : 'busy';
      throw new ServiceError(code, undefined, { cause: error }); // the worker died, or has no scripts yet
    }
  }

  /** A worker that is ready, in turn; each is to probe every database, whether it is ready or not. */
  #workerFor(name: TaskName, args: readonly unknown[]): QueryWorker {
    const workers = this.#workers;
    if (SCANS.has(name)) return workers.find((one) => one.ready) ?? workers[0]!;
    const kind = name === 'probe' ? `probe ${String(args)}` : '';
    const turn = ((this.#turns.get(kind) ?? 0) + 1) % workers.length;
    this.#turns.set(kind, turn);
    const inTurn = [...workers.slice(turn), ...workers.slice(0, turn)];
    return (name === 'probe' ? undefined : inTurn.find((one) => one.ready)) ?? inTurn[0]!;
  }

  /** sending reports to the workers how many bytes of their responses the HTTP process has yet to send. */
  sending(bytes: number): void {
    Atomics.store(this.#sending, 0, Math.ceil(bytes / 1024 / this.#workers.length));
  }

  allow(connections: Connections): void {
    for (const worker of this.#workers) worker.allow(connections);
  }

  scriptsChanged(): void {
    for (const worker of this.#workers) worker.scriptsChanged();
  }

  /** proved has the workers apply what has changed in the proofs of the scripts. */
  proved(update: ProofUpdate): void {
    this.proofs.apply(update);
    for (const worker of this.#workers) worker.proved(update);
  }

  /** WorkerSettings.connections of the worker that lends connections to the prover. */
  get lending(): SharedArrayBuffer {
    return this.#workers[0]!.lending;
  }

  /** ProverSettings.activity. */
  get activity(): SharedArrayBuffer {
    return this.#activity.buffer;
  }

  /** lent has that worker apply what the prover was lent, or has given back. */
  lent(): void {
    this.#workers[0]!.applyConnections();
  }

  /** connections gives how many connections all workers together have or may open. */
  connections(): Connections {
    const sum = (i: number): number =>
      this.#workers.reduce((total, worker) => total + worker.connections(i), 0);
    return Object.fromEntries(this.#aliases.map((alias, i) => [alias, sum(i)]));
  }

  /** close ends the workers; requests that they still run get no response. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    this.#chosen = false;
    for (const worker of this.#workers) worker.flush();
  };

  /** The least busy worker that is ready; of equally busy ones the next after the current one. */
  #choose(): number {
    const count = this.#workers.length;
    let best = this.#current;
    let least = Infinity;
    for (let step = 1; step <= count; step++) {
      const i = (this.#current + step) % count;
      const worker = this.#workers[i]!;
      const burden = worker.load + worker.collected + (worker.ready ? 0 : 1_000_000);
      if (burden < least) {
        least = burden;
        best = i;
      }
    }
    return best;
  }
}
