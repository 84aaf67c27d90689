/**
 * Where plugin calls run: in host processes (host-slot.ts) or on threads of this process (local-backend.ts). And how packed
 * calls get there: over the channel of a host process (host-process.ts) or straight to the pool (native/plugin-pool.ts).
 */
import type { ServiceError } from '../../base/errors.js';
import type { PluginCall, PluginRecord } from './wire.js';

/** Calls in flight for each thread of a backend. The others wait in the HTTP process, where they outlive a crash. */
export const CALLS_PER_THREAD = 16;

export interface PluginBackend {
  /** room is how many more calls it accepts; a backend that needs a process starts it here. */
  room(): number;
  /** run accepts calls to loaded or loadable libraries, no more than it has room for. */
  run(calls: readonly PluginCall[]): void;
  /** abandon drops the calls with these ids that have not begun, and discards the responses of those that have. */
  abandon(ids: ReadonlySet<number>): void;
  /** close ends it; no event follows. */
  close(): void;
}

export interface BackendEvents {
  /** The bytes of an available library. */
  bytesOf(name: string): Buffer;
  /** A call ended, with the record of a response or a failure. */
  ended(call: PluginCall, record: PluginRecord): void;
  /** A call ended without a record. */
  failed(call: PluginCall, error: ServiceError): void;
  /** These calls have not begun: they run again, before others. */
  returned(calls: readonly PluginCall[]): void;
  loaded(name: string): void;
  /** A library could not be loaded. */
  unloadable(name: string): void;
  /** A host process died while it ran calls to these libraries. */
  crashed(names: ReadonlySet<string>): void;
  /** There is room again. */
  ready(): void;
}

/** PluginTransport carries packed calls; records come back (wire.ts). */
export interface PluginTransport {
  /** calls sends packed calls; with a body, a single one. */
  calls(packed: string, body: Uint8Array | undefined): void;
  /** library sends the bytes of a library before the first call to it, and again after a failed load. */
  library(name: string, bytes: Uint8Array): void;
  /** abandon sends packed ids. Calls that have not begun come back as `returned`. */
  abandon(ids: string): void;
}
