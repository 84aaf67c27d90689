/**
 * Messages on their way to the endpoint: a message with all that belongs to it, and the queue of those that wait. The queue
 * knows how many bytes wait in it; taking a message costs the same however many there are.
 */
import type { Message } from './message.js';

/** Bytes that a waiting message takes besides its own, roughly. */
const OVERHEAD = 512;

export class Call {
  readonly line: Buffer;
  readonly message: Message;
  /** Ends the request. */
  readonly stop = new AbortController();
  /** Whether the client no longer wants the answer. */
  cancelled = false;
  /** The call that waits behind this one. */
  next: Call | undefined;

  constructor(line: Buffer, message: Message) {
    this.line = line;
    this.message = message;
  }

  /** cancel makes sure that nothing is answered, and ends the request if it has begun. */
  cancel(): void {
    this.cancelled = true;
    this.stop.abort();
  }

  /** size is the memory it takes, roughly, in bytes. */
  get size(): number {
    return this.line.length + OVERHEAD;
  }
}

export class CallQueue {
  #first: Call | undefined;
  #last: Call | undefined;
  #bytes = 0;

  /** bytes is the memory that waits here, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  get empty(): boolean {
    return this.#first === undefined;
  }

  push(call: Call): void {
    if (this.#last === undefined) this.#first = call;
    else this.#last.next = call;
    this.#last = call;
    this.#bytes += call.size;
  }

  /** shift takes the one that waits longest. */
  shift(): Call | undefined {
    const call = this.#first;
    if (call === undefined) return undefined;
    this.#first = call.next;
    if (this.#first === undefined) this.#last = undefined;
    call.next = undefined;
    this.#bytes -= call.size;
    return call;
  }
}
