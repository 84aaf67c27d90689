/**
 * Hears what is told on a channel of PostgreSQL (LISTEN), on a connection of its own that is made anew whenever it is
 * lost, with back-off. Whatever may have been told while nobody listened counts as heard as soon as somebody does again.
 * Never blocks and never throws. Behind a pooler that shares sessions it may hear nothing at all.
 */
import { performance } from 'node:perf_hooks';
import { READABLE, SocketWatcher } from '../native/socket-watcher.js';
import type { DatabaseSettings } from '../protocol.js';
import { connect } from './connector.js';
import type { Libpq } from './libpq-addon.js';
import { identifier } from './quote.js';

/** Back-off between attempts to connect, ms. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

/** Not listening for this long (ms) is worth a word; a connection that lasted so long starts the back-off anew. */
const LONG = 3_000;

/** What is listened to, and who is told. */
export interface Listening {
  readonly channel: string;
  /** Other payloads are not for us. */
  readonly payload: string;
  /** It was told on the channel, perhaps more than once, or may have been. */
  heard(): void;
  /** Nothing was heard for a while, for that reason; told once. */
  lost(reason: string): void;
  /** After `lost`. */
  back(): void;
}

/** Listener listens until it is closed. */
export class Listener {
  readonly #settings: DatabaseSettings;
  readonly #use: Listening;
  #pq: Libpq | undefined;
  #watcher: SocketWatcher | undefined;
  /** When it began to listen on this connection, ms; undefined while it does not. */
  #since: number | undefined;
  /** When it last could not listen any more, ms. */
  #lostAt = performance.now();
  #silent = false;
  #pause = FIRST_PAUSE;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(settings: DatabaseSettings, use: Listening) {
    this.#settings = settings;
    this.#use = use;
    this.#connect();
  }

  /** close ends the connection; one that is being made ends when it is made. */
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
        this.#lose(error instanceof Error ? error.message : String(error));
      });
  }

  #listen(pq: Libpq): void {
    this.#pq = pq;
    pq.setNonBlocking(true);
    this.#watcher = new SocketWatcher(pq.socket(), () => this.#read(pq));
    this.#watcher.watch(READABLE);
    // A statement this short always fits into the socket.
    if (!pq.sendQuery(`LISTEN ${identifier(this.#use.channel)}`) || pq.flush() < 0)
      this.#lose(pq.errorMessage());
  }

  #read(pq: Libpq): void {
    if (!pq.consumeInput()) {
      this.#lose(pq.errorMessage());
      return;
    }
    let heard = this.#since === undefined && this.#begins(pq);
    if (this.#since === undefined) return;
    for (let told = pq.notifies(); told !== undefined; told = pq.notifies())
      if (told.relname === this.#use.channel && told.extra === this.#use.payload) heard = true;
    if (heard) this.#use.heard();
  }

  /** Reads the answer to LISTEN: true when it came and is no refusal. */
  #begins(pq: Libpq): boolean {
    while (!pq.isBusy()) {
      if (!pq.getResult()) {
        this.#since = performance.now();
        if (this.#silent) this.#use.back();
        this.#silent = false;
        return true;
      }
      if (pq.resultStatus() !== 'PGRES_COMMAND_OK') {
        this.#lose(pq.resultErrorMessage());
        return false;
      }
    }
    return false;
  }

  #lose(reason: string): void {
    this.#end();
    if (this.#closed) return;
    const now = performance.now();
    if (this.#since !== undefined) {
      if (now - this.#since > LONG) this.#pause = FIRST_PAUSE;
      this.#since = undefined;
      this.#lostAt = now;
    }
    if (!this.#silent && now - this.#lostAt > LONG) {
      this.#silent = true;
      this.#use.lost(reason.trim().replaceAll(/\s*\n\s*/g, ' '));
    }
    this.#timer = setTimeout(() => this.#connect(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }

  #end(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#pq?.finish();
    this.#pq = undefined;
  }
}
