/**
 * The threads that run plugin calls in this process (native/plugin_runner.cc). What it is given and gives back has the
 * form of src/plugin/wire.ts. And the methods that plugins are called by, of which the C++ has the only list.
 */
import { addon } from './addon.js';

/** What a pool is made with. */
export interface PluginPoolOptions {
  readonly threads: number;
  /** Milliseconds that one call may take. */
  readonly timeout: number;
  /** Most bytes of an answer's body. */
  readonly maxResponse: number;
}

/** PluginPool runs calls. Its threads are never ended: what a plugin does can not be interrupted. */
export interface PluginPool {
  /** calls takes packed calls; a body (copied) belongs to the only one of them. */
  calls(packed: string, body: Uint8Array | undefined): void;
  /** library takes the bytes of a library (copied). */
  library(name: string, bytes: Uint8Array): void;
  /** abandon gives calls back that were not begun: packed ids. */
  abandon(ids: string): void;
  /** close: no records come any more. */
  close(): void;
}

/** PluginPool calls `onRecords` on the thread that made it, with whole records; an exception is an uncaught one. */
export const PluginPool: new (
  options: PluginPoolOptions,
  onRecords: (records: ArrayBuffer) => void,
) => PluginPool = addon.PluginPool;

/** PLUGIN_METHODS are the methods that a handler's name can begin with (native/http_methods.h). */
export const PLUGIN_METHODS: ReadonlySet<string> = new Set(addon.httpMethods);
