/**
 * Lines and columns of offsets in a text. An offset counts UTF-16 units, and only a line feed ends a line. A column counts
 * characters: a surrogate pair is one, and so is a lone surrogate.
 */

/** A line and a column, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionOf(text: string, offset: number): Position {
  const start = lineStart(text, offset);
  let column = 1;
  for (let i = start; i < offset; i++)
    if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00 || (text.charCodeAt(i - 1) & 0xfc00) !== 0xd800)
      column++;
  return { line: lineOf(text, start), column };
}

export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) line++;
  return line;
}

export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}
