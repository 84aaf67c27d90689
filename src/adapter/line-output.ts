/**
 * Standard output, a message a line and nothing else. Says when the reader falls behind, so that no more is asked for
 * than can be passed on.
 */
import type { Writable } from 'node:stream';

export class LineOutput {
  readonly #stream: Writable;
  #clogged = false;

  /** `drained` is called when a clogged output has room again, `left` when nobody reads it any more. */
  constructor(stream: Writable, drained: () => void, left: () => void) {
    this.#stream = stream;
    stream.on('error', left).on('drain', () => {
      this.#clogged = false;
      drained();
    });
  }

  /** clogged tells whether what was written waits to be read. */
  get clogged(): boolean {
    return this.#clogged;
  }

  /** bytes is how much of it waits. */
  get bytes(): number {
    return this.#stream.writableLength;
  }

  /** write writes a line, which must hold no line end. */
  write(line: string | Buffer): void {
    this.#stream.write(line);
    this.#clogged = !this.#stream.write('\n');
  }

  /** flushed resolves when all that was written has been passed on. */
  flushed(): Promise<void> {
    return new Promise((resolve) => void this.#stream.write('', () => resolve()));
  }
}
