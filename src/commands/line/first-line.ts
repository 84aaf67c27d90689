/**
 * Reads one line from a stream that is not a terminal, such as a pipe. Its writer may keep it open: what follows the
 * line is not waited for, and a stream on which nothing comes is given up.
 */
import type { Readable } from 'node:stream';

/** After this time, ms, it is said what is waited for; after the second one, that is given up. */
const NOTICE = 1_000;
const PATIENCE = 60_000;

/** Longest line, characters. */
const LONGEST = 4_096;

export interface FirstLineOptions {
  /** Called when nothing has come yet. */
  readonly waiting: () => void;
  readonly notice?: number;
  readonly patience?: number;
}

/**
 * firstLine resolves to the first line without its line break, which the end of the stream may replace; to `empty` when
 * the stream ends without a character, `late` when nothing came in time, and `long` beyond LONGEST characters.
 */
export function firstLine(
  input: Readable,
  { waiting, notice = NOTICE, patience = PATIENCE }: FirstLineOptions,
): Promise<{ readonly line: string } | 'empty' | 'late' | 'long'> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timers = [
      setTimeout(waiting, notice),
      setTimeout(() => {
        end();
        resolve('late');
      }, patience),
    ];
    const end = (): void => {
      for (const timer of timers) clearTimeout(timer);
      input.off('data', take).off('end', ended).off('error', failed).pause();
    };
    const ended = (): void => {
      end();
      resolve(text === '' ? 'empty' : { line: text });
    };
    const failed = (error: Error): void => {
      end();
      reject(error);
    };
    const take = (part: string): void => {
      text += part;
      const length = text.indexOf('\n');
      if (length < 0 && text.length <= LONGEST) return;
      end();
      resolve(length < 0 ? 'long' : { line: text.slice(0, length).replace(/\r$/, '') });
    };
    input.setEncoding('utf8').on('data', take).on('end', ended).on('error', failed);
  });
}
