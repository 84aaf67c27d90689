/**
 * The thread that proves the scripts, in the first HTTP process only. It starts after the process has begun to serve, and
 * again, after waits that grow, when it has died. Its connections are lent by a query worker, whose numbers it shares.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { installedFile } from '../../base/installed-file.js';
import { Backoff } from '../../base/backoff.js';
import type { Logger } from '../../observe/log.js';
import { THREAD_DEATHS } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import { updateChunks, type ProofUpdate } from '../../messages/proofs.js';
import type { ProofCache } from '../../messages/proof-cache.js';
import type { ProverSettings } from '../../messages/prover-settings.js';
import { ServerConnections } from '../../messages/server-connections.js';
import type { ProverMessage, ProverReport } from '../../messages/tasks.js';

/** The bundle of '../workers/prover.js', made by scripts/build.mjs. */
const WORKER_FILE = installedFile('dist/programs/prover.js');

/** From the start of the process to the start of the thread, ms: what serves requests starts first. */
const DELAY = 2_000;

/** Wait before another thread, ms, doubled each time up to LONGEST_WAIT; the shortest again after STEADY. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;
const STEADY = 60_000;

/** How long close waits for the thread, which may still be starting, ms. */
const END_LIMIT = 2_000;

/** PostgreSQL takes a moment, ms, to notice that the connections of a dead thread are closed. */
const NOTICED = 50;

/** Heap of the thread, MiB: beyond it only the thread dies. */
const HEAP = 256;

/** A worker must keep a connection of its own to lend one. */
const LEAST = 2;

export interface ProverCallbacks {
  readonly update: (update: ProofUpdate) => void;
  /** The worker has a connection less, or one more. */
  readonly lend: () => void;
}

interface Running {
  readonly piscina: Piscina;
  readonly port: MessagePort;
  readonly started: number;
  /** Resolves when the thread has ended, to the reason if it died. */
  readonly ended: Promise<unknown>;
}

export class ProverThread {
  readonly #settings: ProverSettings;
  /** By the place of the database in the settings. */
  readonly #connections: readonly ServerConnections[];
  readonly #known: ProofCache;
  readonly #callbacks: ProverCallbacks;
  readonly #log: Logger;
  readonly #filename: string;
  readonly #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
  #timer: NodeJS.Timeout | undefined;
  #running: Running | undefined;
  /** The hash of the text that the thread proves, and the hashes of texts in whose proof one died. */
  #proving: string | undefined;
  readonly #deadly = new Set<string>();
  /** Whether it is to start as soon as there are connections for it. */
  #due = false;
  #closed = false;

  /** `known` is what was proved before a thread starts; its owner updates it. */
  constructor(
    settings: ProverSettings,
    known: ProofCache,
    callbacks: ProverCallbacks,
    log: Logger,
    filename = WORKER_FILE,
  ) {
    this.#settings = settings;
    const shared = new Int32Array(settings.connections);
    this.#connections = settings.databases.map((_one, i) => new ServerConnections(shared, i));
    this.#known = known;
    this.#callbacks = callbacks;
    this.#log = log;
    this.#filename = filename;
    // Where nothing else is served, nothing else starts first.
    this.#startIn(settings.mode === 'require' ? 0 : DELAY);
  }

  /** connectionsChanged applies other numbers of connections. */
  connectionsChanged(): void {
    if (this.#due) this.#start();
    else this.#send({ type: 'connections' });
  }

  /** scriptsChanged has it look at the stored scripts at once. */
  scriptsChanged(): void {
    this.#send({ type: 'scripts-changed' });
  }

  /** close ends the thread, but not while it starts: a thread that is ended amid loading an addon crashes. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#due = false;
    clearTimeout(this.#timer);
    const running = this.#running;
    if (running === undefined) return;
    this.#send({ type: 'close' });
    await Promise.race([running.ended, sleep(END_LIMIT, undefined, { ref: false })]);
    await running.piscina.destroy();
  }

  #startIn(wait: number): void {
    this.#timer = setTimeout(() => this.#start(), wait).unref();
  }

  #start(): void {
    this.#due = !this.#lends();
    if (this.#due) return;
    const piscina = new Piscina({
      filename: this.#filename,
      workerData: this.#settings,
      minThreads: 0,
      maxThreads: 1,
      // The thread waits for PostgreSQL's sockets on its own event loop: it must never block in Atomics.wait.
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: HEAP },
      recordTiming: false,
    });
    piscina.on('error', () => undefined); // the task fails too
    const { port1: port, port2 } = new MessageChannel();
    port.on('message', (report: ProverReport) => {
      if (this.#closed || this.#running?.port !== port) return;
      switch (report.type) {
        case 'update':
          this.#callbacks.update(report.update);
          break;
        case 'proving':
          this.#proving = report.text;
          break;
        case 'lend':
          this.#callbacks.lend();
      }
    });
    port.unref();
    const ended = piscina.run({ port: port2 }, { transferList: [port2] }).then(
      () => undefined,
      (error: unknown) => error,
    );
    this.#running = { piscina, port, started: performance.now(), ended };
    for (const update of updateChunks(this.#known.contents()))
      this.#send({ type: 'known', update });
    this.#send({ type: 'start', deadly: this.#deadly });
    void ended.then((error) => this.#died(error));
  }

  /** Whether there is a connection to each database that can be lent: none is yet while a reload hands them over. */
  #lends(): boolean {
    return this.#connections.every(({ allowed }) => allowed >= LEAST);
  }

  #died(error: unknown): void {
    if (this.#closed || this.#running === undefined) return;
    const { piscina, port, started } = this.#running;
    this.#running = undefined;
    counts[THREAD_DEATHS.prover]! += 1;
    if (this.#proving !== undefined) this.#deadly.add(this.#proving);
    this.#proving = undefined;
    port.close();
    void piscina.destroy().catch(() => undefined);
    setTimeout(() => this.#takeBack(), NOTICED).unref();
    if (performance.now() - started >= STEADY) this.#backoff.reset();
    const wait = this.#backoff.next();
    this.#log.error({ err: error, wait }, 'the proof of the scripts has stopped, it starts again');
    this.#startIn(wait);
  }

  /** Ends what a dead thread was lent. */
  #takeBack(): void {
    for (const one of this.#connections) one.lend(0);
    this.#callbacks.lend();
  }

  #send(message: ProverMessage): void {
    this.#running?.port.postMessage(message);
  }
}
