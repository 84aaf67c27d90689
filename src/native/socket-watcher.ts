/**
 * Watches a socket that libpq owns on the calling thread's event loop (native/socket_watcher.cc). It neither reads from
 * the socket nor closes it. A watcher that is still open when its thread ends is closed; libpq's connections are too
 * (native/libpq_bridge.cc).
 */
import { addon } from './addon.js';

/** What to watch for; READABLE | WRITABLE is both, 0 is neither. */
export const READABLE = 1;
export const WRITABLE = 2;

/**
 * `waiting` is 0 where `arrived` tells how much has come; otherwise (a unix socket) the number of bytes that wait to be
 * read. An exception is an uncaught one.
 */
export type OnSocketEvent = (readable: boolean, writable: boolean, waiting: number) => void;

/**
 * SocketWatcher calls back while its socket is ready for what is watched for; an error or the end of the connection
 * counts as readable, again and again until the watcher stops. It starts out stopped, and keeps the thread alive while
 * it watches. Close it before the owner closes the socket, and at once when libpq reports the connection lost, for it
 * has closed the socket then.
 */
export interface SocketWatcher {
  /** watch sets what to watch for, 0 to 3. Throws when the watcher is closed. */
  watch(mode: number): void;
  /**
   * arrived gives the number of bytes read since the last call. At the first call for a result, some of them belong to
   * earlier ones; it is then no more than what a read usually takes. 0 for a unix socket.
   */
  arrived(first: boolean): number;
  /** close stops for good; the descriptor stays open. A second call does nothing. */
  close(): void;
}

/** The constructor takes the socket's descriptor, and throws when it cannot be watched. */
export const { SocketWatcher } = addon;
