/** Runs a task again some time after the end of each run, until it is stopped. The owner begins the first run. */
import { SingleFlight } from './single-flight.js';

export class Poller extends SingleFlight {
  stopped = false;
  readonly #delay: () => number;
  #timer: NodeJS.Timeout | undefined;

  /** `task` must not reject. `delay` gives the milliseconds from the end of a run to the next. */
  constructor(task: () => Promise<void>, delay: () => number) {
    super(task);
    this.#delay = delay;
  }

  /** wait begins the first run after the delay. */
  wait(): void {
    clearTimeout(this.#timer);
    if (!this.stopped) this.#timer = setTimeout(() => void this.run(), this.#delay()).unref();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.#timer);
  }

  protected override onEnd(): void {
    this.wait();
  }
}
