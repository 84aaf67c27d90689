/** Replaces control characters, which a terminal would obey, in texts from outside the program. */

import { printable } from '../../base/text.js';

export { printable };

export function quoted(name: string): string {
  return printable(JSON.stringify(name));
}

/** printableLines keeps tabs and line breaks; without a terminal the text is unchanged. */
export function printableLines(text: string): string {
  return process.stdout.isTTY ? text.replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD') : text;
}
