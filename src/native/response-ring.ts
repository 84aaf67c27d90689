/**
 * Responses on their way from a query worker to its HTTP process, as bytes in memory that both threads share: a ring of
 * records. The worker writes (native/response_ring.cc), and wakes the reader through its mailbox.
 *
 * The control block has three words, in cache lines of their own: the bytes published, the bytes consumed (both wrap
 * around), and whether the writer waits for room. A record is a multiple of 16 bytes: four words (size; id; status and
 * type; the lengths of the body and of the header lines), the header lines, and the body as UTF-8. None crosses the end of the ring.
 */
import { addon } from './addon.js';

/** Bytes of a ring: a few times what a worker writes before the HTTP process reads, and less than a processor's cache. */
const SIZE = 1 << 19;

const CONTROL_BYTES = 256;
const PUBLISHED = 0;
const CONSUMED = 16;
const FULL = 32;

const HEADER_BYTES = 16;

/** The type of an incomplete record, and of one that fills the rest of the ring: neither is a response. */
const UNUSED = 0xff;

/** Added to the type of a response whose body travels apart, as the next body of a message. */
export const APART = 16;

/** The longest text that fits into a record whatever its characters (UTF-16 units): kLargeBody of the native ring. */
export const LONGEST_TEXT = 10_922;

/** The longest header lines of a response, characters: kLongestLines of the native ring. They are ASCII. */
export const LONGEST_LINES = 8_192;

export function createRing(): SharedArrayBuffer {
  return new SharedArrayBuffer(CONTROL_BYTES + SIZE);
}

export interface NativeRing {
  write(id: number, status: number, type: number, lines: string, body: string): boolean;
  publish(): void;
}

/**
 * ResponseRing writes. The pipelines of its thread (pipeline.ts) place bodies in it. A record is published with all others
 * before it, whether it is complete or not.
 */
export class ResponseRing {
  readonly #native: NativeRing;
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#native = new addon.ResponseRing(new Uint8Array(memory));
    this.#words = new Int32Array(memory, CONTROL_BYTES);
  }

  /** finish completes the record whose body a pipeline has placed. Returns the size of the body, bytes. */
  finish(place: number, id: number, status: number, type: number): number {
    const at = place >> 2;
    this.#words[at + 1] = id;
    this.#words[at + 2] = status | (type << 16);
    return this.#words[at + 3]! & 0xffff;
  }

  /**
   * write adds a response; `lines` are its header lines (header-name.ts), at most LONGEST_LINES. False when there is no
   * room: the reader reports when there is.
   */
  write(id: number, status: number, type: number, lines: string, body: string): boolean {
    return this.#native.write(id, status, type, lines, body);
  }

  /** publish lets the reader see what was written. */
  publish(): void {
    this.#native.publish();
  }
}

/** Receives one response. A Uint8Array is valid during the call only; an ArrayBuffer is the receiver's. */
export type OnResponse = (
  id: number,
  status: number,
  type: number,
  lines: string,
  body: Uint8Array | ArrayBuffer,
) => void;

/** ResponseReader reads the responses in a ring, on the thread of the HTTP process. */
export class ResponseReader {
  readonly #memory: SharedArrayBuffer;
  readonly #control: Int32Array;
  readonly #words: Int32Array;
  /** Bodies whose records were not read yet. */
  #bodies: ArrayBuffer[] = [];

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory;
    this.#control = new Int32Array(memory, 0, CONTROL_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#words = new Int32Array(memory, CONTROL_BYTES);
  }

  /** read passes each response to `take`, and returns their number. `bodies` came with the message. */
  read(bodies: readonly ArrayBuffer[] | undefined, take: OnResponse): number {
    if (bodies !== undefined) this.#bodies.push(...bodies);
    const begin = Atomics.load(this.#control, CONSUMED);
    const end = Atomics.load(this.#control, PUBLISHED);
    let at = begin;
    let count = 0;
    while (at !== end) {
      const word = (at & (SIZE - 1)) >> 2;
      const head = this.#words[word + 2]!;
      const type = (head >>> 16) & 0xff;
      if (type !== UNUSED) {
        const apart = (type & APART) !== 0;
        if (apart && this.#bodies.length === 0) break; // it comes with a later message
        const texts = CONTROL_BYTES + (word << 2) + HEADER_BYTES;
        const lengths = this.#words[word + 3]!;
        const lines = lengths >>> 16;
        take(
          this.#words[word + 1]!,
          head & 0xffff,
          apart ? type - APART : type,
          lines === 0 ? '' : this.#text(texts, lines),
          apart
            ? this.#bodies.shift()!
            : new Uint8Array(this.#memory, texts + lines, lengths & 0xffff),
        );
        count++;
      }
      at = (at + this.#words[word]!) | 0;
    }
    if (at !== begin) Atomics.store(this.#control, CONSUMED, at);
    return count;
  }

  /** discard drops the responses of a thread that has died. */
  discard(): void {
    this.#bodies = [];
    Atomics.store(this.#control, CONSUMED, Atomics.load(this.#control, PUBLISHED));
  }

  /** takeFull tells, once, whether the writer found no room. To be called after each read. */
  takeFull(): boolean {
    return (
      Atomics.load(this.#control, FULL) === 1 && Atomics.exchange(this.#control, FULL, 0) === 1
    );
  }

  #text(at: number, length: number): string {
    return Buffer.from(this.#memory, at, length).toString();
  }
}
