/** Texts in lines that a terminal shows whole. */

/** Most characters of a line. */
const WIDTH = 96;

/** wrapped breaks a text at spaces; further lines begin in `column`, where the first one stands already. */
export function wrapped(text: string, column = 0): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && column + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(column)}`);
}
