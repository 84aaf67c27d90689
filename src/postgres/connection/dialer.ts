/**
 * Opens the connections of one database, as many as its quota allows. While the database is unreachable, attempts are
 * made one at a time and with back-off.
 */
import { performance } from 'node:perf_hooks';
import { Backoff } from '../../base/backoff.js';
import { DATABASE } from '../../observe/metrics/catalogue.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';
import { errorText } from '../../base/text.js';
import { connectPipelined } from './connect.js';
import type { Connection } from './connection.js';
import type { Quota } from './connection-quota.js';
import type { Libpq } from './libpq-addon.js';
import { connectionFailure, type SqlFailure } from '../statement/sql-failure.js';

/** Back-off between attempts, ms. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/** How long statements wait for an attempt when those before it have failed, ms. */
const PATIENCE = 1_000;

export interface DialerOptions {
  readonly settings: DatabaseSettings;
  readonly quota: Quota;
  /** The open ones, which `connected` adds to. */
  readonly connections: readonly Connection[];
  /** The database's row of DATABASES. */
  readonly counts: Float64Array;
  /** Gets a new connection, which it owns; an exception counts as a failure to connect. */
  readonly connected: (pq: Libpq) => void;
  /** There is a new connection for the jobs that wait. */
  readonly ready: () => void;
  /** Whether jobs wait for a connection. */
  readonly isNeeded: () => boolean;
  /** Attempts failed, and there is no connection. */
  readonly unreachable: (failure: SqlFailure) => void;
}

export class Dialer {
  /** PostgreSQL's version, as libpq's number, on the newest connection; 0 before the first one. */
  version = 0;
  /** Attempts in progress. */
  opening = 0;
  readonly #options: DialerOptions;
  #settings: DatabaseSettings;
  readonly #backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
  /** When the last attempt began, and the earliest time of the next one, ms. */
  #attemptedAt = 0;
  #resumeAt = 0;
  /** Why the last attempt failed, and when the first of a series did, ms; undefined after a success. */
  #failure: SqlFailure | undefined;
  #failedAt = 0;
  #closed = false;

  constructor(options: DialerOptions) {
    this.#options = options;
    this.#settings = options.settings;
  }

  /** outage is the failure to report at once at time `now`, because the database is unreachable. */
  outage(now: number): SqlFailure | undefined {
    if (this.#options.connections.length > 0 || this.#backoff.wait === 0) return undefined;
    const out = this.opening === 0 ? now < this.#resumeAt : now - this.#attemptedAt > PATIENCE;
    return out ? this.#failure : undefined;
  }

  /** dial opens one more connection unless the quota or the back-off forbids it; `urgent` as in Quota.take. */
  dial(now: number, urgent = false): void {
    if (this.#closed || now < this.#resumeAt) return;
    const { connections, quota } = this.#options;
    if (this.opening > 0 && connections.length === 0) return; // one attempt shows whether the server answers
    if (!quota.take(urgent)) return;
    this.opening++;
    this.#attemptedAt = now;
    void this.#open(now);
  }

  /** redirect makes further connections with another connection string; one that is being made is closed. */
  redirect(conninfo: string): void {
    this.#settings = { ...this.#settings, conninfo };
  }

  /** close makes no more attempts; a connection that is being made is closed when it is made. */
  close(): void {
    this.#closed = true;
  }

  /** Opens a connection that is counted already. Never rejects. */
  async #open(began: number): Promise<void> {
    const settings = this.#settings;
    const { quota, counts, connected, ready } = this.#options;
    let kept = true;
    try {
      const pq = await connectPipelined(settings);
      this.version = pq.serverVersion();
      kept = !this.#closed && settings === this.#settings;
      if (!kept) pq.finish();
      else connected(pq);
    } catch (error) {
      counts[DATABASE.opened.failed]! += 1;
      this.opening--;
      quota.release();
      this.#failed(connectionFailure(errorText(error), '08001'), began);
      return;
    }
    counts[DATABASE.opened.opened]! += 1;
    this.opening--;
    if (!kept) quota.release();
    if (this.#closed) return;
    this.#backoff.reset();
    this.#resumeAt = 0;
    this.#failure = undefined;
    ready();
  }

  #failed(failure: SqlFailure, began: number): void {
    const now = performance.now();
    const { connections, isNeeded, unreachable } = this.#options;
    const first = this.#failure === undefined;
    this.#failure = failure;
    // A restart of the server ends attempts as well as connections: only one that began after a failure proves an outage.
    if (first || began < this.#failedAt) {
      if (first) this.#failedAt = now;
      if (isNeeded()) this.dial(now);
      return;
    }
    this.#resumeAt = now + this.#backoff.next();
    if (connections.length === 0 && this.opening === 0) unreachable(failure);
  }
}
