/** The lines around a place: which lines, where the caret is, and what becomes of long lines and control characters. */
import t from 'tap';
import { excerpt, type TextPosition } from '#app/base/excerpt.js';

const CASES: readonly [
  what: string,
  text: string,
  place: TextPosition,
  lines: readonly string[],
][] = [
  ['one line', 'SELECT nam', { line: 1, column: 8 }, ['> 1 | SELECT nam', '    |        ^']],
  ['a line feed at the end', 'a\nb\n', { line: 2, column: 1 }, ['  1 | a', '> 2 | b', '    | ^']],
  ['behind the end', 'a\n', { line: 2, column: 1 }, ['  1 | a', '> 2 |', '    | ^']],
  ['an empty text', '', { line: 1, column: 1 }, ['> 1 |', '    | ^']],
  ['no column', 'a\nb\nc', { line: 2 }, ['  1 | a', '> 2 | b', '  3 | c']],
  [
    'two lines before and after, with numbers of two digits',
    'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk',
    { line: 8, column: 2 },
    ['   6 | f', '   7 | g', '>  8 | h', '     |  ^', '   9 | i', '  10 | j'],
  ],
  ['a tab is one column', '\ta\tb', { line: 1, column: 4 }, ['> 1 |  a b', '    |    ^']],
  ['characters, not UTF-16', "'😀' x", { line: 1, column: 5 }, ["> 1 | '😀' x", '    |     ^']],
  ['CRLF', 'a\r\nb\r\n', { line: 1, column: 1 }, ['> 1 | a', '    | ^', '  2 | b']],
  [
    'control characters do not reach the terminal',
    'a\u001b[31mb\u0007',
    { line: 1 },
    ['> 1 | a\uFFFD[31mb\uFFFD'],
  ],
];

for (const [what, text, place, lines] of CASES)
  t.test(what, (t) => {
    t.strictSame(excerpt(text, place), lines);
    t.end();
  });

t.test('a long line is cut around the column', (t) => {
  const text = `${'x'.repeat(5_000)}Y${'z'.repeat(5_000)}`;
  const [line = '', caret = ''] = excerpt(text, { line: 1, column: 5_001 });
  t.ok(line.length < 120, line);
  t.match(line, /^> 1 \| …x+Yz+…$/);
  t.equal(line[caret.indexOf('^')], 'Y');
  t.end();
});
