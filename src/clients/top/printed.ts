/** Frames on a pipe, in a file, or on a terminal that cannot be redrawn: as lines of text, or of JSON, one a frame. */
import { once } from 'node:events';
import { frameLines } from './frame-lines.js';
import type { Frame } from './frame.js';
import type { View } from './watch.js';

/** Room for some 40 scripts; `--json` has all of them. */
const ROOM = { columns: Infinity, rows: 80 };

export interface PrintedOptions {
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
  readonly json: boolean;
  /** Aborted when nothing is to be written any more. */
  readonly stop: AbortSignal;
}

export class Printed implements View {
  readonly #options: PrintedOptions;
  #isFirst = true;
  #isLost = false;

  constructor(options: PrintedOptions) {
    this.#options = options;
  }

  /** show resolves when the reader has room for more: a slow one gets fewer frames. */
  async show(frame: Frame): Promise<void> {
    const { output, json, stop } = this.#options;
    const text = json ? `${JSON.stringify(frame)}\n` : this.#text(frame);
    this.#isLost = false;
    this.#isFirst = false;
    if (!output.write(text)) await once(output, 'drain', { signal: stop }).catch(() => undefined);
  }

  /** lost writes one line for each outage. */
  lost(reason: string): void {
    if (!this.#isLost) this.#options.errors.write(`warning: ${reason}; trying again\n`);
    this.#isLost = true;
  }

  #text(frame: Frame): string {
    const lines = frameLines(frame, 'time', ROOM).map(({ text }) => `${text}\n`);
    return (this.#isFirst ? '' : '\n') + lines.join('');
  }
}
