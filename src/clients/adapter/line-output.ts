/**
 * Standard output, one message per line. Reports when the reader falls behind, so that no further requests are sent
 * meanwhile.
 */
import type { Writable } from 'node:stream';

export class LineOutput {
  readonly #stream: Writable;
  #full = false;

  /** `drained` is called when a full output has room again, `closed` when the reader has closed it. */
  constructor(stream: Writable, drained: () => void, closed: () => void) {
    this.#stream = stream;
    stream.on('error', closed).on('drain', () => {
      this.#full = false;
      drained();
    });
  }

  /** Whether the stream's buffer is full. */
  get full(): boolean {
    return this.#full;
  }

  /** Unwritten bytes. */
  get bytes(): number {
    return this.#stream.writableLength;
  }

  /** write writes a line, which must not contain a line end. */
  write(line: string | Buffer): void {
    this.#stream.write(line);
    this.#full = !this.#stream.write('\n');
  }

  flushed(): Promise<void> {
    return new Promise((resolve) => void this.#stream.write('', () => resolve()));
  }
}
