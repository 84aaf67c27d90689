/**
 * The plugin calls of one HTTP process. Calls of one event-loop tick are sent together; results are reported by id, without a
 * promise or closure for each call. The backend runs a bounded number of calls; the others wait here in a queue, which the
 * caller bounds.
 */
import { FAILURES, RecordKind, type PluginCall, type PluginRecord } from './wire.js';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { LibraryPart, LibraryRejection } from '../../messages/ipc.js';
import { PLUGIN } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import type { PluginSettings } from '../../messages/http-settings.js';
import { PluginCallQueue } from './call-queue.js';
import { handlerOf } from './host-death.js';
import { HostSlot } from './host-slot.js';
import { LibraryCache, type LibrarySource } from './library-cache.js';
import { LocalBackend } from './local-backend.js';
import type { BackendEvents, PluginBackend } from './backend.js';

export type { LibrarySource, PluginCall };

export interface PluginResults {
  /**
   * A response. `lines` are header lines, each beginning with CRLF; with `typed` they include a Content-Type, otherwise the
   * body is JSON.
   */
  answered(id: number, status: number, typed: boolean, lines: string, body: Uint8Array): void;
  /** Never called within submit. */
  failed(id: number, error: ServiceError): void;
}

/** Failures that the caller causes, not the plugin. */
const CALLER_FAILURES = new Set(['handler_not_found', 'invalid_query_string']);

export class Plugins {
  readonly #results: PluginResults;
  readonly #log: Logger;
  readonly #libraryCache: LibraryCache;
  readonly #backend: PluginBackend;
  readonly #queue = new PluginCallQueue();
  readonly #flush = (): void => this.#flushAll();
  #collected: PluginCall[] = [];
  #abandoned = new Set<number>();
  #scheduled = false;
  #closed = false;

  /** `hostFile` is the program of host processes, by default the one of the service. */
  constructor(
    settings: PluginSettings,
    libraries: LibrarySource,
    results: PluginResults,
    log: Logger,
    hostFile?: string,
  ) {
    this.#results = results;
    this.#log = log;
    const libraryCache = new LibraryCache(libraries, log, (call) => this.submit(call));
    this.#libraryCache = libraryCache;
    const events: BackendEvents = {
      bytesOf: (name) => libraryCache.bytesOf(name),
      ended: this.#ended.bind(this),
      failed: (call, error) => {
        counts[PLUGIN.calls.failed]! += 1;
        libraryCache.ended(call);
        results.failed(call.id, error);
      },
      returned: (calls) => {
        this.#queue.putBack(calls);
        this.#schedule();
      },
      loaded: (name) => libraryCache.loaded(name),
      unloadable: (name) => libraryCache.unloadable(name),
      crashed: (names) => {
        counts[PLUGIN.crashes]! += 1;
        libraryCache.crashed(names);
      },
      ready: () => this.#schedule(),
    };
    this.#backend =
      settings.isolation === 'thread'
        ? new LocalBackend(settings, events, log)
        : new HostSlot(settings, events, log, hostFile);
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** submit sends a call at the end of the tick. */
  submit(call: PluginCall): void {
    this.#collected.push(call);
    this.#schedule();
  }

  /** abandon drops a call whose client is gone or timed out. */
  abandon(id: number): void {
    this.#abandoned.add(id);
    this.#schedule();
  }

  /** arrived receives a message of the supervisor about a library. */
  arrived(message: LibraryPart | LibraryRejection): void {
    this.#libraryCache.arrived(message);
  }

  /** close ends the backend; no result follows. */
  close(): void {
    this.#closed = true;
    this.#backend.close();
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
    for (const call of collected) if (this.#isAvailable(call)) this.#queue.push(call);
    if (this.#abandoned.size > 0) this.#drop();
    this.#run();
  }

  /** Whether the library of a call is available. If not, the call waits in the library cache or has failed. */
  #isAvailable(call: PluginCall): boolean {
    const available = this.#libraryCache.take(call);
    if (available instanceof ServiceError) this.#results.failed(call.id, available);
    return available === true;
  }

  #drop(): void {
    const ids = this.#abandoned;
    this.#abandoned = new Set();
    this.#libraryCache.drop(ids);
    this.#queue.drop(ids);
    this.#backend.abandon(ids);
  }

  #run(): void {
    if (this.#queue.size === 0) return;
    const room = this.#backend.room();
    const calls: PluginCall[] = [];
    while (calls.length < room) {
      const call = this.#queue.shift();
      if (call === undefined) break;
      // Its library may have failed to load since it was queued.
      if (this.#isAvailable(call)) calls.push(call);
    }
    if (calls.length > 0) this.#backend.run(calls);
  }

  #ended(call: PluginCall, record: PluginRecord): void {
    if (this.#queue.size > 0) this.#schedule();
    const { kind, status, head, body } = record;
    if (kind === RecordKind.failed) this.#failed(call, record);
    else {
      counts[PLUGIN.calls.answered]! += 1;
      const lines = head.length === 0 ? '' : head.toString();
      this.#results.answered(call.id, status, kind === RecordKind.typed, lines, body);
    }
  }

  #failed(call: PluginCall, { status, head, body }: PluginRecord): void {
    counts[PLUGIN.calls.failed]! += 1;
    const code = FAILURES[status] ?? 'internal';
    const message = body.length === 0 ? undefined : body.toString();
    const error = new ServiceError(code, message);
    const detail = head.length === 0 ? undefined : head.toString();
    if (code === 'plugin_timeout') this.#libraryCache.timedOut(call);
    this.#libraryCache.ended(call);
    if (code === 'plugin_load_failed' && detail !== undefined)
      this.#libraryCache.explain(call.file, error.message, detail);
    else if (!CALLER_FAILURES.has(code))
      this.#log.warn({ ...handlerOf(call), code, detail }, 'a plugin call failed');
    this.#results.failed(call.id, error);
  }
}
