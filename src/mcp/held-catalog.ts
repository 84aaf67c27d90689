/**
 * The tables of one database as one role sees them, held in memory. Whether that is still so is looked at beside the
 * requests, while somebody asks and not more often than it is worth: nobody waits for it who has something to go by. Once
 * something is held it is served on when the database is away. Until then whoever asks waits for the first attempt, for a
 * moment once that has failed, and is refused with ServiceError.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import { StatementFailure } from '../pg/asked.js';
import type { CatalogLoader, CatalogSnapshot } from './catalog-loader.js';
import type { ReadableTables } from './table-set.js';

/** From one look to the next, ms; longer when looks take long, so that they take this part of the time, up to the last. */
const INTERVAL = 1_000;
const PART = 1 / 10;
const LONGEST = 5_000;

/** After so many intervals without a look it is worth to wait a moment for it, ms: nobody has asked meanwhile. */
const STALE = 2;
const PATIENCE = 300;

/** From the beginning of one look to the next one that somebody asks for, ms, and how many times what the last one took. */
const PAUSE = 200;
const PART_ASKED = 5;

export class HeldCatalog {
  readonly #alias: string;
  readonly #loader: CatalogLoader;
  readonly #log: Logger;
  #snapshot: CatalogSnapshot | undefined;
  /** The look under way; it never rejects. */
  #look: Promise<void> | undefined;
  /** The one after it, for those who ask for one. */
  #next: Promise<ReadableTables> | undefined;
  #began = -Infinity;
  #ended = -Infinity;
  #interval = INTERVAL;
  /** Why the last look failed; undefined when it did not. */
  #failure: unknown;
  /** What was said of that, so that it is said once. */
  #said: string | undefined;

  constructor(alias: string, loader: CatalogLoader, log: Logger) {
    this.#alias = alias;
    this.#loader = loader;
    this.#log = log;
  }

  /** current gives what is held, and sees to it that it is looked at. Rejects with ServiceError when there is nothing. */
  current(): ReadableTables | Promise<ReadableTables> {
    const held = this.#snapshot?.tables;
    if (held === undefined && this.#failure === undefined) return this.#looked();
    const now = performance.now();
    const age = now - this.#ended;
    if (held !== undefined && age < this.#interval) return held;
    const look = this.#lookNow();
    // One that runs for longer already is worth nobody's wait any more.
    const patience = this.#began + PATIENCE - now;
    if (held !== undefined && (age < STALE * this.#interval || patience <= 0)) return held;
    return Promise.race([look, sleep(Math.max(0, patience))]).then(() => this.#held());
  }

  /** renewed gives what there is after a look begun from now on, if that tells. Rejects as current does. */
  renewed(): Promise<ReadableTables> {
    return (this.#next ??= this.#lookAgain());
  }

  async #lookAgain(): Promise<ReadableTables> {
    await this.#look;
    const pause = Math.max(PAUSE, (this.#ended - this.#began) * PART_ASKED);
    const wait = this.#began + pause - performance.now();
    if (wait > 0) await sleep(wait);
    await this.#look; // begun meanwhile, before some of those who wait for this one
    this.#next = undefined;
    return this.#looked();
  }

  async #looked(): Promise<ReadableTables> {
    await this.#lookNow();
    return this.#held();
  }

  #lookNow(): Promise<void> {
    return (this.#look ??= this.#load().finally(() => (this.#look = undefined)));
  }

  async #load(): Promise<void> {
    this.#began = performance.now();
    const isFirst = this.#snapshot === undefined;
    try {
      this.#snapshot = await this.#loader.load(this.#snapshot);
      this.#failure = this.#said = undefined;
    } catch (error) {
      this.#failure = error;
      this.#complain(error);
    }
    this.#ended = performance.now();
    const worth = isFirst ? 0 : (this.#ended - this.#began) / PART;
    this.#interval = Math.min(Math.max(INTERVAL, worth), LONGEST);
  }

  #held(): ReadableTables {
    if (this.#snapshot !== undefined) return this.#snapshot.tables;
    // Refusals of ours say what they mean: that of a role, of a queue that is full.
    if (this.#failure instanceof ServiceError) throw this.#failure;
    throw new ServiceError(
      'busy',
      `the tables of the database "${this.#alias}" cannot be read now, try again later`,
      { cause: this.#failure },
    );
  }

  #complain(error: unknown): void {
    const reason = error instanceof StatementFailure ? error.reason : String(error);
    if (reason === this.#said) return;
    this.#said = reason;
    const served = this.#snapshot === undefined ? '' : ', what was read last is served';
    const alias = this.#alias;
    this.#log.warn({ alias }, `the tables cannot be read for MCP clients${served}: ${reason}`);
  }
}
