/** Scrapes in protobuf: what is refused, and that every series is read as it was written. */
import t from 'tap';
import type { Family } from '#app/observe/metrics/families.js';
import {
  HISTOGRAM_LENGTH,
  LEAST,
  observeSeconds,
  readHistogram,
} from '#app/observe/metrics/histogram.js';
import { protobuf } from '#app/observe/metrics/protobuf-format.js';
import { FormatError, readMetrics } from '#app/clients/top/metrics-reader.js';

const NAMES = new Set(['a_total', 'b', 'c_seconds', 'd_info']);

/** Times in every bucket, below the first and beyond the last one. */
const values = new Float64Array(HISTOGRAM_LENGTH);
for (const seconds of [0, 0.000_2, 0.001, 0.001, 0.5, 0.51, 100])
  observeSeconds(values, 0, seconds);
const histogram = readHistogram(values, 0, LEAST.seconds);
const none = readHistogram(new Float64Array(HISTOGRAM_LENGTH), 0, LEAST.seconds);

const FAMILIES: readonly Family[] = [
  {
    name: 'a',
    kind: 'counter',
    unit: '',
    help: 'A.',
    samples: [
      { labels: [], value: 2 ** 40 },
      { labels: [['x', 'ß"\\\n\u0000']], value: 0.5 },
    ],
  },
  { name: 'b', kind: 'gauge', unit: 'bytes', help: '', samples: [{ labels: [], value: -1 }] },
  {
    name: 'c_seconds',
    kind: 'histogram',
    unit: 'seconds',
    help: 'C.',
    samples: [
      { labels: [['y', '']], value: histogram },
      { labels: [['y', 'z']], value: none },
    ],
  },
  { name: 'd', kind: 'info', unit: '', help: 'D.', samples: [{ labels: [['v', '1']], value: 1 }] },
  { name: 'e', kind: 'gauge', unit: '', help: 'E.', samples: [{ labels: [], value: 1 }] },
];
/** The least bound 1, as member 6. */
const LEAST_BOUND = [0x31, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f];

const BYTES = protobuf(FAMILIES);

t.test('refused', (t) => {
  const cases: [about: string, bytes: Buffer][] = [
    ['text', Buffer.from('# HELP a_total A.\n# TYPE a_total counter\na_total 1\n')],
    ['a page', Buffer.from('<!doctype html>\n<html></html>')],
    ['zeros', Buffer.alloc(100, 1)],
    ['a number that does not end', Buffer.alloc(100, 0xff)],
    ['a length beyond the end', Buffer.from([0xff, 0xff, 0x7f, 0x0a])],
    ['a group', Buffer.from([1, 0x0b])],
    ['a text instead of a type', family([0x1a, 0])],
    ['a summary', family([0x18, 2])],
    ['no value', family([0x18, 1, 0x22, 0])],
    ['a value that is a number', family([0x18, 1, 0x22, 2, 0x10, 1])],
    ['a histogram of another schema', histogramFamily([0x28, 2])],
    ['one without bounds', histogramFamily([0x28, 4])],
    ['one with endless buckets', histogramFamily([0x28, 4, ...LEAST_BOUND, 0x62, 7, 8, 0, 0x10, 255, 255, 255, 127])], // prettier-ignore
    ['one with a bucket below the least', histogramFamily([0x28, 4, ...LEAST_BOUND, 0x62, 4, 8, 255, 1, 0x10, 1, 0x6a, 1, 2])], // prettier-ignore
  ];
  for (const [about, bytes] of cases) t.throws(() => readMetrics(bytes, NAMES), FormatError, about);
  t.end();
});

t.test('cut off anywhere: an error or whole families', (t) => {
  let errors = 0;
  for (let length = 0; length < BYTES.length; length++) {
    try {
      readMetrics(BYTES.subarray(0, length), NAMES);
    } catch (error) {
      errors++;
      if (!(error instanceof FormatError)) throw error;
    }
  }
  t.equal(errors, BYTES.length - FAMILIES.length);
  t.end();
});

t.test('nothing', (t) => {
  t.equal(readMetrics(Buffer.alloc(0), NAMES).size, 0);
  t.end();
});

t.test('what the service writes', (t) => {
  const metrics = readMetrics(BYTES, NAMES);
  t.strictSame(
    [...metrics].map(([name, { kind, series }]) => [
      name,
      kind,
      series.map(({ labels, value }) => [[...labels], value]),
    ]),
    [
      ['a_total', 'counter', [[[], 2 ** 40], [[['x', 'ß"\\\n\u0000']], 0.5]]], // prettier-ignore
      ['b', 'gauge', [[[], -1]]],
      ['c_seconds', 'histogram', [[[['y', '']], histogram], [[['y', 'z']], none]]], // prettier-ignore
      ['d_info', 'gauge', [[[['v', '1']], 1]]],
    ],
  );
  t.end();
});

/** A family b with more members. */
function family(members: readonly number[]): Buffer {
  return Buffer.from([3 + members.length, 0x0a, 1, 0x62, ...members]);
}

/** A family b with one histogram. */
function histogramFamily(members: readonly number[]): Buffer {
  const { length } = members;
  return family([0x18, 4, 0x22, length + 2, 0x3a, length, ...members]);
}
