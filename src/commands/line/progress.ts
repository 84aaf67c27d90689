/** One line on a terminal that says how far a command is. Elsewhere nothing is written. */
import { printable } from './printable.js';

/** Least time between two updates, ms. */
const INTERVAL = 100;
const CLEAR = '\r\u001b[K';

export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export class Progress {
  readonly #output: ProgressOutput;
  readonly #now: () => number;
  #last = -Infinity;
  #shown = false;

  constructor(output: ProgressOutput, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  /** show replaces the line, at most ten times a second. */
  show(text: string): void {
    if (this.#output.isTTY !== true) return;
    const now = this.#now();
    if (now - this.#last < INTERVAL) return;
    this.#last = now;
    this.#shown = true;
    this.#output.write(CLEAR + printable(text).slice(0, (this.#output.columns ?? 80) - 1));
  }

  end(): void {
    if (this.#shown) this.#output.write(CLEAR);
    this.#shown = false;
  }
}
