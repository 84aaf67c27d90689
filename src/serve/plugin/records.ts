/**
 * Parses records (wire.ts). A socket delivers chunks of any size: a record that lies within one chunk is not copied, any
 * other is assembled once in a buffer of its size. Records beyond the limit are an error.
 */
import { RECORD_HEAD, type PluginRecord } from './wire.js';

export type OnRecord = (record: PluginRecord) => void;

const NOTHING = Buffer.alloc(0);

export class RecordReader {
  readonly #most: number;
  readonly #onRecord: OnRecord;
  /** The beginning of a record whose fixed part is incomplete. */
  readonly #head = Buffer.alloc(RECORD_HEAD);
  /** An incomplete record; undefined while its length is unknown. */
  #whole: Buffer | undefined;
  /** Bytes received of either. */
  #have = 0;

  /** `most` is the longest `head` and `body` of a record together, bytes. */
  constructor(most: number, onRecord: OnRecord) {
    this.#most = most;
    this.#onRecord = onRecord;
  }

  /** push parses the next chunk. Throws RangeError for a record beyond the limit: the rest cannot be parsed. */
  push(chunk: Buffer): void {
    let at = 0;
    if (this.#have > 0) at = this.#complete(chunk);
    while (chunk.length - at >= RECORD_HEAD) {
      const end = at + RECORD_HEAD + this.#lengthAt(chunk, at);
      if (end > chunk.length) break;
      this.#onRecord(recordAt(chunk, at));
      at = end;
    }
    if (at < chunk.length) this.#begin(chunk, at);
  }

  /** Completes the record begun in earlier chunks; returns the offset after it. */
  #complete(chunk: Buffer): number {
    let at = 0;
    if (this.#whole === undefined) {
      at = chunk.copy(this.#head, this.#have);
      this.#have += at;
      if (this.#have < RECORD_HEAD) return at;
      this.#open(this.#head, 0);
    }
    const whole = this.#whole!;
    const copied = chunk.copy(whole, this.#have, at);
    this.#have += copied;
    if (this.#have < whole.length) return chunk.length;
    this.#whole = undefined;
    this.#have = 0;
    this.#onRecord(recordAt(whole, 0));
    return at + copied;
  }

  /** Keeps the beginning of a record at the end of a chunk. */
  #begin(chunk: Buffer, at: number): void {
    if (chunk.length - at < RECORD_HEAD) {
      this.#have = chunk.copy(this.#head, 0, at);
      return;
    }
    this.#open(chunk, at);
    this.#have = chunk.copy(this.#whole!, 0, at);
  }

  #open(from: Buffer, at: number): void {
    this.#whole = Buffer.allocUnsafe(RECORD_HEAD + this.#lengthAt(from, at));
    from.copy(this.#whole, 0, at, at + RECORD_HEAD);
  }

  #lengthAt(bytes: Buffer, at: number): number {
    const length = bytes.readUInt32LE(at + 8) + bytes.readUInt32LE(at + 12);
    if (length > this.#most) throw new RangeError(`a record of ${length} bytes`);
    return length;
  }
}

export function readRecords(bytes: Buffer, onRecord: OnRecord): void {
  for (let at = 0; at < bytes.length;) {
    const record = recordAt(bytes, at);
    at += RECORD_HEAD + record.head.length + record.body.length;
    onRecord(record);
  }
}

function recordAt(bytes: Buffer, at: number): PluginRecord {
  const from = at + RECORD_HEAD;
  const middle = from + bytes.readUInt32LE(at + 8);
  const end = middle + bytes.readUInt32LE(at + 12);
  return {
    id: bytes.readUInt32LE(at),
    kind: bytes.readUInt16LE(at + 4),
    status: bytes.readUInt16LE(at + 6),
    head: middle === from ? NOTHING : bytes.subarray(from, middle),
    body: end === middle ? NOTHING : bytes.subarray(middle, end),
  };
}
