/** Costs: how they follow from samples, and files that have none. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { readCosts, writeCosts } from '../../../bench/model/costs-file.js';
import { cellsOf, costsOf, fitLine, type Costs } from '../../../bench/model/costs.js';
import type { Sample } from '../../../bench/model/sample.js';
import { readSamples } from '../../../bench/model/samples-file.js';

const LINES: [string, [sleeps: number, cpu: number][], { item: number; wake: number }][] = [
  [
    'a line',
    [
      [2, 36],
      [1, 23],
      [0, 10],
    ],
    { item: 10, wake: 13 },
  ],
  [
    'always the same number of sleeps: not told from the request',
    [
      [1, 20],
      [1, 20],
    ],
    { item: 20, wake: 0 },
  ],
  [
    'cheaper with sleeps: they cost nothing',
    [
      [1, 10],
      [0.1, 10],
      [2, 10],
    ],
    { item: 10, wake: 0 },
  ],
  ['one sample', [[1, 20]], { item: 20, wake: 0 }],
];

for (const [name, points, expected] of LINES) {
  t.test(name, (t) => {
    const { item, wake } = fitLine(points.map(([sleeps, cpu]) => ({ sleeps, cpu })));
    t.ok(Math.abs(item - expected.item) < 1e-9, `${item} a request`);
    t.ok(Math.abs(wake - expected.wake) < 1e-9, `${wake} a wake-up`);
    t.end();
  });
}

t.test('medians of rounds, and the time to wake up from a single connection', (t) => {
  const samples = [1, 5, 3].flatMap((p99) => [sample(1, 0.2, p99, 2), sample(64, 3, p99, 0)]);
  const cells = cellsOf(samples);
  t.strictSame(
    cells.map(({ connections, p99 }) => [connections, p99]),
    [
      [1, 3],
      [64, 3],
    ],
  );
  // 4 x (10 + 2 x 5 / 2) of 200 µs are work, the rest is for six sleeping threads.
  t.ok(Math.abs(costsOf(cells).wakeUp - 140 / 6) < 1e-9);
  t.end();
});

t.test('a file that was written is read again', (t) => {
  const file = path.join(t.testdir(), 'costs.json');
  const one = costsOf(cellsOf([sample(1, 0.2, 1, 2), sample(64, 3, 1, 0)]));
  writeCosts(file, { machine: 'two cores', cases: { one } });
  const read = readCosts(file, 'one');
  t.equal(read.machine, 'two cores');
  t.strictSame(read.costs.http, { wake: 5, item: 10 });
  t.throws(() => readCosts(file, 'page'), /has no costs of page, but of one/);
  t.throws(() => readCosts(file, 'constructor'), /has no costs of constructor/);
  t.end();
});

const GOOD = {
  ...Object.fromEntries(
    ['generator', 'http', 'worker', 'backend'].map((part) => [part, { wake: 1, item: 2 }]),
  ),
  ...{ wakeUp: 1, variation: 0, pause: 0 },
} as unknown as Costs;

const WRONG: [string, string, RegExp][] = [
  ['no JSON', '{', /is not JSON/],
  ['no object', '[]', /is not an object/],
  ['no cases', '{}', /cases is not an object/],
  [
    'a part is missing',
    JSON.stringify({ cases: { one: { ...GOOD, http: undefined } } }),
    /cases.one.http is not an object/,
  ],
  [
    'a time is missing',
    JSON.stringify({ cases: { one: { ...GOOD, http: { wake: 1 } } } }),
    /http.item must be a number/,
  ],
  [
    'a time is negative',
    JSON.stringify({ cases: { one: { ...GOOD, wakeUp: -1 } } }),
    /wakeUp must be a number, 0 or above, not -1/,
  ],
];

for (const [name, text, message] of WRONG) {
  t.test(`costs: ${name}`, (t) => {
    const file = path.join(t.testdir(), 'costs.json');
    writeFileSync(file, text);
    t.throws(() => readCosts(file, 'one'), message);
    t.throws(() => readSamples(file), /is not JSON|has no samples of the model/);
    t.end();
  });
}

t.test('samples without a sample, and with one without a part', (t) => {
  const file = path.join(t.testdir(), 'samples.json');
  const recorded = { machine: 'two cores', cores: 2, pool: 24, samples: [sample(1, 0.2, 1, 2)] };
  writeFileSync(file, JSON.stringify(recorded));
  t.strictSame(readSamples(file), recorded);
  for (const samples of [[], [{ ...recorded.samples[0], parts: {} }], [null]]) {
    writeFileSync(file, JSON.stringify({ ...recorded, samples }));
    t.throws(() => readSamples(file), /has no samples of the model/);
  }
  t.end();
});

/** sample has parts that take 10 µs for a request and 5 µs for a sleep. */
function sample(connections: number, p50: number, p99: number, sleeps: number): Sample {
  const part = { cpu: 10 + 5 * sleeps, sleeps };
  return {
    ...{ case: 'one', layout: { processes: 1, threads: 1 }, connections, rate: 1000, p50, p99 },
    otherLoad: 0,
    parts: { generator: part, http: part, worker: part, backend: part },
  };
}
