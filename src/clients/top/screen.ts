/**
 * Frames on a terminal: on its alternate screen, without line breaks of its own, redrawn when its size or the order of the
 * scripts changes. However the program ends, the terminal is as it was before; only SIGKILL leaves it as it is.
 */
import type { ReadStream, WriteStream } from 'node:tty';
import { frameLines, ORDERS, type Line } from './frame-lines.js';
import type { Frame } from './frame.js';
import type { View } from './watch.js';

/** The alternate screen, a hidden cursor, no automatic line breaks; and all of it back. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

const HOME = '\u001b[H';
const END_OF_LINE = '\u001b[K';
const END_OF_SCREEN = '\u001b[J';

const STYLES = { plain: '', title: '\u001b[1m', alarm: '\u001b[31m' } as const;
const NO_STYLE = '\u001b[0m';

const QUIT = ['q', 'Q', '\u0003', '\u0004'];

/** The size assumed of a terminal that does not tell it: a VT100's. */
const COLUMNS = 80;
const ROWS = 24;

export interface ScreenOptions {
  readonly output: WriteStream;
  /** Where keys are read, if it is a terminal. */
  readonly input: ReadStream;
  readonly colour: boolean;
  /** Called when the user wants to leave. */
  readonly quit: () => void;
}

export class Screen implements View {
  readonly #options: ScreenOptions;
  #order = 0;
  #frame: Frame | undefined;
  #notice: string | undefined;
  #isOpen = false;
  readonly #redraw = (): void => this.#draw();
  readonly #leave = (): void => this.close();
  readonly #keys = (data: Buffer): void => this.#press(data.toString());
  readonly #gone = (): void => this.#options.quit();

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  show(frame: Frame): void {
    this.#open();
    this.#frame = frame;
    this.#notice = undefined;
    this.#draw();
  }

  lost(reason: string): void {
    this.#notice = reason;
    this.#draw();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { output, input } = this.#options;
    process.off('exit', this.#leave);
    output.off('resize', this.#redraw);
    if (input.isTTY) {
      input.off('data', this.#keys).off('end', this.#gone).off('error', this.#gone);
      input.setRawMode(false).pause();
    }
    output.write(LEAVE);
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { output, input } = this.#options;
    process.on('exit', this.#leave);
    output.on('resize', this.#redraw);
    if (input.isTTY)
      input.setRawMode(true).on('data', this.#keys).on('end', this.#gone).on('error', this.#gone);
    output.write(ENTER);
  }

  #press(keys: string): void {
    for (const key of keys) {
      if (QUIT.includes(key)) this.#options.quit();
      if (key === 's') {
        this.#order = (this.#order + 1) % ORDERS.length;
        this.#draw();
      }
    }
  }

  #draw(): void {
    if (this.#frame === undefined || !this.#isOpen) return;
    const { output } = this.#options;
    const order = ORDERS[this.#order]!;
    // 0 where the terminal does not tell.
    const columns = output.columns || COLUMNS;
    const rows = output.rows || ROWS;
    const help: Line = {
      text: `q: quit, s: order, by ${order} now`.slice(0, columns),
      style: 'plain',
    };
    const lines = frameLines(this.#frame, order, { columns, rows: rows - 1 }, this.#notice);
    while (lines.length < rows - 1) lines.push({ text: '', style: 'plain' });
    const texts = [...lines, help].slice(0, rows).map((line) => this.#styled(line) + END_OF_LINE);
    output.write(HOME + texts.join('\r\n') + END_OF_SCREEN);
  }

  #styled({ text, style }: Line): string {
    return style === 'plain' || !this.#options.colour ? text : STYLES[style] + text + NO_STYLE;
  }
}
