/** Runs one proof at a time. Refuses further ones when too many are waiting. */
import { ServiceError } from '../../base/errors.js';

/** Most tasks that wait. */
const MOST_WAITING = 8;

export class ProofQueue {
  readonly #waiting: (() => void)[] = [];
  #running = false;

  /** run tells a task whether it has waited. It rejects as the task does, or with ServiceError `busy`. */
  async run<Result>(task: (waited: boolean) => Promise<Result>): Promise<Result> {
    const waits = this.#running;
    if (waits) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new ServiceError('busy', 'too many scripts wait for their proof already');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running = true;
    try {
      return await task(waits);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running = false;
      else next();
    }
  }
}
