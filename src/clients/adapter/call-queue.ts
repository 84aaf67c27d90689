/**
 * Calls of the endpoint, and the queue of those not yet sent: a linked list, which counts its bytes and takes the first
 * call in constant time.
 */
import type { ClientMessage } from './client-message.js';

/** Approximate memory of a queued call besides its line, bytes. */
const OVERHEAD = 512;

export class ClientCall {
  readonly line: Buffer;
  readonly message: ClientMessage;
  /** Aborts the HTTP request. */
  readonly stop = new AbortController();
  cancelled = false;
  next: ClientCall | undefined;

  constructor(line: Buffer, message: ClientMessage) {
    this.line = line;
    this.message = message;
  }

  /** cancel suppresses the response, and aborts the request if it was sent. */
  cancel(): void {
    this.cancelled = true;
    this.stop.abort();
  }

  /** Approximate memory, bytes. */
  get size(): number {
    return this.line.length + OVERHEAD;
  }
}

export class ClientCallQueue {
  #first: ClientCall | undefined;
  #last: ClientCall | undefined;
  #bytes = 0;

  /** Approximate memory of all calls, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get empty(): boolean {
    return this.#first === undefined;
  }

  push(call: ClientCall): void {
    if (this.#last === undefined) this.#first = call;
    else this.#last.next = call;
    this.#last = call;
    this.#bytes += call.size;
  }

  shift(): ClientCall | undefined {
    const call = this.#first;
    if (call === undefined) return undefined;
    this.#first = call.next;
    if (this.#first === undefined) this.#last = undefined;
    call.next = undefined;
    this.#bytes -= call.size;
    return call;
  }
}
