/**
 * Loads the C++ addon (native/, built into build/Release) once a thread. Loaded with its symbols global, because the
 * threads' copies of libpq's addon call into it (see pg/libpq-addon). The only module that touches the .node file.
 */
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Mailbox, OnMessage } from './mailbox.js';
import type { Pipeline } from './pipeline.js';
import type { PluginPool, PluginPoolOptions } from './plugin-pool.js';

/** What native/addon.cc exports. */
export interface Addon {
  readonly screen: (value: string) => boolean;
  readonly SocketWatcher: new (fd: number, onEvent: OnSocketEvent) => NativeSocketWatcher;
  readonly Pipeline: new (fd: number, limit: number) => Pipeline;
  readonly Mailbox: new (onMessage: OnMessage) => Mailbox;
  readonly PluginPool: new (
    options: PluginPoolOptions,
    onRecords: (records: ArrayBuffer) => void,
  ) => PluginPool;
  readonly httpMethods: readonly string[];
  readonly releaseBuffer: (buffer: ArrayBuffer) => void;
  readonly batchScheduling: () => boolean;
}

/** Called when a watched socket is ready; `arrived` is the number of bytes that have come since the last call. */
export type OnSocketEvent = (readable: boolean, writable: boolean, arrived: number) => void;

export interface NativeSocketWatcher {
  watch(mode: number): void;
  passed(): void;
  close(): void;
}

function load(): Addon {
  const path = fileURLToPath(new URL('../../build/Release/sql_rest_service.node', import.meta.url));
  if (!existsSync(path))
    throw new Error(`the native addon is not built (${path}): run "npm run build:native"`);
  const module = { exports: {} };
  process.dlopen(module, path, constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL);
  return module.exports as Addon;
}

/** addon is the loaded addon. Importing this module throws when it is not built. */
export const addon: Addon = load();
