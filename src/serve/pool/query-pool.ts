/**
 * The query workers of one HTTP process. Requests of one event-loop tick are collected and sent together, sixteen at a time
 * to the least busy worker, so that bursts are spread and single requests need few messages. There is no promise and no
 * closure per request: responses come back by id. The HTTP process limits the requests in flight.
 */
import { installedFile } from '../../base/installed-file.js';
import { ServiceError, type ErrorCode } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { Batch } from '../../messages/batch.js';
import type { Connections } from '../../messages/ipc.js';
import type { ProcessPlaces } from '../../observe/metrics/places.js';
import { ProofBook } from '../../messages/proof-book.js';
import type { ProofNews } from '../../messages/proofs.js';
import {
  allServers,
  type HttpSettings,
  type WorkerSettings,
  type WorkerTraceSettings,
} from '../../messages/settings.js';
import type {
  DocumentReader,
  FoundScripts,
  MadeUsersTable,
  OpenApiRequest,
  OpenApiResponse,
  Probed,
  RegistryResponse,
  RegistryRequest,
  RouteList,
  ScriptBody,
  StoredUser,
  TaskResult,
  WorkerTask,
} from '../../messages/tasks.js';
import { QueryWorker, type QueryResults } from './query-worker.js';

/** After this many requests of a tick the next worker is chosen. */
const SHARE = 16;

const NO_USERS = 'logins cannot be checked now, try again later';

/** The bundle of '../workers/query.js', made by scripts/build.mjs. */
const WORKER_FILE = installedFile('dist/programs/query-worker.js');

export class QueryPool {
  /** The proofs of the scripts: a worker that starts gets them first. */
  readonly proofs: ProofBook;
  readonly #workers: readonly QueryWorker[];
  readonly #aliases: readonly string[];
  readonly #sending = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #activity = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #scheduled = false;
  /** Whether a worker was chosen for the requests of this tick. */
  #chosen = false;
  #current = 0;
  /** By alias, the worker of the last probe. */
  readonly #probed = new Map<string, number>();
  /** The worker of the last task. */
  #last = 0;

  constructor(
    threads: number,
    settings: HttpSettings['worker'],
    results: QueryResults,
    log: Logger,
    filename = WORKER_FILE,
    proofs = new ProofBook(),
    metrics?: ProcessPlaces,
    trace?: WorkerTraceSettings,
    shared?: number,
  ) {
    this.proofs = proofs;
    this.#aliases = allServers(settings).map(({ alias }) => alias);
    const full: Omit<WorkerSettings, 'connections' | 'responses' | 'metrics'> = {
      ...settings,
      trace,
      shared,
      deaths: new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT),
      sending: this.#sending.buffer,
      serverStates: new SharedArrayBuffer(this.#aliases.length * Int32Array.BYTES_PER_ELEMENT),
    };
    this.#workers = Array.from(
      { length: threads },
      (_, i) =>
        new QueryWorker(i, filename, { ...full, metrics: metrics?.query(i) }, proofs, results, log),
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

  /** probe has the next worker test whether a database answers. Rejects when that worker dies or is not running. */
  async probe(alias: string): Promise<Probed> {
    const next = ((this.#probed.get(alias) ?? 0) + 1) % this.#workers.length;
    this.#probed.set(alias, next);
    return (await this.#workers[next]!.run({ type: 'probe', alias })) as Probed;
  }

  /** findUser looks a user up; null when there is none. Rejects with ServiceError `busy` when the lookup fails. */
  async findUser(username: string, requestId: string): Promise<StoredUser | null> {
    const task = { type: 'user', username, requestId } as const;
    const result = await this.#task<TaskResult<StoredUser | null>>(task);
    if ('failure' in result) throw new ServiceError('busy', NO_USERS);
    return result.value;
  }

  /** renewPassword replaces the stored hash `from`. Rejects with an Error that gives the reason of a failure. */
  async renewPassword(username: string, from: string, to: string): Promise<void> {
    const result = await this.#task<TaskResult<null>>({ type: 'renew', username, from, to });
    if ('failure' in result) throw new Error(result.failure.reason);
  }

  /** makeUsersTable creates the users table unless it exists. Rejects when no worker could try. */
  makeUsersTable(): Promise<TaskResult<MadeUsersTable>> {
    return this.#task({ type: 'migrate-users' });
  }

  /** scriptBodies finds out what becomes of the bodies of a script's requests. Rejects when no worker could. */
  scriptBodies(alias: string, folder: string, name: string): Promise<readonly ScriptBody[]> {
    return this.#task({ type: 'script-bodies', alias, folder, name });
  }

  /**
   * registry has a worker answer a request to the registry of scripts. Rejects with ServiceError: `busy` when there is no
   * worker, `worker_lost` when it died meanwhile.
   */
  registry(request: RegistryRequest): Promise<RegistryResponse> {
    return this.#task({ type: 'registry', request }, 'worker_lost');
  }

  /**
   * routes lists the paths that scripts declare; undefined when `version` is still the last one. Always of the same worker,
   * while that is ready: each one that is asked scans all scripts. Rejects when there is no worker, or it died meanwhile.
   */
  async routes(version: string): Promise<RouteList | undefined> {
    return (await this.#scanning.run({ type: 'routes', version })) as RouteList | undefined;
  }

  /** openapi gives the OpenAPI document of a database, of the worker that routes uses. Rejects with ServiceError `busy`. */
  async openapi(request: OpenApiRequest): Promise<OpenApiResponse> {
    try {
      return (await this.#scanning.run({ type: 'openapi', request })) as OpenApiResponse;
    } catch (error) {
      throw new ServiceError('busy', undefined, { cause: error }); // no scripts yet, or the worker died
    }
  }

  /**
   * databases lists the aliases of the databases with scripts that a caller may run, the default one first in any case.
   * Rejects with ServiceError `busy`.
   */
  async databases(reader: DocumentReader): Promise<readonly string[]> {
    try {
      return (await this.#scanning.run({ type: 'databases', reader })) as readonly string[];
    } catch (error) {
      throw new ServiceError('busy', undefined, { cause: error });
    }
  }

  /** The worker that has scanned all scripts, while that is ready. */
  get #scanning(): QueryWorker {
    return this.#workers.find((one) => one.ready) ?? this.#workers[0]!;
  }

  /** foundScripts counts the scripts, and finds those that cannot be served. Rejects when no worker could. */
  foundScripts(): Promise<FoundScripts> {
    return this.#task({ type: 'found-scripts' });
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
  proved(news: ProofNews): void {
    this.proofs.apply(news);
    for (const worker of this.#workers) worker.proved(news);
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

  /** Runs an occasional task on a worker that is ready, round robin. */
  async #task<Result>(task: WorkerTask, lost: ErrorCode = 'busy'): Promise<Result> {
    this.#last = (this.#last + 1) % this.#workers.length;
    const inTurn = [...this.#workers.slice(this.#last), ...this.#workers.slice(0, this.#last)];
    const worker = inTurn.find((one) => one.ready) ?? inTurn[0]!;
    const { ready } = worker;
    try {
      return (await worker.run(task)) as Result;
    } catch (error) {
      throw new ServiceError(ready ? lost : 'busy', undefined, { cause: error }); // the worker died
    }
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
