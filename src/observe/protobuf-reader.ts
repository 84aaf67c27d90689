/** A message of Protocol Buffers that is read: members by their numbers. One that is missing has the default of proto3. */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

type Member = number | Buffer;

export class MessageReader {
  readonly #members = new Map<number, Member[]>();

  /** Throws RangeError when the bytes are not a message. */
  constructor(bytes: Buffer) {
    const input = new Input(bytes);
    while (!input.isAtEnd) {
      const tag = input.varint();
      const member = Math.floor(tag / 8);
      const value = valueOf(input, tag % 8);
      const values = this.#members.get(member);
      if (values === undefined) this.#members.set(member, [value]);
      else values.push(value);
    }
  }

  /** list reads messages with their lengths before them. Throws RangeError. */
  static *list(bytes: Buffer): Iterable<MessageReader> {
    const input = new Input(bytes);
    while (!input.isAtEnd) yield new MessageReader(input.bytes(input.varint()));
  }

  integer(member: number): number {
    const value = this.#last(member) ?? 0;
    if (typeof value !== 'number') throw new RangeError('not a number');
    return value;
  }

  /** signed reads a sint32 or sint64. */
  signed(member: number): number {
    return unzigzag(this.integer(member));
  }

  double(member: number): number {
    const value = this.#last(member);
    if (value === undefined) return 0;
    if (typeof value === 'number' || value.length !== 8) throw new RangeError('not a double');
    return value.readDoubleLE();
  }

  text(member: number): string {
    return bytesOf(this.#last(member) ?? EMPTY).toString('utf8');
  }

  messages(member: number): MessageReader[] {
    return (this.#members.get(member) ?? []).map((value) => new MessageReader(bytesOf(value)));
  }

  /** signedList reads a packed list of sint64. */
  signedList(member: number): number[] {
    const input = new Input(bytesOf(this.#last(member) ?? EMPTY));
    const list: number[] = [];
    while (!input.isAtEnd) list.push(unzigzag(input.varint()));
    return list;
  }

  #last(member: number): Member | undefined {
    return this.#members.get(member)?.at(-1);
  }
}

const EMPTY = Buffer.alloc(0);

function valueOf(input: Input, type: number): Member {
  if (type === VARINT) return input.varint();
  if (type === FIXED64) return input.bytes(8);
  if (type === BYTES) return input.bytes(input.varint());
  if (type === FIXED32) return input.bytes(4);
  throw new RangeError(`wire type ${type}`);
}

function bytesOf(value: Member): Buffer {
  if (typeof value === 'number') throw new RangeError('a number');
  return value;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** Input is bytes that are read from the first to the last. */
class Input {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** varint reads a whole number from 0 to 2^53. */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 128) {
      const byte = this.#bytes.readUInt8(this.#at++);
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
    throw new RangeError('too large a number');
  }

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('beyond the end');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
