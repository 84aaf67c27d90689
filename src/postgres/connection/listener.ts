/**
 * Receives notifications on a channel of PostgreSQL (LISTEN), on a connection of its own, which is opened again with
 * back-off whenever it is lost. As notifications may have been missed meanwhile, each new connection counts as one. A server
 * that knows no LISTEN is not asked again. Never blocks and never throws. Behind a pooler that shares sessions notifications
 * may never arrive.
 */
import { performance } from 'node:perf_hooks';
import { READABLE, SocketWatcher } from '../../native/socket-watcher.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';
import { connect } from './connect.js';
import type { Libpq } from './libpq-addon.js';
import { lacksFeature } from '../statement/sql-failure.js';
import { identifier } from '../../base/quote.js';
import { errorText, oneLine } from '../../base/text.js';
import { Backoff } from '../../base/backoff.js';

/** Back-off between attempts to connect, ms. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

/** Interval of checks of the connection, and the time limit of each, ms: a peer may acknowledge packets and not answer. */
const CHECK = 10_000;

/** An outage is logged after this time, ms; a connection that lasted so long resets the back-off. */
const LONG = 3_000;

/** Statuses of a statement that succeeded. */
const DONE: ReadonlySet<string> = new Set(['PGRES_COMMAND_OK', 'PGRES_TUPLES_OK']);

export interface Subscription {
  readonly channel: string;
  /** Other payloads are ignored. */
  readonly payload: string;
  /** One or more notifications arrived, or may have been missed. */
  notified(): void;
  /** Nothing can be received for a while, for that reason; called once for an outage. */
  lost(reason: string): void;
  /** After `lost`. */
  restored(): void;
  /** Nothing can ever be received, for that reason: the server has no notifications. */
  unavailable(reason: string): void;
}

export class Listener {
  readonly #settings: DatabaseSettings;
  readonly #subscription: Subscription;
  #pq: Libpq | undefined;
  #watcher: SocketWatcher | undefined;
  /** When LISTEN succeeded on this connection, ms; undefined without a connection. */
  #since: number | undefined;
  /** When the last connection was lost, ms. */
  #lostAt = performance.now();
  #reported = false;
  readonly #backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
  #timer: NodeJS.Timeout | undefined;
  #check: NodeJS.Timeout | undefined;
  #pending = false;
  #closed = false;

  constructor(settings: DatabaseSettings, subscription: Subscription) {
    this.#settings = settings;
    this.#subscription = subscription;
    this.#connect();
  }

  /** close closes the connection; one that is being made is closed when it is made. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#end();
  }

  #connect(): void {
    connect(this.#settings)
      .then((pq) => {
        if (this.#closed) pq.finish();
        else this.#listen(pq);
      })
      .catch((error: unknown) => {
        this.#lose(errorText(error));
      });
  }

  #listen(pq: Libpq): void {
    this.#pq = pq;
    pq.setNonBlocking(true);
    this.#watcher = new SocketWatcher(pq.socket(), () => this.#read(pq));
    this.#watcher.watch(READABLE);
    this.#check = setInterval(() => {
      if (this.#pending) this.#lose(`no answer in ${CHECK / 1000} s`);
      else this.#send(pq, 'SELECT');
    }, CHECK).unref();
    this.#send(pq, `LISTEN ${identifier(this.#subscription.channel)}`);
  }

  #send(pq: Libpq, sql: string): void {
    this.#pending = true;
    // A statement this short always fits into the socket.
    if (!pq.sendQuery(sql) || pq.flush() < 0) this.#lose(pq.errorMessage());
  }

  #read(pq: Libpq): void {
    if (!pq.consumeInput()) {
      this.#lose(pq.errorMessage());
      return;
    }
    const { channel, payload } = this.#subscription;
    let notified = this.#pending && this.#answered(pq) && this.#begins();
    if (this.#since === undefined) return;
    for (let next = pq.notifies(); next !== undefined; next = pq.notifies())
      if (next.relname === channel && next.extra === payload) notified = true;
    if (notified) this.#subscription.notified();
  }

  /** Notes that LISTEN succeeded; false if it had before, on this connection. */
  #begins(): boolean {
    if (this.#since !== undefined) return false;
    this.#since = performance.now();
    if (this.#reported) this.#subscription.restored();
    this.#reported = false;
    return true;
  }

  /** Reads the results of the statement in flight: true when all of them arrived, and it succeeded. */
  #answered(pq: Libpq): boolean {
    while (!pq.isBusy()) {
      if (!pq.getResult()) {
        this.#pending = false;
        return true;
      }
      if (!DONE.has(pq.resultStatus())) {
        this.#refused(pq);
        return false;
      }
    }
    return false;
  }

  #refused(pq: Libpq): void {
    const reason = pq.resultErrorMessage();
    const { sqlState: state = '' } = pq.resultErrorFields();
    if (!lacksFeature({ state })) {
      this.#lose(reason);
      return;
    }
    this.close();
    this.#subscription.unavailable(oneLine(reason));
  }

  #lose(reason: string): void {
    this.#end();
    if (this.#closed) return;
    const now = performance.now();
    if (this.#since !== undefined) {
      if (now - this.#since > LONG) this.#backoff.reset();
      this.#since = undefined;
      this.#lostAt = now;
    }
    if (!this.#reported && now - this.#lostAt > LONG) {
      this.#reported = true;
      this.#subscription.lost(oneLine(reason));
    }
    this.#timer = setTimeout(() => this.#connect(), this.#backoff.next());
  }

  #end(): void {
    clearInterval(this.#check);
    this.#pending = false;
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#pq?.finish();
    this.#pq = undefined;
  }
}
