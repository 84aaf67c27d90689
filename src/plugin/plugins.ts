/**
 * The plugin calls of one front end. Those of one event-loop tick are collected and go out together; no promise and no
 * closure for a call: what becomes of it is told by its number. A place runs a bounded number of calls at a time, and
 * the rest waits here. Refuses calls to libraries that are not there; how many calls there are, its caller bounds.
 */
import { FAILURES, RecordKind, type PluginCall, type PluginRecord } from './wire.js';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { LibraryPart, LibraryRefusal } from '../protocol.js';
import type { PluginSettings } from '../settings.js';
import { CallQueue } from './call-queue.js';
import { handlerOf } from './host-death.js';
import { HostSlot } from './host-slot.js';
import { LibraryShelf, type LibrarySource } from './library-shelf.js';
import { LocalPlace } from './local-place.js';
import type { PlaceEvents, PluginPlace } from './place.js';

export type { LibrarySource, PluginCall };

/** What becomes of calls. */
export interface PluginResults {
  /**
   * An answer. `lines` are header lines, each beginning with CRLF; with `typed` a Content-Type is among them, otherwise the
   * body is JSON.
   */
  answered(id: number, status: number, typed: boolean, lines: string, body: Uint8Array): void;
  /** Never called within submit. */
  failed(id: number, error: ServiceError): void;
}

/** Failures that are the caller's, not the plugin's. */
const CALLERS = new Set(['handler_not_found', 'invalid_query_string']);

/** Plugins runs calls where the settings say. */
export class Plugins {
  readonly #results: PluginResults;
  readonly #log: Logger;
  readonly #shelf: LibraryShelf;
  readonly #place: PluginPlace;
  readonly #queue = new CallQueue();
  readonly #flush = (): void => this.#flushAll();
  #collected: PluginCall[] = [];
  #abandoned = new Set<number>();
  #scheduled = false;
  #closed = false;

  /** `hostFile` is the program of plugin hosts, when it is not the service's own. */
  constructor(
    settings: PluginSettings,
    libraries: LibrarySource,
    results: PluginResults,
    log: Logger,
    hostFile?: string,
  ) {
    this.#results = results;
    this.#log = log;
    const shelf = new LibraryShelf(libraries, log, (call) => this.submit(call));
    this.#shelf = shelf;
    const events: PlaceEvents = {
      bytesOf: (name) => shelf.bytesOf(name),
      ended: this.#ended.bind(this),
      failed: (call, error) => {
        shelf.ended(call);
        results.failed(call.id, error);
      },
      returned: (calls) => {
        this.#queue.putBack(calls);
        this.#schedule();
      },
      loaded: (name) => shelf.loaded(name),
      unloadable: (name) => shelf.unloadable(name),
      crashed: (names) => shelf.crashed(names),
      ready: () => this.#schedule(),
    };
    this.#place =
      settings.isolation === 'thread'
        ? new LocalPlace(settings, events, log)
        : new HostSlot(settings, events, log, hostFile);
  }

  /** submit takes a call, which goes out at the end of the tick. */
  submit(call: PluginCall): void {
    this.#collected.push(call);
    this.#schedule();
  }

  /** abandon tells that nobody waits for a call any more. */
  abandon(id: number): void {
    this.#abandoned.add(id);
    this.#schedule();
  }

  /** arrived takes what the supervisor sends of libraries. */
  arrived(message: LibraryPart | LibraryRefusal): void {
    this.#shelf.arrived(message);
  }

  /** close ends what runs calls; nothing is heard of them any more. */
  close(): void {
    this.#closed = true;
    this.#place.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  #flushAll(): void {
    this.#scheduled = false;
    if (this.#closed) return;
    const collected = this.#collected;
    this.#collected = [];
    for (const call of collected) if (this.#isThere(call)) this.#queue.push(call);
    if (this.#abandoned.size > 0) this.#drop();
    this.#run();
  }

  /** Whether a call's library is there. Otherwise the call waits for that elsewhere, or was refused. */
  #isThere(call: PluginCall): boolean {
    const there = this.#shelf.take(call);
    if (there instanceof ServiceError) this.#results.failed(call.id, there);
    return there === true;
  }

  #drop(): void {
    const ids = this.#abandoned;
    this.#abandoned = new Set();
    this.#shelf.drop(ids);
    this.#queue.drop(ids);
    this.#place.abandon(ids);
  }

  #run(): void {
    if (this.#queue.size === 0) return;
    const room = this.#place.room();
    const calls: PluginCall[] = [];
    while (calls.length < room) {
      const call = this.#queue.shift();
      if (call === undefined) break;
      // What waited may be for a library that was found to be broken meanwhile.
      if (this.#isThere(call)) calls.push(call);
    }
    if (calls.length > 0) this.#place.run(calls);
  }

  #ended(call: PluginCall, record: PluginRecord): void {
    if (this.#queue.size > 0) this.#schedule();
    const { kind, status, head, body } = record;
    if (kind === RecordKind.failed) this.#failed(call, record);
    else {
      const lines = head.length === 0 ? '' : head.toString();
      this.#results.answered(call.id, status, kind === RecordKind.typed, lines, body);
    }
  }

  #failed(call: PluginCall, { status, head, body }: PluginRecord): void {
    const code = FAILURES[status] ?? 'internal';
    const message = body.length === 0 ? undefined : body.toString();
    const error = new ServiceError(code, message);
    const detail = head.length === 0 ? undefined : head.toString();
    if (code === 'plugin_timeout') this.#shelf.timedOut(call);
    this.#shelf.ended(call);
    if (code === 'plugin_load_failed' && detail !== undefined)
      this.#shelf.explain(call.file, error.message, detail);
    else if (!CALLERS.has(code))
      this.#log.warn({ ...handlerOf(call), code, detail }, 'a plugin gave no answer');
    this.#results.failed(call.id, error);
  }
}
