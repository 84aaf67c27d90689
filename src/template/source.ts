/**
 * The text of a template: positions in it as Go writes them, and the way back to it from rendered text. Positions are
 * computed on demand; rendering only records two numbers per chunk.
 */
import { lineOf, lineStart, positionOf, type Position } from '../base/position.js';
import { byteLength } from './byte-string.js';

export interface Source {
  readonly name: string;
  readonly text: string;
}

/** goLocation formats a position as Go does: line from 1, and offset in bytes on the line. */
export function goLocation(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return `${lineOf(text, start)}:${byteLength(text.slice(start, offset))}`;
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
