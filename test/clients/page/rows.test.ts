/** Rows of a response, read from its text: columns, cells with all their digits, pages. */
import t from 'tap';
import { indented, spans } from '#app/clients/page/json-text.js';
import { cellText, readRows } from '#app/clients/page/rows.js';

/** The columns and the shown cells of all rows. */
function table(json: string): unknown {
  const rows = readRows(json);
  if (rows === undefined) return undefined;
  const { columns, rows: cells } = rows.page(0, 100);
  return [columns, cells.map((row) => Array.from(row, cellText))];
}

const CASES: [what: string, json: string, shown: unknown][] = [
  ['no rows', '[]', [[], []]],
  ['a number is no rows', '42', undefined],
  ['a text is no rows', '"a"', undefined],
  ['null is no rows', 'null', undefined],
  ['rows', '[{"a":1,"b":"x"}, \n {"a":2,"b":null}]', [['a', 'b'], [['1', 'x'], ['2', 'null']]]], // prettier-ignore
  ['digits stay', '[{"n":9007199254740993,"m":9.50}]', [['n', 'm'], [['9007199254740993', '9.50']]]], // prettier-ignore
  ['brackets and quotes in texts', '[{"a\\"]":"}],\\"\\\\"}]', [['a"]'], [['}],"\\']]]],
  ['values that are JSON', '[{"a":[1, {"b":"]"}],"c":{}}]', [['a', 'c'], [['[1, {"b":"]"}]', '{}']]]], // prettier-ignore
  [
    'other columns in each row',
    '[{"a":1},{"b":2}]',
    [
      ['a', 'b'],
      [['1'], ['', '2']],
    ],
  ],
  ['a column twice', '[{"a":1,"a":2}]', [['a', 'a'], [['1', '2']]]],
  ['names of Object.prototype', '[{"__proto__":1,"constructor":2}]', [['__proto__', 'constructor'], [['1', '2']]]], // prettier-ignore
  ['plain values', '[1,"x"]', [['value'], [['1'], ['x']]]],
  ['one row', '{"a":1}', [['a'], [['1']]]],
  ['a write', '{"rows_affected":2}', [[], []]],
  ['a write with rows', '{"rows_affected":1,"rows":[{"id":7}]}', [['id'], [['7']]]],
  ['markup', '[{"<b>":"<script>"}]', [['<b>'], [['<script>']]]],
];

t.test('tables', (t) => {
  for (const [what, json, shown] of CASES) t.strictSame(table(json), shown, what);
  t.end();
});

t.test('a page of many rows', (t) => {
  const rows = readRows(JSON.stringify(Array.from({ length: 100_000 }, (_, n) => ({ n }))))!;
  t.equal(rows.count, 100_000);
  t.strictSame(rows.page(99_998, 100).rows, [['99998'], ['99999']]);
  t.equal(readRows('{"rows_affected":2}')!.affected, '2');
  t.end();
});

t.test('text that ends too early is no endless loop', (t) => {
  for (const text of ['[', '{', '[{"a":"', '{"a"', '[[[', '{"a":1', ']', ''])
    t.ok(Array.isArray(spans(text)), text);
  t.end();
});

t.test('JSON on several lines', (t) => {
  for (const value of [[], {}, [1, [2, []]], { a: { b: [], c: 'x, {y}: [z]' }, d: null }, '"', 7]) {
    const text = JSON.stringify(value, null, 2);
    t.equal(indented(JSON.stringify(value), 10_000).text, text);
    t.equal(indented(text, 10_000).text, text);
  }
  const part = indented(JSON.stringify(Array.from({ length: 1_000 }, () => 1)), 50);
  t.equal(part.whole, false);
  t.ok(part.text.length < 60);
  t.end();
});
