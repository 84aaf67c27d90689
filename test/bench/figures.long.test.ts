/**
 * Medians of several samples, and the order of a case's ids.
 */
import t from 'tap';
import { CASES, ids } from '../../bench/cases.js';
import { spread, summarise } from '../../bench/measure/figures.js';

t.test('median, minimum and maximum', (t) => {
  const table: [number[], number, number, number][] = [
    [[5], 5, 5, 5],
    [[9, 1, 4], 4, 1, 9],
    [[10, 1, 3, 2], 2.5, 1, 10],
  ];
  for (const [values, median, min, max] of table) {
    t.strictSame(spread(values), { median, min, max }, values.join(' '));
  }
  t.end();
});

t.test('an absent figure stays absent', (t) => {
  const summary = summarise([{ rate: 7, databaseCpu: 2, errors: 0, otherLoad: 0 }]);
  t.strictSame(Object.keys(summary).sort(), ['databaseCpu', 'errors', 'otherLoad', 'rate']);
  t.end();
});

for (const subject of CASES) {
  t.test(`${subject.name}: no id repeats before all were used, none is out of range`, (t) => {
    for (const seed of [0, 1, 29]) {
      const sorted = ids(subject, seed, subject.range).sort((a, b) => a - b);
      t.equal(new Set(sorted).size, subject.range);
      t.equal(sorted[0], 1);
      t.equal(sorted.at(-1), subject.range);
    }
    t.end();
  });
}
