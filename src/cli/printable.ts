/** Replaces control characters, which a terminal would obey, in texts from outside the program. */

/** printable replaces all control characters: for a text of one line. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\uFFFD');
}

export function quoted(name: string): string {
  return printable(JSON.stringify(name));
}

/** printableLines keeps tabs and line breaks; without a terminal the text is unchanged. */
export function printableLines(text: string): string {
  return process.stdout.isTTY ? text.replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD') : text;
}
