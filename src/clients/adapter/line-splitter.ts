/**
 * Splits a stream of bytes into lines at LF. The cost of a line does not depend on the number of its chunks. A line
 * longer than a limit is reported as TOO_LONG and its bytes are discarded.
 */
const LF = 0x0a;
const CR = 0x0d;

export const TOO_LONG = Symbol('too long');

/** Line is a line without its end (LF, or CR and LF). */
export type Line = Buffer | typeof TOO_LONG;

export class LineSplitter {
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #length = 0;

  /** `limit` is the maximum length of a line, bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** push takes the next chunk and yields the lines that end in it. */
  *push(bytes: Buffer): Generator<Line> {
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      this.#add(bytes.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    this.#add(bytes.subarray(start));
  }

  /** end returns the last line if it has no line end. */
  end(): Line | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > this.#limit) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  #take(): Line {
    const line = this.#length > this.#limit ? TOO_LONG : joined(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    if (line === TOO_LONG || line.at(-1) !== CR) return line;
    return line.subarray(0, -1);
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
