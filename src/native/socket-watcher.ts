/**
 * Watches a socket that libpq owns on the calling thread's event loop (native/socket_watcher.cc). It neither reads from
 * the socket nor closes it. A watcher that is still open when its thread ends is closed; libpq's connections are too
 * (native/libpq_bridge.cc).
 */
import { addon } from './addon.js';

/** What to watch for; READABLE | WRITABLE is both, 0 is neither. */
export const READABLE = 1;
export const WRITABLE = 2;

/** `arrived` is the number of bytes received since the last call. An exception is an uncaught one. */
export type OnSocketEvent = (readable: boolean, writable: boolean, arrived: number) => void;

/**
 * SocketWatcher calls back while its socket is ready for what is watched for; an error or the end of the connection
 * counts as readable, again and again until the watcher stops. It starts out stopped, and keeps the thread alive while
 * it watches. Close it before the owner closes the socket, and at once when libpq reports the connection lost, for it
 * has closed the socket then.
 */
export interface SocketWatcher {
  /** watch sets what to watch for, 0 to 3. Throws when the watcher is closed. */
  watch(mode: number): void;
  /** passed leaves the bytes read so far out of the next `arrived`: they belonged to a result that is complete. */
  passed(): void;
  /** close stops for good; the descriptor stays open. A second call does nothing. */
  close(): void;
}

/** The constructor takes the socket's descriptor, and throws when it cannot be watched. */
export const SocketWatcher: new (fd: number, onEvent: OnSocketEvent) => SocketWatcher =
  addon.SocketWatcher;
