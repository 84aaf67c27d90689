/** Which results are drawn, and how. */
import t from 'tap';
import { plotOf } from '#app/clients/page/plot-data.js';
import { readRows } from '#app/clients/page/rows.js';

function drawn(rows: readonly unknown[]): ReturnType<typeof plotOf> {
  const { columns, rows: cells } = readRows(JSON.stringify(rows))!.page(0, 1_000);
  return plotOf(columns, cells);
}

const NOT_DRAWN: [what: string, rows: readonly unknown[]][] = [
  ['no rows', []],
  ['one row', [{ a: 'x', b: 1 }]],
  ['one column', [{ a: 1 }, { a: 2 }]],
  ['labels with two numbers', [{ a: 'x', b: 1, c: 2 }, { a: 'y', b: 1, c: 2 }]], // prettier-ignore
  ['ids that are numbers', [{ id: 1, b: 1 }, { id: 2, b: 2 }]], // prettier-ignore
  ['a text among the numbers', [{ a: 'x', b: 1 }, { a: 'y', b: 'z' }]], // prettier-ignore
  ['no number', [{ a: 'x', b: null }, { a: 'y', b: null }]], // prettier-ignore
  ['a label that is missing', [{ a: 'x', b: 1 }, { a: null, b: 2 }]], // prettier-ignore
];

t.test('not drawn', (t) => {
  for (const [what, rows] of NOT_DRAWN) t.equal(drawn(rows), undefined, what);
  t.end();
});

t.test('bars', (t) => {
  const bars = drawn([{ city: 'Kielce', n: 3 }, { city: '2026', n: null }]); // prettier-ignore
  t.match(bars, { kind: 'bars', name: 'n', points: [{ label: 'Kielce', value: 3 }, { value: 0 }] });
  t.end();
});

t.test('series over time, in order', (t) => {
  for (const [a, b] of [
    ['2026-01-01', '2026-01-02'],
    ['2026-01', '2026-02'],
    ['2026-01-01T10:00:00', '2026-01-01T11:00:00.5'],
    ['2026-01-01 10:00:00+02', '2026-01-01 10:00:00+01'],
    ['2026-01-01T10:00:00+02:00', '2026-01-01T10:00:00Z'],
  ]) {
    const series = drawn([{ day: b, x: 2, y: null, s: 'z' }, { day: a, x: 1, y: 5, s: 'z' }]); // prettier-ignore
    t.match(series, {
      kind: 'series',
      labels: [a, b],
      lines: [
        { name: 'x', values: [1, 2] },
        { name: 'y', values: [5, undefined] },
      ],
    });
  }
  t.equal(drawn([{ day: '2026-01-01', x: 1 }, { day: '2026-01-01', x: 2 }])?.kind, 'bars'); // prettier-ignore
  t.end();
});
