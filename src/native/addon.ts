/**
 * Loads the C++ addon (native/, built into build/Release), once a thread, with global symbols, because the threads' copies
 * of libpq's addon call into it (postgres/connection/libpq-addon.ts). The only module that loads the .node file.
 */
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { installedFile } from '../base/installed-file.js';
import type { Mailbox, OnMessage } from './mailbox.js';
import type { Pipeline } from './pipeline.js';
import type { PluginPool, PluginPoolOptions } from './plugin-pool.js';
import type { NativeRing } from './response-ring.js';
import type { OnSocketEvent, SocketWatcher } from './socket-watcher.js';

export interface Addon {
  readonly screen: (value: string) => boolean;
  readonly SocketWatcher: new (fd: number, onEvent: OnSocketEvent) => SocketWatcher;
  readonly Pipeline: new (fd: number, limit: number) => Pipeline;
  readonly Mailbox: new (onMessage: OnMessage) => Mailbox;
  readonly ResponseRing: new (memory: Uint8Array) => NativeRing;
  readonly PluginPool: new (
    options: PluginPoolOptions,
    onRecords: (records: ArrayBuffer) => void,
  ) => PluginPool;
  readonly httpMethods: readonly string[];
  readonly releaseBuffer: (buffer: ArrayBuffer) => void;
  readonly threadCpuTime: () => number;
  readonly droppedLogLines: () => number;
  readonly batchScheduling: () => boolean;
  readonly lowPriority: () => boolean;
  readonly releaseMemory: () => void;
  readonly keepLibrary: (path: string) => void;
  readonly createSharedMemory: (bytes: number) => number;
  readonly mapSharedMemory: (fd: number, offset: number, bytes: number) => ArrayBuffer;
  readonly appendLog: (line: string) => void;
  readonly setLogNotice: (before: string, between: string, after: string, clock: boolean) => void;
}

function load(): Addon {
  const path = installedFile('build/Release/sql_rest_service.node');
  if (!existsSync(path))
    throw new Error(`the native addon is not built (${path}): run "npm run build:native"`);
  const module = { exports: {} };
  process.dlopen(module, path, constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL);
  return module.exports as Addon;
}

/** Importing this module throws when the addon is not built. */
export const addon: Addon = load();
