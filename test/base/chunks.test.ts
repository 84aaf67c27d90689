/** Pieces of bounded size. */
import t from 'tap';
import { chunks } from '#app/base/chunks.js';

const CASES: readonly [what: string, sizes: readonly number[], chunks: readonly string[]][] = [
  ['nothing', [], []],
  ['one item', [1], ['0']],
  ['the sum is reached', [4, 6, 1], ['0 1', '2']],
  ['the sum would be passed', [4, 7, 3], ['0', '1 2']],
  ['a larger item is a chunk of its own', [1, 11, 1], ['0', '1', '2']],
  ['a larger item comes first', [99, 1], ['0', '1']],
  ['items without a size', [0, 0, 0, 0, 0], ['0 1 2 3', '4']],
];

for (const [what, sizes, wanted] of CASES)
  t.test(what, (t) => {
    const items = sizes.map((size, i) => ({ id: String(i), size }));
    const found = [...chunks(items, { items: 4, size: 10 })];
    t.strictSame(
      found.map((ids) => ids.join(' ')),
      wanted,
    );
    t.end();
  });
