/** Placeholders of one of several statements: numbered from $1, and positions mapped back to the text. */
import t from 'tap';
import { originalOffset, renumber } from '#app/script/statement/placeholders.js';

const CASES: readonly [text: string, sql: string, uses: readonly number[]][] = [
  ['SELECT 1', 'SELECT 1', []],
  ['SELECT $1', 'SELECT $1', [0]],
  ['SELECT $2', 'SELECT $1', [1]],
  ['SELECT $3, $2, $3', 'SELECT $1, $2, $1', [2, 1]],
  ['SELECT $12 + $3', 'SELECT $1 + $2', [11, 2]],
  [
    `SELECT '$2', "$2", $$ $2 $$, E'\\'$2', x$2, $2 -- $2`,
    `SELECT '$2', "$2", $$ $2 $$, E'\\'$2', x$2, $1 -- $2`,
    [1],
  ],
  ['SELECT $0, $a, $ 1', 'SELECT $0, $a, $ 1', []],
  ['SELECT 2, $2::int[2]', 'SELECT 2, $1::int[2]', [1]],
];

t.test('renumbered', (t) => {
  for (const [text, sql, uses] of CASES) t.strictSame(renumber(text), { sql, uses }, text);
  t.end();
});

t.test('positions', (t) => {
  const text = 'SELECT $1000, $1000, é, $9, nope';
  const renumbered = renumber(text);
  t.equal(renumbered.sql, 'SELECT $1, $1, é, $2, nope');
  for (const part of ['SELECT', '$1', ' é', 'nope']) {
    const offset = renumbered.sql.indexOf(part);
    t.equal(originalOffset(renumbered, offset), text.indexOf(part), part);
  }
  t.equal(originalOffset(renumbered, renumbered.sql.length), text.length);
  t.end();
});

t.test('ten placeholders become longer ones', (t) => {
  const first = Array.from({ length: 9 }, (_, i) => `$${i + 11}`).join();
  const text = `SELECT ${first}, $1, nope`;
  const renumbered = renumber(text);
  t.match(renumbered.sql, /\$9, \$10, nope$/);
  t.equal(originalOffset(renumbered, renumbered.sql.indexOf('nope')), text.indexOf('nope'));
  t.end();
});
