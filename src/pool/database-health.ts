/**
 * The health of the databases: each is probed every two seconds, by itself, so that a database that hangs does not affect
 * the others, and its state is read without waiting. A database is down until a probe has succeeded, and again when a probe
 * fails or takes too long. `probed` lets a server wait for the first results before it listens. Logged are a database that
 * goes down, with libpq's reason, one that is up again, and once a PostgreSQL that is older than supported.
 */
import type { Logger } from '../log.js';
import type { Probed } from '../tasks.js';
import { unsupportedPostgres } from '../version.js';
import { oneLine } from '../text.js';

const INTERVAL = 2_000;
/** A probe without a result for this long (milliseconds) means down; a worker gives the database less time. */
const LIMIT = 5_000;

/** Rejects when no worker could run the probe. */
export type Probe = (alias: string) => Promise<Probed>;

export class DatabaseHealth {
  /** PostgreSQL's version as libpq's number, of each database that has answered. */
  readonly versions = new Map<string, number>();
  /** Resolves once the first probe of each database has ended, or taken too long. */
  readonly probed: Promise<void>;
  /** Whether each database is up, by alias. */
  readonly states = new Map<string, boolean>();
  /** Aliases that were logged as down. */
  readonly #down = new Set<string>();
  /** Aliases whose version was logged as too old. */
  readonly #old = new Set<string>();
  /** When the probe in progress of each alias began (performance.now). */
  readonly #began = new Map<string, number>();
  /** Aliases whose first probe has not ended. */
  readonly #unprobed: Set<string>;
  #resolveProbed!: () => void;
  readonly #probe: Probe;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;

  constructor(aliases: Iterable<string>, probe: Probe, log: Logger) {
    for (const alias of aliases) this.states.set(alias, false);
    this.#unprobed = new Set(this.states.keys());
    this.probed = new Promise((resolve) => {
      this.#resolveProbed = resolve;
    });
    this.#probe = probe;
    this.#log = log;
    this.#timer = setInterval(() => this.#tick(), INTERVAL);
    this.#tick();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    for (const alias of this.states.keys()) {
      const began = this.#began.get(alias);
      if (began !== undefined && now - began <= LIMIT) continue;
      if (began !== undefined) {
        this.#update(alias, `no answer in ${LIMIT / 1000} s`);
        this.#ended(alias);
      }
      void this.#probeOne(alias, now);
    }
  }

  async #probeOne(alias: string, began: number): Promise<void> {
    this.#began.set(alias, began);
    try {
      const { reason, version } = await this.#probe(alias);
      if (this.#began.get(alias) !== began) return; // too late: there is a newer probe
      this.#update(alias, reason);
      if (version > 0) {
        this.versions.set(alias, version);
        this.#checkVersion(alias, version);
      }
    } catch {
      // The worker died, which says nothing about the database. The next tick uses another one.
    }
    if (this.#began.get(alias) === began) this.#began.delete(alias);
    this.#ended(alias);
  }

  #ended(alias: string): void {
    this.#unprobed.delete(alias);
    if (this.#unprobed.size === 0) this.#resolveProbed();
  }

  #checkVersion(alias: string, version: number): void {
    const message = unsupportedPostgres(version);
    if (message === undefined || this.#old.has(alias)) return;
    this.#old.add(alias);
    this.#log.error({ alias }, message);
  }

  /** `reason` says why the database did not answer; empty when it did. */
  #update(alias: string, reason: string): void {
    const up = reason === '';
    this.states.set(alias, up);
    if (up === !this.#down.has(alias)) return;
    if (up) {
      this.#down.delete(alias);
      this.#log.info({ alias }, 'the database answers again');
    } else {
      this.#down.add(alias);
      const message = oneLine(reason);
      this.#log.warn({ alias }, `the database does not answer: ${message}`);
    }
  }
}
