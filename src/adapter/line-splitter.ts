/**
 * Bytes as they come, cut into lines. A line is cut at LF only, never inside a character, and costs the same in however
 * many pieces it came. Refuses lines beyond a limit: their bytes are dropped up to their end.
 */
const LF = 0x0a;
const CR = 0x0d;

/** TOO_LONG stands for a line beyond the limit. */
export const TOO_LONG = Symbol('too long');

/** Line is a line without its end (LF, or CR and LF). */
export type Line = Buffer | typeof TOO_LONG;

export class LineSplitter {
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #length = 0;

  /** `limit` is the most bytes of a line. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** push takes the next bytes and yields the lines that end in them. */
  *push(bytes: Buffer): Generator<Line> {
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      this.#add(bytes.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    this.#add(bytes.subarray(start));
  }

  /** end is the last line, when it has no end of its own. */
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
