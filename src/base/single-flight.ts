/** One run of an asynchronous task at a time, shared by all callers that want one. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export class SingleFlight {
  /** When the last run began, and when one last ended, in milliseconds of `performance.now()`. */
  began = -Infinity;
  ended = -Infinity;
  readonly #task: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** `task` should not reject: callers of `run` would. */
  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  /** run joins the run in progress, or begins one. */
  run(): Promise<void> {
    return (this.#running ??= this.#run());
  }

  /**
   * runAgain waits for a run that begins after the call, as one in progress may have missed what just happened. Calls
   * share it until it begins. `pause` gives how many milliseconds it waits after the run in progress has ended.
   */
  runAgain(pause: () => number = () => 0): Promise<void> {
    return (this.#next ??= this.#runNext(pause));
  }

  /** Called after each run. */
  protected onEnd(): void {
    // Nothing more to do.
  }

  async #run(): Promise<void> {
    this.began = performance.now();
    try {
      await this.#task();
    } finally {
      this.ended = performance.now();
      this.#running = undefined;
      this.onEnd();
    }
  }

  async #runNext(pause: () => number): Promise<void> {
    try {
      await this.#running;
      const wait = pause();
      if (wait > 0) {
        await sleep(wait);
        await this.#running; // began during the pause, before some of the calls
      }
    } finally {
      this.#next = undefined;
    }
    await this.run();
  }
}
