/** Texts of messages and errors, and the order of texts. */

/** printable replaces all control characters, which a terminal would obey: for a text of one line. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\uFFFD');
}

/** compareText orders by code units, so that the order is the same everywhere. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** sortedBy gives items in the order of their keys, as compareText. */
export function sortedBy<T>(items: Iterable<T>, keyOf: (item: T) => string): T[] {
  return [...items].sort((a, b) => compareText(keyOf(a), keyOf(b)));
}

/** counted is a number of things: `1 script`, `2 scripts`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** oneLine joins the lines of a message with spaces; messages of libpq have several. */
export function oneLine(message: string): string {
  return message.trim().replaceAll(/\s*\n\s*/g, ' ');
}

/** errorText is the message of an Error, else the thrown value as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** systemErrorText is the code of a system error, such as ENOENT, else the error as text. */
export function systemErrorText(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
