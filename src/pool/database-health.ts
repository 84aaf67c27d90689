/**
 * Which databases answer, as last seen: a probe every two seconds, read at any time without waiting. A database counts
 * as down until a probe has seen it answer, and again when a probe itself has no answer in time.
 */
import type { ProbeResult } from '../protocol.js';

const INTERVAL = 2_000;
/** A probe without an answer for this long (milliseconds) means down: well above what a busy worker takes. */
const LIMIT = 5_000;

/** DatabaseHealth keeps the state of each database alias. */
export class DatabaseHealth {
  readonly #states = new Map<string, boolean>();
  readonly #probe: () => Promise<ProbeResult>;
  readonly #timer: NodeJS.Timeout;
  /** When the probe under way began (performance.now), or 0. */
  #began = 0;

  constructor(aliases: Iterable<string>, probe: () => Promise<ProbeResult>) {
    for (const alias of aliases) this.#states.set(alias, false);
    this.#probe = probe;
    this.#timer = setInterval(() => this.#tick(), INTERVAL);
    this.#tick();
  }

  /** states is each alias with whether its database answered. */
  get states(): ReadonlyMap<string, boolean> {
    return this.#states;
  }

  /** stop ends the probing. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    if (this.#began === 0) void this.#ask(now);
    else if (now - this.#began > LIMIT) {
      for (const alias of this.#states.keys()) this.#states.set(alias, false);
      void this.#ask(now);
    }
  }

  async #ask(began: number): Promise<void> {
    this.#began = began;
    try {
      const result = await this.#probe();
      if (this.#began !== began) return; // too late: another probe took over
      for (const alias of this.#states.keys()) this.#states.set(alias, result[alias] === true);
    } catch {
      // The worker died under the probe: that says nothing about databases. The next tick asks another one.
    }
    if (this.#began === began) this.#began = 0;
  }
}
