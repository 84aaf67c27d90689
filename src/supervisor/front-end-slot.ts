/**
 * The place of one front end: keeps a process running in it, replacing one that dies after a wait that grows while
 * deaths follow one another. Once it is drained or killed nothing is started any more.
 */
import type { Logger } from '../log.js';
import type { FrontEndSettings } from '../protocol.js';
import { FrontEndProcess, type FrontEndExit } from './front-end-process.js';

/** Wait before a replacement (milliseconds): doubled with each death up to the last. */
const WAIT_FIRST = 100;
const WAIT_LAST = 5_000;

/** A process that lived this long (milliseconds) starts the waits anew. */
const STEADY = 30_000;

/** FrontEndSlot keeps one front end alive. */
export class FrontEndSlot {
  readonly #log: Logger;
  #settings: FrontEndSettings;
  #process: FrontEndProcess;
  #started = performance.now();
  #wait = WAIT_FIRST;
  #timer: NodeJS.Timeout | undefined;
  #ending = false;
  readonly #ended: Promise<boolean>;
  #end!: (clean: boolean) => void;

  constructor(settings: FrontEndSettings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
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

  #finish(): void {
    this.#ending = true;
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#end(true); // dead and not replaced yet: there is nothing to wait for
  }

  #start(): FrontEndProcess {
    this.#timer = undefined;
    this.#started = performance.now();
    const started = new FrontEndProcess(this.#settings);
    void started.exited.then((exit) => this.#exited(exit));
    return started;
  }

  #exited(exit: FrontEndExit): void {
    if (this.#ending) {
      this.#end(exit.code === 0);
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
