/**
 * The query workers of one front end. Requests of one event-loop tick are collected and go out together: to the least
 * busy worker, sixteen at a time, so that a burst is shared out and a trickle travels in as few messages as possible. No
 * promise and no closure per request: answers come back by number. Refuses nothing; the front end bounds what is in
 * flight.
 */
import { fileURLToPath } from 'node:url';
import { ServiceError, type ErrorCode } from '../errors.js';
import type { Logger } from '../log.js';
import type {
  Batch,
  Connections,
  FrontEndSettings,
  MadeUsersTable,
  RegistryAnswer,
  RegistryRequest,
  StoredUser,
  TaskResult,
  WorkerSettings,
  WorkerTask,
} from '../protocol.js';
import { QueryWorker, type QueryResults } from './query-worker.js';

export type { QueryResults };

/** After this many requests of a tick the next worker is chosen. */
const SHARE = 16;

/** What a caller is told whose password could not be looked at. */
const NO_USERS = 'logins cannot be checked now, try again later';

const WORKER_FILE = fileURLToPath(new URL('../workers/query.js', import.meta.url));

/** QueryPool spreads requests over worker threads and tells what became of them. */
export class QueryPool {
  readonly #workers: readonly QueryWorker[];
  readonly #aliases: readonly string[];
  readonly #flush = (): void => this.#flushAll();
  readonly #sending = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #scheduled = false;
  /** Whether a worker was chosen for the requests of this tick. */
  #chosen = false;
  #current = 0;
  /** Whom each database was last probed by. */
  readonly #probed = new Map<string, number>();
  #asked = 0;

  constructor(
    threads: number,
    settings: FrontEndSettings['worker'],
    results: QueryResults,
    log: Logger,
    filename = WORKER_FILE,
  ) {
    this.#aliases = settings.databases.map((database) => database.alias);
    const full: Omit<WorkerSettings, 'connections'> = {
      ...settings,
      deaths: new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT),
      sending: this.#sending.buffer,
    };
    this.#workers = Array.from(
      { length: threads },
      (_, i) => new QueryWorker(i, filename, full, results, log),
    );
  }

  /** submit queues one packed request and returns the number of the worker that gets it. */
  submit(request: Batch): number {
    if (!this.#chosen) {
      this.#chosen = true;
      this.#schedule();
      this.#current = this.#choose();
    }
    let worker = this.#workers[this.#current]!;
    if (worker.collected >= SHARE && this.#workers.length > 1) {
      this.#current = this.#choose();
      worker = this.#workers[this.#current]!;
    }
    worker.collect(request);
    return this.#current;
  }

  /** abandon tells a worker that nobody waits for a request any more. */
  abandon(worker: number, id: number): void {
    this.#schedule();
    this.#workers[worker]!.abandon(id);
  }

  /**
   * probe asks the next worker whether a database answers: resolves to the reason why not, empty when it does. Rejects
   * when that worker dies meanwhile or is not there.
   */
  async probe(alias: string): Promise<string> {
    const next = ((this.#probed.get(alias) ?? 0) + 1) % this.#workers.length;
    this.#probed.set(alias, next);
    return (await this.#workers[next]!.run({ type: 'probe', alias })) as string;
  }

  /** findUser looks a user up; null when there is none. Rejects with ServiceError `busy` when that cannot be known. */
  async findUser(username: string): Promise<StoredUser | null> {
    const result = await this.#task<TaskResult<StoredUser | null>>({ type: 'user', username });
    if ('failure' in result) throw new ServiceError('busy', NO_USERS);
    return result.value;
  }

  /** renewPassword stores a new hash in the place of an old one. Rejects with an Error that says why it could not. */
  async renewPassword(username: string, from: string, to: string): Promise<void> {
    const result = await this.#task<TaskResult<null>>({ type: 'renew', username, from, to });
    if ('failure' in result) throw new Error(result.failure.reason);
  }

  /** makeUsersTable makes the users table unless it is there. Rejects when no worker could try. */
  makeUsersTable(): Promise<TaskResult<MadeUsersTable>> {
    return this.#task({ type: 'migrate-users' });
  }

  /**
   * registry has a worker answer a request to the registry of scripts. Rejects with ServiceError: `busy` when there is no
   * worker, `worker_lost` when it died over it.
   */
  registry(request: RegistryRequest): Promise<RegistryAnswer> {
    return this.#task({ type: 'registry', request }, 'worker_lost');
  }

  /** sending tells the workers how many bytes of their answers have not been sent yet. */
  sending(bytes: number): void {
    Atomics.store(this.#sending, 0, Math.ceil(bytes / 1024 / this.#workers.length));
  }

  /** allow sets how many connections each worker may hold. */
  allow(connections: Connections): void {
    for (const worker of this.#workers) worker.allow(connections);
  }

  /** scriptsChanged has every worker look at the stored scripts. */
  scriptsChanged(): void {
    for (const worker of this.#workers) worker.scriptsChanged();
  }

  /** connections is how many all workers together hold or may hold. */
  connections(): Connections {
    const sum = (i: number): number =>
      this.#workers.reduce((total, worker) => total + worker.connections(i), 0);
    return Object.fromEntries(this.#aliases.map((alias, i) => [alias, sum(i)]));
  }

  /** close ends the workers; of requests they still have nothing more is heard. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  /** Has a worker that is ready do something now and then asked for; in turns. */
  async #task<Result>(task: WorkerTask, lost: ErrorCode = 'busy'): Promise<Result> {
    this.#asked = (this.#asked + 1) % this.#workers.length;
    const fromHere = [...this.#workers.slice(this.#asked), ...this.#workers.slice(0, this.#asked)];
    const worker = fromHere.find((one) => one.ready) ?? fromHere[0]!;
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

  #flushAll(): void {
    this.#scheduled = false;
    this.#chosen = false;
    for (const worker of this.#workers) worker.flush();
  }

  /** The worker that is ready and has least to do; those after the current one first, so that equals take turns. */
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
