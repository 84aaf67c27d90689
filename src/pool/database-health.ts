/**
 * Which databases answer, as last seen: a probe every two seconds, read at any time without waiting. A database counts
 * as down until a probe has seen it answer, and again when a probe itself has no answer in time. The log is told when
 * one is found down, with what libpq says of it, and when it is back.
 */
import type { Logger } from '../log.js';
import type { ProbeResult } from '../protocol.js';

const INTERVAL = 2_000;
/** A probe without an answer for this long (milliseconds) means down: well above what a busy worker takes. */
const LIMIT = 5_000;

/** DatabaseHealth keeps the state of each database alias. */
export class DatabaseHealth {
  readonly #states = new Map<string, boolean>();
  /** Aliases that the log knows to be down. */
  readonly #missed = new Set<string>();
  readonly #probe: () => Promise<ProbeResult>;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  /** When the probe under way began (performance.now), or 0. */
  #began = 0;

  constructor(aliases: Iterable<string>, probe: () => Promise<ProbeResult>, log: Logger) {
    for (const alias of aliases) this.#states.set(alias, false);
    this.#probe = probe;
    this.#log = log;
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
      for (const alias of this.#states.keys()) this.#saw(alias, `no answer in ${LIMIT / 1000} s`);
      void this.#ask(now);
    }
  }

  async #ask(began: number): Promise<void> {
    this.#began = began;
    try {
      const result = await this.#probe();
      if (this.#began !== began) return; // too late: another probe took over
      for (const alias of this.#states.keys()) this.#saw(alias, result[alias] ?? 'not probed');
    } catch {
      // The worker died under the probe: that says nothing about databases. The next tick asks another one.
    }
    if (this.#began === began) this.#began = 0;
  }

  /** Takes over why a database did not answer, empty when it did. */
  #saw(alias: string, reason: string): void {
    const up = reason === '';
    this.#states.set(alias, up);
    if (up === !this.#missed.has(alias)) return;
    if (up) {
      this.#missed.delete(alias);
      this.#log.info({ alias }, 'the database answers again');
    } else {
      this.#missed.add(alias);
      const message = reason.trim().replaceAll(/\s*\n\s*/g, ' ');
      this.#log.warn({ alias }, `the database does not answer: ${message}`);
    }
  }
}
