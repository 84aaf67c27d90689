/** Writes messages of Protocol Buffers, member by member, for metrics and spans. */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

const LONGEST_VARINT = 10;

export class MessageWriter {
  #bytes = Buffer.allocUnsafe(64);
  #length = 0;

  integer(member: number, value: number): void {
    this.#tag(member, VARINT);
    this.#varint(value);
  }

  /** signed writes a sint32 or sint64. */
  signed(member: number, value: number): void {
    this.#tag(member, VARINT);
    this.zigzag(value);
  }

  /** zigzag writes a sint64 without its member, as in a packed list. */
  zigzag(value: number): void {
    this.#varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  double(member: number, value: number): void {
    this.#tag(member, FIXED64);
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** fixed64 writes a fixed64. */
  fixed64(member: number, value: bigint): void {
    this.#tag(member, FIXED64);
    this.#reserve(8);
    this.#length = this.#bytes.writeBigUInt64LE(value, this.#length);
  }

  /** fixed32 writes a fixed32. */
  fixed32(member: number, value: number): void {
    this.#tag(member, FIXED32);
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32LE(value, this.#length);
  }

  /** binary writes bytes. */
  binary(member: number, value: Buffer): void {
    this.#tag(member, BYTES);
    this.#varint(value.length);
    this.raw(value);
  }

  /** raw writes members that are encoded already. */
  raw(value: Buffer): void {
    this.#reserve(value.length);
    this.#length += value.copy(this.#bytes, this.#length);
  }

  text(member: number, value: string): void {
    this.#tag(member, BYTES);
    const length = Buffer.byteLength(value);
    this.#varint(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  message(member: number, value: MessageWriter): void {
    this.#tag(member, BYTES);
    this.nested(value);
  }

  /** nested writes a message with its length before it. */
  nested(value: MessageWriter): void {
    this.#varint(value.#length);
    this.#reserve(value.#length);
    this.#length += value.#bytes.copy(this.#bytes, this.#length, 0, value.#length);
  }

  /** length is how long it is so far, bytes. */
  get length(): number {
    return this.#length;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #tag(member: number, type: number): void {
    this.#varint(member * 8 + type);
  }

  /** A whole number from 0 to 2^53. */
  #varint(value: number): void {
    this.#reserve(LONGEST_VARINT);
    for (; value > 127; value = Math.floor(value / 128))
      this.#bytes[this.#length++] = (value % 128) + 128;
    this.#bytes[this.#length++] = value;
  }

  /** Makes room for more bytes. */
  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
