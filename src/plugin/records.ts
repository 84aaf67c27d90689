/**
 * Takes records apart (wire.ts). What comes over a socket comes in pieces of any size: a record that lies whole in one of
 * them is not copied, any other is put together once, in memory of its own size. Refuses records that are longer than any
 * could be.
 */
import { RECORD_HEAD, type PluginRecord } from './wire.js';

/** Told of each record, in order. */
export type OnRecord = (record: PluginRecord) => void;

const NOTHING = Buffer.alloc(0);

/** RecordReader puts pieces together. */
export class RecordReader {
  readonly #most: number;
  readonly #take: OnRecord;
  /** The beginning of a record whose head has not come whole. */
  readonly #head = Buffer.alloc(RECORD_HEAD);
  /** A record of which a part has come; undefined while its length is not known. */
  #whole: Buffer | undefined;
  /** Bytes there are of either. */
  #have = 0;

  /** `most` is the most bytes of a record besides those that begin it. */
  constructor(most: number, take: OnRecord) {
    this.#most = most;
    this.#take = take;
  }

  /** push takes the next piece. Throws RangeError for a record that is too long: what follows it cannot be read. */
  push(piece: Buffer): void {
    let at = 0;
    if (this.#have > 0) at = this.#complete(piece);
    while (piece.length - at >= RECORD_HEAD) {
      const end = at + RECORD_HEAD + this.#lengthAt(piece, at);
      if (end > piece.length) break;
      this.#take(recordAt(piece, at));
      at = end;
    }
    if (at < piece.length) this.#begin(piece, at);
  }

  /** Completes what had begun, and returns where the piece goes on after it. */
  #complete(piece: Buffer): number {
    let at = 0;
    if (this.#whole === undefined) {
      at = piece.copy(this.#head, this.#have);
      this.#have += at;
      if (this.#have < RECORD_HEAD) return at;
      this.#open(this.#head, 0);
    }
    const whole = this.#whole!;
    const copied = piece.copy(whole, this.#have, at);
    this.#have += copied;
    if (this.#have < whole.length) return piece.length;
    this.#whole = undefined;
    this.#have = 0;
    this.#take(recordAt(whole, 0));
    return at + copied;
  }

  /** Keeps the part of a record that ends a piece. */
  #begin(piece: Buffer, at: number): void {
    if (piece.length - at < RECORD_HEAD) {
      this.#have = piece.copy(this.#head, 0, at);
      return;
    }
    this.#open(piece, at);
    this.#have = piece.copy(this.#whole!, 0, at);
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

/** readRecords takes whole records apart. */
export function readRecords(bytes: Buffer, take: OnRecord): void {
  for (let at = 0; at < bytes.length;) {
    const record = recordAt(bytes, at);
    at += RECORD_HEAD + record.head.length + record.body.length;
    take(record);
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
