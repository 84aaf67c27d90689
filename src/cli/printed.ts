/** Texts that somebody else wrote, as they are printed: nothing in them that a terminal would act upon. */

/** printed is a text of one line. */
export function printed(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\uFFFD');
}

/** quoted is a name in quotes. */
export function quoted(name: string): string {
  return printed(JSON.stringify(name));
}

/** shown is a text of several lines: as it is, but not to a terminal. */
export function shown(text: string): string {
  return process.stdout.isTTY ? text.replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD') : text;
}
