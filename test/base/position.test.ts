/** Lines and columns of offsets: what ends a line, and what a column counts. */
import t from 'tap';
import { lineOf, lineStart, positionOf } from '#app/base/position.js';

const CASES: readonly (readonly [text: string, offset: number, wanted: string, start: number])[] = [
  ['', 0, '1:1', 0],
  ['\n', 0, '1:1', 0],
  ['\n', 1, '2:1', 1],
  ['\n\n', 1, '2:1', 1],
  ['\n\nab', 3, '3:2', 2],
  ['ab\ncd', 0, '1:1', 0],
  ['ab\ncd', 2, '1:3', 0],
  ['ab\ncd', 3, '2:1', 3],
  ['ab\ncd', 5, '2:3', 3],
  ['ab\ncd', 9, '2:7', 3],
  ['a\r\nb', 2, '1:3', 0],
  ['a\r\nb', 3, '2:1', 3],
  ['a\rb\vc', 4, '1:5', 0],
  ['é日x', 2, '1:3', 0],
  ['😀\n😀😀x', 7, '2:3', 3],
  ['😀x', 1, '1:2', 0],
  ['e\u0301x', 2, '1:3', 0],
  ['\udc80\udc81x', 2, '1:3', 0],
  ['\ud800\ud800\udc00x', 3, '1:3', 0],
  ['\ud800\n\udc00x', 3, '2:2', 2],
];

for (const [text, offset, wanted, start] of CASES)
  t.test(`${JSON.stringify(text)} at ${offset}`, (t) => {
    const { line, column } = positionOf(text, offset);
    t.equal(`${line}:${column}`, wanted);
    t.equal(lineOf(text, offset), line);
    t.equal(lineStart(text, offset), start);
    t.end();
  });
