/**
 * What plugin calls are handed to: a host process (host-process.ts) or the pool in this process (native/plugin-pool.ts).
 * It knows no library before it was given it.
 */

/** PluginCarrier takes calls; what becomes of them, records tell. */
export interface PluginCarrier {
  /** calls hands over packed calls; a body belongs to the only one of them. */
  calls(packed: string, body: Uint8Array | undefined): void;
  /** library hands over the bytes of a library, before the first call to it. A later one replaces what could not be loaded. */
  library(name: string, bytes: Uint8Array): void;
  /** abandon tells that nobody waits for some calls any more: packed ids. Those not begun come back as `returned`. */
  abandon(ids: string): void;
}
