/**
 * Lingering close, for requests that get their response before their body has arrived. The response is sent at once, and
 * the rest of the body is read and discarded for a while before the connection is closed: closing it with unread bytes
 * would make the kernel reset it, and a client that sends everything before it reads would never see the response. Where
 * the body is complete before the response is written, the connection stays open.
 */
import type { HttpRequest } from './http-request.js';
import type { Body } from './response-writer.js';

/** Bounds on discarding: in all, without data (both milliseconds), and in bytes. */
const LONGEST = 30_000;
const IDLE = 5_000;
const MOST = 1 << 30;

/** Longest time between two calls of sweep (milliseconds). */
export const TICK = 250;

interface Discarded {
  readonly began: number;
  /** For how long no data arrived (milliseconds). */
  quiet: number;
  received: number;
  written: boolean;
  /** Writes the response of a request whose body is complete. */
  readonly complete: () => void;
}

export class Lingering {
  readonly #requests = new Map<HttpRequest, Discarded>();
  readonly #capacity: number;
  readonly #fail: (request: HttpRequest, error: unknown) => void;
  #swept = performance.now();

  /** `capacity` is the most requests at one time; beyond it connections are closed at once. `fail` takes what has failed. */
  constructor(capacity: number, fail: (request: HttpRequest, error: unknown) => void) {
    this.#capacity = capacity;
    this.#fail = fail;
  }

  /** has tells whether a request has its response, and the rest of its body is discarded. */
  has(request: HttpRequest): boolean {
    return this.#requests.has(request);
  }

  get size(): number {
    return this.#requests.size;
  }

  /** respond sends the response of a request whose body has not arrived completely. */
  respond(request: HttpRequest, status: number, type: number, body: Body): void {
    const { response } = request;
    if (this.#requests.size >= this.#capacity) {
      response.last = true;
      response.write(status, type, body, () => undefined);
      return;
    }
    const kept = body instanceof Uint8Array ? body.slice() : body; // others may write over it
    const discarded: Discarded = {
      began: performance.now(),
      quiet: 0,
      received: 0,
      written: false,
      complete: () => response.write(status, type, kept, () => undefined),
    };
    // Data written inside a read of the connection is sent after that read, and lost if the connection is closed by then.
    setImmediate(() => {
      if (this.#requests.get(request) !== discarded) return;
      discarded.written = true;
      try {
        response.writeAhead(status, type, kept);
      } catch (error) {
        this.#requests.delete(request);
        this.#fail(request, error);
      }
    });
    this.#requests.set(request, discarded);
  }

  discard(request: HttpRequest, bytes: number, last: boolean): void {
    const discarded = this.#requests.get(request);
    if (discarded === undefined) return;
    discarded.received += bytes;
    discarded.quiet = 0;
    if (!last && discarded.received <= MOST) return;
    this.#requests.delete(request);
    if (last && !discarded.written) discarded.complete();
    else request.response.res.close();
  }

  remove(request: HttpRequest): void {
    this.#requests.delete(request);
  }

  /** sweep closes the connections whose bounds are reached. */
  sweep(now: number): void {
    // While this process was suspended it read nothing: that time is not the client's.
    const passed = Math.min(now - this.#swept, TICK);
    this.#swept = now;
    for (const [request, discarded] of this.#requests) {
      discarded.quiet += passed;
      if (now - discarded.began <= LONGEST && discarded.quiet <= IDLE) continue;
      this.#requests.delete(request);
      request.response.res.close();
    }
  }
}
