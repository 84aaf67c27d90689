/**
 * Which databases answer, as last seen: a probe of each every two seconds, read at any time without waiting. Each is
 * probed by itself, so that one that hangs says nothing of another. A database counts as down until a probe has seen it
 * answer, and again when a probe itself has no answer in time. The log is told when one is found down, with what libpq
 * says of it, and when it is back.
 */
import type { Logger } from '../log.js';

const INTERVAL = 2_000;
/** A probe of which a worker says nothing for this long (milliseconds) means down: it gives a database less time. */
const LIMIT = 5_000;

/** Probe resolves to the reason why a database does not answer, empty when it does; rejects when nobody could ask. */
export type Probe = (alias: string) => Promise<string>;

/** DatabaseHealth keeps the state of each database alias. */
export class DatabaseHealth {
  readonly #states = new Map<string, boolean>();
  /** Aliases that the log knows to be down. */
  readonly #missed = new Set<string>();
  /** When the probe under way of each began (performance.now). */
  readonly #began = new Map<string, number>();
  readonly #probe: Probe;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;

  constructor(aliases: Iterable<string>, probe: Probe, log: Logger) {
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
    for (const alias of this.#states.keys()) {
      const began = this.#began.get(alias);
      if (began !== undefined && now - began <= LIMIT) continue;
      if (began !== undefined) this.#saw(alias, `no answer in ${LIMIT / 1000} s`);
      void this.#ask(alias, now);
    }
  }

  async #ask(alias: string, began: number): Promise<void> {
    this.#began.set(alias, began);
    try {
      const reason = await this.#probe(alias);
      if (this.#began.get(alias) !== began) return; // too late: another probe took over
      this.#saw(alias, reason);
    } catch {
      // The worker died under the probe: that says nothing about the database. The next tick asks another one.
    }
    if (this.#began.get(alias) === began) this.#began.delete(alias);
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
