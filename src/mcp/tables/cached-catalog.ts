/**
 * The tables of one database as one role sees them, cached in memory and refreshed beside the requests: callers wait only
 * for tables that have expired, and only for a moment; while the database is unreachable they get what was read last.
 * Before anything was read, callers wait for the first attempt, for a moment once that has failed, and are then refused
 * with ServiceError.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { LogOnce } from '../../base/log-once.js';
import { CATALOG_READS } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import { StatementFailure } from '../../postgres/statement/queryable.js';
import { Refresh } from '../../base/refresh.js';
import type { CatalogLoader, CatalogSnapshot } from './catalog-loader.js';
import type { ReadableTables } from './table-set.js';

/** From one refresh to the next, ms; longer when they take long, so that they take this part of the time, capped at LONGEST. */
const INTERVAL = 1_000;
const PART = 1 / 10;
const LONGEST = 5_000;

/** Intervals after which callers wait for a refresh, and how long after it began they stop waiting, ms. */
const EXPIRY = 2;
const PATIENCE = 300;

/** Between the beginnings of refreshes that callers demand, ms, and how many times as long as the last one took. */
const PAUSE = 200;
const PAUSE_TIMES = 5;

export class CachedCatalog {
  readonly #alias: string;
  readonly #loader: CatalogLoader;
  readonly #log: Logger;
  readonly #refresh: Refresh;
  readonly #failures = new LogOnce();
  #snapshot: CatalogSnapshot | undefined;
  /** Why the last refresh failed; undefined when it did not. */
  #failure: unknown;

  constructor(alias: string, loader: CatalogLoader, log: Logger) {
    this.#alias = alias;
    this.#loader = loader;
    this.#log = log;
    let loads = 0;
    // The first load, which reads everything, does not count.
    const interval = (took: number): number =>
      this.#snapshot === undefined || ++loads === 1
        ? INTERVAL
        : Math.min(Math.max(INTERVAL, took / PART), LONGEST);
    this.#refresh = new Refresh(() => this.#load(), interval, EXPIRY);
  }

  /** current gives the cached tables. Rejects with ServiceError if they were never read. */
  current(): ReadableTables | Promise<ReadableTables> {
    const cached = this.#snapshot?.tables;
    if (cached === undefined && this.#failure === undefined)
      return this.#loaded(this.#refresh.run());
    const now = performance.now();
    if (this.#refresh.isUsable(now) && cached !== undefined) return cached;
    const refreshed = this.#refresh.run();
    const patience = this.#refresh.began + PATIENCE - now;
    if (patience <= 0 && cached !== undefined) return cached;
    return this.#loaded(Promise.race([refreshed, sleep(Math.max(0, patience))]));
  }

  /** renewed gives the tables after a refresh that begins now or later. Rejects as current does. */
  renewed(): Promise<ReadableTables> {
    const pause = (): number => {
      const { began, ended } = this.#refresh;
      return began + Math.max(PAUSE, (ended - began) * PAUSE_TIMES) - performance.now();
    };
    return this.#loaded(this.#refresh.runAgain(pause));
  }

  async #loaded(refreshed: Promise<void>): Promise<ReadableTables> {
    await refreshed;
    if (this.#snapshot !== undefined) return this.#snapshot.tables;
    // Errors of the service say what they mean: a role that is missing, a full queue.
    if (this.#failure instanceof ServiceError) throw this.#failure;
    throw new ServiceError(
      'busy',
      `the tables of the database "${this.#alias}" cannot be read now, try again later`,
      { cause: this.#failure },
    );
  }

  async #load(): Promise<void> {
    try {
      this.#snapshot = await this.#loader.load(this.#snapshot);
      counts[CATALOG_READS.succeeded]! += 1;
      this.#failure = undefined;
      this.#failures.end();
    } catch (error) {
      counts[CATALOG_READS.failed]! += 1;
      this.#failure = error;
      const reason = error instanceof StatementFailure ? error.reason : String(error);
      if (!this.#failures.isNew(reason)) return;
      const served = this.#snapshot === undefined ? '' : ', what was read last is served';
      const alias = this.#alias;
      this.#log.warn({ alias }, `the tables cannot be read for MCP clients${served}: ${reason}`);
    }
  }
}
