/**
 * Responses that are still being sent because their clients read slowly. The connection of a client that takes nothing for
 * the time limit, or less than LEAST_RATE on average, is closed.
 */
import { PLUGINS, type HttpRequest } from './http-request.js';

/** What a client must take of a response on average (bytes a millisecond): as much as it must send of a body. */
const LEAST_RATE = (16 * 1024) / 1_000;

interface Sending {
  readonly status: number;
  readonly bytes: number;
  /** When sending began, and when the client last took bytes (performance.now). */
  readonly began: number;
  moved: number;
  /** How many bytes the client had taken by then. */
  taken: number;
}

/** Called with the bytes of responses of plugins, or of databases, that are being sent, whenever their number changes. */
export type OnSending = (bytes: number, ofPlugins: boolean) => void;

export class SendingResponses {
  readonly #responses = new Map<HttpRequest, Sending>();
  readonly #timeout: number;
  readonly #onSending: OnSending;
  #databaseBytes = 0;
  #pluginBytes = 0;

  /** `timeout` is how long a client may take nothing (milliseconds). */
  constructor(timeout: number, onSending: OnSending) {
    this.#timeout = timeout;
    this.#onSending = onSending;
  }

  get size(): number {
    return this.#responses.size;
  }

  /** find returns the request of that id while its response is being sent. To be called rarely. */
  find(id: number): HttpRequest | undefined {
    for (const request of this.#responses.keys()) if (request.id === id) return request;
    return undefined;
  }

  /** add begins with a response of which the first bytes were written; `began` is the time before that. */
  add(request: HttpRequest, bytes: number, status: number, began: number): void {
    this.#responses.set(request, { status, bytes, began, moved: began, taken: 0 });
    this.#count(request, bytes);
  }

  /** end releases a response that was sent, or whose connection is lost. Undefined when it was not being sent. */
  end(request: HttpRequest): Pick<Sending, 'status' | 'began'> | undefined {
    const sending = this.#responses.get(request);
    if (sending === undefined) return undefined;
    this.#responses.delete(request);
    request.response.release();
    this.#count(request, -sending.bytes);
    return sending;
  }

  /** sweep offers every response to the kernel again and closes the connections of clients that are too slow. */
  sweep(now: number): void {
    for (const [request, sending] of this.#responses) {
      const taken = request.response.push();
      if (taken > sending.taken) {
        sending.taken = taken;
        sending.moved = now;
      }
      const idle = now - sending.moved > this.#timeout;
      const slow = now - sending.began > this.#timeout + taken / LEAST_RATE;
      // The push may have sent the rest.
      if ((idle || slow) && this.#responses.has(request)) request.response.res.close();
    }
  }

  /** Plugins have a count of their own, so that their responses leave databases their part of the memory. */
  #count({ worker }: HttpRequest, bytes: number): void {
    if (worker === PLUGINS) this.#onSending((this.#pluginBytes += bytes), true);
    else this.#onSending((this.#databaseBytes += bytes), false);
  }
}
