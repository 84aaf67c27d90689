/**
 * Notices a process that has stopped responding: stopped by a signal, or with an event loop that does not turn. It is pinged
 * again and again; unanswered intervals are counted instead of time, because a machine that sleeps and a container that is
 * paused stop the timer as well.
 */

/** Time between two pings (milliseconds), and how many intervals in a row may pass without an answer: half a minute. */
const INTERVAL = 5_000;
const LIMIT = 6;

export class Heartbeat {
  readonly #timer: NodeJS.Timeout;
  /** Intervals since the ping that has no answer. */
  #silent = 0;

  /** `lost` is called once, when the process has not answered for too long. */
  constructor(ping: () => void, lost: () => void, interval = INTERVAL) {
    this.#timer = setInterval(() => {
      if (this.#silent++ === 0) ping();
      if (this.#silent <= LIMIT) return;
      this.stop();
      lost();
    }, interval);
    this.#timer.unref();
  }

  answered(): void {
    this.#silent = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
