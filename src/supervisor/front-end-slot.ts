/**
 * The place of one front end: keeps a process running in it, replacing one that dies after a wait that grows while
 * deaths follow one another. Once it is drained or killed nothing is started any more.
 */
import type { Logger } from '../log.js';
import { connectionsOf, type Connections, type FrontEndSettings } from '../protocol.js';
import { FrontEndProcess, type FrontEndExit, type FrontEndMemory } from './front-end-process.js';

/** Wait before a replacement (milliseconds): doubled with each death up to the last. */
const WAIT_FIRST = 100;
const WAIT_LAST = 5_000;

/** A process that lived this long (milliseconds) starts the waits anew. */
const STEADY = 30_000;

/** FrontEndSlot keeps one front end alive. */
export class FrontEndSlot {
  /** As configured. */
  readonly settings: FrontEndSettings;
  /** Called with the connections that its process holds, see FrontEndProcess. */
  onHolds: (connections: Connections) => void = () => undefined;
  readonly #log: Logger;
  readonly #memory: FrontEndMemory;
  /** What a process is started with: the port that was picked, the connections allowed now. */
  #settings: FrontEndSettings;
  #process: FrontEndProcess;
  #started = performance.now();
  #wait = WAIT_FIRST;
  #timer: NodeJS.Timeout | undefined;
  #ending = false;
  #discarded = false;
  readonly #ended: Promise<boolean>;
  #end!: (clean: boolean) => void;

  /**
   * `memory` is what its processes share with all others. `connections` is how many of them each query thread may hold for now,
   * if not as many as configured.
   */
  constructor(
    settings: FrontEndSettings,
    log: Logger,
    memory: FrontEndMemory,
    connections: Connections = {},
  ) {
    this.settings = settings;
    this.#settings = withConnections(settings, connections);
    this.#log = log;
    this.#memory = memory;
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#process = this.#start();
  }

  /** pid is the number of the process that runs now, or of the last one. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** ended resolves when the last process of the slot is gone: true when it cut nothing off. */
  get ended(): Promise<boolean> {
    return this.#ended;
  }

  /** listening waits for the first process and returns its port, which later ones use. Rejects when it cannot start. */
  async listening(): Promise<number> {
    const port = await this.#process.listening;
    this.#settings = { ...this.#settings, port };
    return port;
  }

  /** allow sets how many connections each query thread may hold, in this process and those that replace it. */
  allow(connections: Connections): void {
    this.#settings = withConnections(this.#settings, connections);
    this.#process.allow(connections);
  }

  /** scriptsChanged tells its process that stored scripts may have changed. */
  scriptsChanged(): void {
    this.#process.scriptsChanged();
  }

  /** unlisten takes no new connections, for good: what dies is not replaced. Resolves when that is so. */
  unlisten(): Promise<void> {
    this.#finish();
    return this.#process.unlisten();
  }

  /** drain finishes what is in flight and ends the slot. */
  drain(): void {
    this.#finish();
    this.#process.drain();
  }

  /** kill ends the slot at once. */
  kill(): void {
    this.#finish();
    this.#process.kill();
  }

  /** discard kills a slot that has served nobody, so that nothing is cut off. */
  discard(): void {
    this.#discarded = true;
    this.kill();
  }

  #finish(): void {
    this.#ending = true;
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#end(true); // dead and not replaced yet: there is nothing to wait for
  }

  #start(): FrontEndProcess {
    this.#timer = undefined;
    this.#started = performance.now();
    const started = new FrontEndProcess(this.#settings, this.#memory, (held) => this.onHolds(held));
    void started.exited.then((exit) => this.#exited(exit));
    return started;
  }

  #exited(exit: FrontEndExit): void {
    if (this.#ending) {
      const clean = exit.code === 0 || this.#discarded;
      if (!clean) this.#log.warn({ ...exit, pid: this.pid }, 'a front end did not end cleanly');
      this.#end(clean);
      return;
    }
    if (performance.now() - this.#started >= STEADY) this.#wait = WAIT_FIRST;
    this.#log.error({ ...exit, pid: this.pid, wait: this.#wait }, 'a front end died');
    this.#timer = setTimeout(() => {
      this.#process = this.#start();
      this.#process.listening.catch((error: unknown) =>
        this.#log.error({ err: error }, 'a front end could not be replaced yet'),
      );
    }, this.#wait);
    this.#wait = Math.min(this.#wait * 2, WAIT_LAST);
  }
}

function withConnections(settings: FrontEndSettings, connections: Connections): FrontEndSettings {
  const databases = settings.worker.databases.map((database) => ({
    ...database,
    connections: connectionsOf(connections, database.alias) ?? database.connections,
  }));
  return { ...settings, worker: { ...settings.worker, databases } };
}
