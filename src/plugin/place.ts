/**
 * Where plugin calls run, as plugins.ts sees it: processes of their own (host-slot.ts) or this process (local-place.ts).
 */
import type { ServiceError } from '../errors.js';
import type { PluginCall, PluginRecord } from './wire.js';

/** Calls that a place has at a time, for each of its threads: the rest waits where it can still go elsewhere. */
export const CALLS_A_THREAD = 16;

/** PluginPlace runs calls. */
export interface PluginPlace {
  /** room is how many calls it takes now; it may make itself ready for being asked. */
  room(): number;
  /** run takes calls, no more than it has room for, to libraries that are there. */
  run(calls: readonly PluginCall[]): void;
  /** abandon tells that nobody waits for some calls any more, by the front end's numbers. */
  abandon(ids: ReadonlySet<number>): void;
  /** close ends it; nothing more is heard of what it has. */
  close(): void;
}

/** What a place asks and tells. */
export interface PlaceEvents {
  /** The bytes of a library that is there. */
  bytesOf(name: string): Buffer;
  /** A call ended, with a record of an answer or a failure. */
  ended(call: PluginCall, record: PluginRecord): void;
  /** A call ended without a record. */
  failed(call: PluginCall, error: ServiceError): void;
  /** These calls were not begun: they are to be run before others. */
  returned(calls: readonly PluginCall[]): void;
  /** A library was loaded. */
  loaded(name: string): void;
  /** A library could not be loaded. */
  unloadable(name: string): void;
  /** A process died; calls to these libraries ran in it. */
  crashed(names: ReadonlySet<string>): void;
  /** There is room where there was none. */
  ready(): void;
}
