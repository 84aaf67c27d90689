/**
 * Positions in a template's text: converts UTF-16 offsets to lines and columns, and maps rendered text back to the
 * template. Positions are computed on demand; rendering only records two numbers per chunk.
 */
import { byteLength } from './byte-string.js';
import type { Position } from './errors.js';

export interface Source {
  readonly name: string;
  readonly text: string;
}

/** positionOf returns the line and column (from 1, in characters) of an offset. */
export function positionOf(text: string, offset: number): Position {
  const start = lineStart(text, offset);
  let column = 1;
  for (let i = start; i < offset; i++)
    if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00 || (text.charCodeAt(i - 1) & 0xfc00) !== 0xd800)
      column++;
  return { line: lineOf(text, start), column };
}

/** goLocation formats a position as Go does: line from 1, and offset in bytes on the line. */
export function goLocation(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return `${lineOf(text, start)}:${byteLength(text.slice(start, offset))}`;
}

export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) line++;
  return line;
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/**
 * locate finds the position in a template that produced the output at an offset. `marks` has pairs: the offset of a
 * chunk of output, and the offset in the template it comes from, complemented (~) if the chunk is a value, all of which
 * comes from one action.
 */
export function locate(source: string, marks: readonly number[], offset: number): Position {
  let low = 0;
  let high = marks.length / 2 - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (marks[2 * middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  const start = marks[2 * low] ?? 0;
  const place = marks[2 * low + 1] ?? 0;
  return positionOf(source, place < 0 ? ~place : Math.min(place + offset - start, source.length));
}
