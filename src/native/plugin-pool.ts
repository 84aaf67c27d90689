/**
 * The threads that run plugin calls in this process (native/plugin_pool_binding.cc), with the wire format of
 * src/serve/plugin/wire.ts. Also the list of methods that plugins may handle, which is kept in the C++ code.
 */
import { addon } from './addon.js';

export interface PluginPoolOptions {
  readonly threads: number;
  /** Time limit of a call, ms. */
  readonly timeout: number;
  /** Most bytes of a response's body. */
  readonly maxResponse: number;
}

/** PluginPool runs calls. Its threads never end, because a handler cannot be interrupted. */
export interface PluginPool {
  /** calls queues packed calls; with a body, which is copied, a single one. */
  calls(packed: string, body: Uint8Array | undefined): void;
  /** library stores the bytes of a library, which are copied. */
  library(name: string, bytes: Uint8Array): void;
  /** abandon takes packed ids; calls that have not begun come back as `returned`. */
  abandon(ids: string): void;
  /** close stops the delivery of records. */
  close(): void;
}

/** PluginPool calls `onRecords` on the thread that created it, with complete records; an exception is uncaught. */
export const { PluginPool } = addon;

/** The methods that a handler's name can begin with (native/http_methods.h). */
export const PLUGIN_METHODS: ReadonlySet<string> = new Set(addon.httpMethods);
