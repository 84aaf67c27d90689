/**
 * The pipeline of one libpq connection and the socket below it: sends what was written as one packet where the transport
 * allows it, and reports when results have arrived. Never blocks. A connection that is lost is for its owner to close.
 */
import { Pipeline } from '../../native/pipeline.js';
import { READABLE, SocketWatcher, WRITABLE } from '../../native/socket-watcher.js';
import type { Libpq } from './libpq-addon.js';

export class PipelineSocket {
  readonly pipeline: Pipeline;
  readonly #pq: Libpq;
  readonly #watcher: SocketWatcher;
  #unsent = false;
  /** The socket is full, and watched until it can be written. */
  #full = false;
  #open = true;

  /** `onReady` gets what the watcher reports. Results over `maxResult` bytes are not read. */
  constructor(pq: Libpq, maxResult: number, onReady: (readable: boolean, waiting: number) => void) {
    this.#pq = pq;
    const fd = pq.socket();
    this.pipeline = new Pipeline(fd, maxResult);
    this.#watcher = new SocketWatcher(fd, (readable, _writable, waiting) => {
      if (this.#open) onReady(readable, waiting);
    });
    this.#watcher.watch(READABLE);
  }

  get open(): boolean {
    return this.#open;
  }

  /** wrote marks the pipeline as having bytes for the next flush. */
  wrote(): void {
    this.#unsent = true;
  }

  /** flush sends what was written; the rest follows when the socket has room. False when the connection is lost. */
  flush(): boolean {
    if (!this.#unsent || !this.#open) return true;
    const rest = this.pipeline.flush();
    this.#unsent = rest === 1;
    if (rest < 0) return false;
    if (rest === 1) this.#watch(true);
    else if (this.#full) this.#watch(false);
    return true;
  }

  /** arrived gives the number of bytes read since the last call, see SocketWatcher. */
  arrived(first: boolean): number {
    return this.#watcher.arrived(first);
  }

  /** cancel asks PostgreSQL to cancel what runs; when the request arrives is not known. */
  cancel(): void {
    this.#pq.cancel();
  }

  close(): void {
    this.#open = false;
    this.#watcher.close();
    this.pipeline.close();
    this.#pq.finish();
  }

  #watch(full: boolean): void {
    this.#full = full;
    this.#watcher.watch(full ? READABLE | WRITABLE : READABLE);
  }
}
