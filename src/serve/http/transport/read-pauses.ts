/**
 * For which requests reading from the connection is paused while they are handled. uWebSockets.js closes a connection as
 * soon as it reads the end of the client's data, so a client that half-closes after its request would get no response;
 * while reading is paused, the end is not seen. A pause costs three system calls, a tenth of the CPU time of a small
 * request, so pauses are bounded: clients with `Connection: keep-alive` will send more and get none, those with `close`
 * always get one, all others up to a number per second.
 */

/** Pauses for requests without a Connection header between two renewals, and for each new connection. */
const PER_RENEWAL = 125;
const PER_CONNECTION = 32;

const KEEP_ALIVE = /\bkeep-alive\b/i;

export class ReadPauses {
  #left = PER_RENEWAL;

  /** renew is called about four times a second. Connections accepted just before it may not have been read yet. */
  renew(): void {
    this.#left = Math.max(PER_RENEWAL, this.#left >> 1);
  }

  /** connected counts a new connection: its first request is among the next ones. */
  connected(): void {
    this.#left += PER_CONNECTION;
  }

  /** take tells whether reading is paused for a request; `connection` is its Connection header, empty without one. */
  take(connection: string): boolean {
    if (connection !== '') return !KEEP_ALIVE.test(connection);
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }
}
