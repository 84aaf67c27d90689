/**
 * Keeps one HTTP process running: replaces it when it dies, after waits that grow with each death in a row, until it is
 * drained or killed.
 */
import { Backoff } from '../../base/backoff.js';
import { connectionsOf, type CancelledCall, type Connections } from '../../messages/ipc.js';
import type { Logger } from '../../observe/log.js';
import type { ProofUpdate } from '../../messages/proofs.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';
import type { HttpSettings } from '../../messages/http-settings.js';
import { totals } from './connection-handover.js';
import {
  HttpProcessHandle,
  type HttpProcessExit,
  type SharedState,
} from './http-process-handle.js';
import type { ServedProofs } from './served-proofs.js';

/** Wait before a replacement (milliseconds): doubled with each death up to the last. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5_000;

/** After a process has run this long (milliseconds) waits start at the shortest again. */
const STEADY = 30_000;

export class HttpProcessSlot {
  /** As configured. */
  readonly settings: HttpSettings;
  /** Resolves when the last process has exited: true when it cut no request off. */
  readonly ended: Promise<boolean>;
  /** See HttpProcessHandle. */
  onConnections: (connections: Connections) => void = () => undefined;
  /** See HttpProcessHandle. */
  onCancelled: (calls: readonly CancelledCall[]) => void = () => undefined;
  readonly #log: Logger;
  readonly #shared: SharedState;
  readonly #proofs: ServedProofs;
  /** Settings of the next process: with the port that was picked, and the current connection quota. */
  #settings: HttpSettings;
  #process: HttpProcessHandle;
  #started = performance.now();
  readonly #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
  #timer: NodeJS.Timeout | undefined;
  #ending = false;
  #discarded = false;
  #end!: (clean: boolean) => void;

  /** `connections` is how many connections each query thread may hold at first, by default as configured. */
  constructor(
    settings: HttpSettings,
    log: Logger,
    shared: SharedState,
    proofs: ServedProofs,
    connections: Connections = {},
  ) {
    this.settings = settings;
    this.#settings = withConnections(settings, connections);
    this.#log = log;
    this.#shared = shared;
    this.#proofs = proofs;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#process = this.#start();
    proofs.add(this);
    void this.ended.then(() => proofs.remove(this));
  }

  /** listening resolves to the port of the first process, which later ones use. Rejects when it cannot start. */
  async listening(): Promise<number> {
    const port = await this.#process.listening;
    this.#settings = { ...this.#settings, port };
    return port;
  }

  /** allow sets how many connections each query thread may hold, in this process and its successors. */
  allow(connections: Connections): void {
    this.#settings = withConnections(this.#settings, connections);
    if (this.#timer === undefined) this.#process.allow(connections);
    else this.#reportNext();
  }

  scriptsChanged(): void {
    this.#process.scriptsChanged();
  }

  proved(update: ProofUpdate): void {
    this.#process.proved(update);
  }

  cancelCalls(calls: readonly CancelledCall[]): void {
    this.#process.cancelCalls(calls);
  }

  /** stopListening has the process accept no more connections; it is not replaced any more. */
  stopListening(): Promise<void> {
    this.#finish();
    return this.#process.stopListening();
  }

  drain(): void {
    this.#finish();
    this.#process.drain();
  }

  kill(): void {
    this.#finish();
    this.#process.kill();
  }

  /** discard kills a process that has served no request, so that none is cut off. */
  discard(): void {
    this.#discarded = true;
    this.kill();
  }

  #finish(): void {
    this.#ending = true;
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#end(true); // the process has died and not been replaced yet
  }

  /** Reports what the next process may hold: the last one has died, and holds none. */
  #reportNext(): void {
    this.onConnections(totals([this.#settings]));
  }

  #start(): HttpProcessHandle {
    this.#timer = undefined;
    this.#started = performance.now();
    const started = new HttpProcessHandle(
      this.#settings,
      this.#shared,
      this.#proofs,
      (connections) => this.onConnections(connections),
      (calls) => this.onCancelled(calls),
    );
    void started.exited.then((exit) => this.#exited(exit));
    return started;
  }

  #exited(exit: HttpProcessExit): void {
    const { pid, accepted } = this.#process;
    if (this.#ending) {
      // One that was still starting may not have handled a signal to the process group yet.
      const clean = exit.code === 0 || this.#discarded || !accepted;
      if (!clean) this.#log.warn({ ...exit, pid }, 'an HTTP process did not end cleanly');
      this.#end(clean);
      return;
    }
    if (performance.now() - this.#started >= STEADY) this.#backoff.reset();
    const wait = this.#backoff.next();
    this.#log.error({ ...exit, pid, wait }, 'an HTTP process died');
    this.#reportNext();
    this.#timer = setTimeout(() => {
      this.#shared.metrics.restarts.death++;
      this.#process = this.#start();
      this.#process.listening.catch((error: unknown) =>
        this.#log.error({ err: error }, 'an HTTP process could not be replaced yet'),
      );
    }, wait);
  }
}

function withConnections(settings: HttpSettings, connections: Connections): HttpSettings {
  const limited = <Server extends DatabaseSettings>(server: Server): Server => ({
    ...server,
    connections: connectionsOf(connections, server.alias) ?? server.connections,
  });
  const { worker } = settings;
  const databases = worker.databases.map(limited);
  const replicas = worker.replicas.map(limited);
  return { ...settings, worker: { ...worker, databases, replicas } };
}
