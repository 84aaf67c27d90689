/**
 * Watches a socket that somebody else owns (libpq) on the calling thread's own event loop. It neither reads from the
 * socket nor closes it. A watcher that is still open when its thread ends is closed; libpq's connections are too
 * (native/libpq_bridge.cc).
 */
import { addon, type NativeSocketWatcher, type OnSocketEvent } from './addon.js';

export type { OnSocketEvent };

/** What to watch for; READABLE | WRITABLE is both. */
export const STOPPED = 0;
export const READABLE = 1;
export const WRITABLE = 2;

/**
 * SocketWatcher calls `onEvent(readable, writable, arrived)` while its socket is ready for what is watched for; an
 * error or the end of the connection counts as readable, again and again until the watcher stops. An exception in the
 * callback is an uncaught one. Starts out stopped; keeps the thread alive while it watches. Close it before the owner
 * closes the socket, and at once when libpq reports the connection lost, for it has closed the socket then. The
 * constructor throws when the descriptor cannot be watched.
 */
export class SocketWatcher {
  readonly #native: NativeSocketWatcher;

  /** @param fd the socket's descriptor */
  constructor(fd: number, onEvent: OnSocketEvent) {
    this.#native = new addon.SocketWatcher(fd, onEvent);
  }

  /** watch sets what to watch for, 0 to 3. Throws when the watcher is closed. */
  watch(mode: number): void {
    this.#native.watch(mode);
  }

  /** passed leaves what was read by now out of the next `arrived`: it belonged to what is over. */
  passed(): void {
    this.#native.passed();
  }

  /** close stops for good; the descriptor stays open. A second call does nothing. */
  close(): void {
    this.#native.close();
  }
}
