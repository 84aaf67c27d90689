/**
 * The health of the databases: each is probed every two seconds, by itself, so that a database that hangs does not affect
 * the others, and its state is read without waiting. A database is down until a probe has succeeded, and again when a probe
 * fails or takes too long. `probed` lets a server wait for the first results before it listens. Logged are a database that
 * goes down, with libpq's reason, one that is up again, and once what an engine lacks, or that it is not supported.
 */
import type { Logger } from '../../observe/log.js';
import type { Engine } from '../../base/engine.js';
import type { Probed } from '../../messages/tasks.js';
import { oneLine } from '../../base/text.js';

const INTERVAL = 2_000;
/** A probe without a result for this long (milliseconds) means down; a worker gives the database less time. */
const LIMIT = 5_000;

/** Rejects when no worker could run the probe. */
export type Probe = (alias: string) => Promise<Probed>;

export class DatabaseHealth {
  /** What each database is that has answered. */
  readonly engines = new Map<string, Engine>();
  /** Resolves once the first probe of each database has ended, or taken too long. */
  readonly probed: Promise<void>;
  /** Whether each database is up, by alias: one of which only replicas answer is up, too. */
  readonly states = new Map<string, boolean>();
  /** Aliases of databases of which only replicas answer. */
  readonly readOnly = new Set<string>();
  /** Aliases that were logged as down. */
  readonly #down = new Set<string>();
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
      const { reason, engine, readOnly } = await this.#probe(alias);
      if (this.#began.get(alias) !== began) return; // too late: there is a newer probe
      if (readOnly === true) this.readOnly.add(alias);
      else this.readOnly.delete(alias);
      this.#update(alias, reason);
      if (engine !== undefined) this.#answered(alias, engine);
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

  #answered(alias: string, engine: Engine): void {
    const { title, lacks, unsupported } = engine;
    const before = this.engines.get(alias);
    this.engines.set(alias, engine);
    if (before?.title === title) return;
    if (unsupported !== undefined) this.#log.error({ alias }, unsupported);
    if (lacks.length > 0)
      this.#log.warn({ alias }, `the database is ${title}: ${lacks.join('; ')}`);
  }

  /** `reason` says why the database did not answer; empty when it did. */
  #update(alias: string, reason: string): void {
    const up = reason === '';
    this.states.set(alias, up);
    if (!up) this.readOnly.delete(alias);
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
