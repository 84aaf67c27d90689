/** Where values are counted, and the classic buckets and quantiles that follow. */
import t from 'tap';
import {
  BUCKETS,
  HISTOGRAM_LENGTH,
  LEAST,
  PER_OCTAVE,
  classicBounds,
  classicCounts,
  countOf,
  observeBytes,
  observeCount,
  observeSeconds,
  quantile,
  readHistogram,
} from '#app/observe/metrics/histogram.js';

t.test('odd values are counted at the ends', (t) => {
  const values = new Float64Array(HISTOGRAM_LENGTH + 2);
  for (const value of [0, 1e-9, 2 ** -13]) observeSeconds(values, 1, value);
  for (const value of [65, 1e9, Infinity]) observeSeconds(values, 1, value);
  const { buckets } = readHistogram(values, 1, LEAST.seconds);
  t.equal(buckets[0], 3);
  t.equal(buckets[BUCKETS + 1], 3);
  t.equal(values[0], 0, 'nothing before it');
  t.equal(values.at(-1), 0, 'and nothing behind it');
  t.end();
});

t.test(
  'every value is at most the upper bound of its bucket, and more than the one before',
  (t) => {
    for (const [observe, least] of [
      [observeSeconds, LEAST.seconds],
      [observeBytes, LEAST.bytes],
      [observeCount, LEAST.count],
    ] as const)
      for (let i = 1; i <= BUCKETS; i++) {
        const upper = 2 ** (least + i / PER_OCTAVE);
        const lower = 2 ** (least + (i - 1) / PER_OCTAVE);
        for (const value of [lower * 1.0001, Math.sqrt(lower * upper), upper * 0.9999]) {
          const values = new Float64Array(HISTOGRAM_LENGTH);
          observe(values, 0, value);
          t.equal(values[i], 1, `${value} of ${lower} to ${upper}`);
        }
      }
    t.end();
  },
);

t.test('classic buckets are exact at powers of two', (t) => {
  const values = new Float64Array(HISTOGRAM_LENGTH);
  const times = [0.0001, 0.25, 0.250001, 0.5, 1, 1, 2, 31.9, 32, 33, 100];
  for (const time of times) observeSeconds(values, 0, time);
  const histogram = readHistogram(values, 0, LEAST.seconds);
  const bounds = classicBounds(LEAST.seconds);
  t.equal(bounds[0], 2 ** -12);
  t.equal(bounds.at(-1), 32);
  t.same(
    classicCounts(histogram),
    bounds.map((bound) => times.filter((time) => time <= bound).length),
  );
  t.equal(countOf(histogram), times.length);
  t.equal(
    histogram.sum,
    times.reduce((total, time) => total + time, 0),
  );
  t.end();
});

t.test('quantiles are within a bucket', (t) => {
  const values = new Float64Array(HISTOGRAM_LENGTH);
  t.ok(Number.isNaN(quantile(readHistogram(values, 0, LEAST.seconds), 0.5)));
  for (let i = 1; i <= 1_000; i++) observeSeconds(values, 0, i / 1_000);
  const histogram = readHistogram(values, 0, LEAST.seconds);
  for (const part of [0.1, 0.5, 0.9, 0.99, 1]) {
    const found = quantile(histogram, part);
    t.ok(found > part / 2 ** 0.25 && found < part * 2 ** 0.25, `${part}: ${found}`);
  }
  t.end();
});
