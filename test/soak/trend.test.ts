/** The trend of a series, also where processes are replaced over and over, and what counts as growth. */
import t from 'tap';
import { cycleMedians, LIMIT, trendsOf, type Soak } from './report.js';
import type { Sample } from './sampler.js';
import { trendOf, type Point } from './trend.js';

const MIB = 1 << 20;
const WARM_UP = 480;

t.test('a line is found with its growth', (t) => {
  const points: Point[] = [0, 60, 120, 300, 600].map((at) => [at, 100 + at / 100]);
  const { from, to, growth } = trendOf(points);
  t.match(
    [from, to].map((value) => value.toFixed(6)),
    ['100.000000', '106.000000'],
  );
  t.ok(Math.abs(growth - 6 / (points.reduce((all, [, value]) => all + value, 0) / 5)) < 1e-9);
  t.equal(trendOf([[0, 5], [1, 5]]).growth, 0); // prettier-ignore
  t.throws(() => trendOf([[3, 5]]), RangeError);
  t.throws(() => trendOf([]), RangeError);
  t.end();
});

t.test('what rises and falls with each replacement does not grow', (t) => {
  const points: Point[] = [];
  for (let at = 0; at < 720; at += 5) points.push([at, 100 + 20 * ((at % 240) / 240)]);
  t.ok(Math.abs(trendOf(points).growth) > LIMIT, 'a line through all points is no trend');
  t.ok(Math.abs(trendOf(cycleMedians(points)).growth) < 1e-6);
  t.equal(cycleMedians(points).length, 3);
  t.end();
});

const sample = (at: number, memory: Sample['memory']): Sample => ({
  at,
  memory,
  descriptors: { supervisor: 20, http_0: 40, http_1: 40 },
  processes: 2,
  heap: 60 * MIB,
  connections: 8,
  clients: 8,
  prepared: 100,
  preparedBytes: 10_000,
});

/** A soak in which one process grows by a part in ten minutes. */
function soakWith(part: number): Soak {
  const samples = Array.from({ length: 241 }, (_, i) => {
    const at = 5 * i;
    const grown = at < WARM_UP ? 0.5 + at / (2 * WARM_UP) : 1 + (part * (at - WARM_UP)) / 600;
    return sample(at, { supervisor: 60 * MIB, http_0: 90 * MIB * grown, http_1: 90 * MIB });
  });
  const same = { machine: '', seed: 1, requests: 1, failed: 0, edits: 1, events: [] };
  return { ...same, seconds: 1_200, warmUp: WARM_UP, files: samples, table: samples };
}

t.test('the warm-up does not count, growth of one process does', (t) => {
  const grown = (part: number): string[] =>
    trendsOf(soakWith(part)).filter(({ trend }) => trend.growth > LIMIT).map(({ name }) => name);
  t.same(grown(0), []);
  t.same(grown(0.005), []);
  t.match(grown(0.015), ['processes that run on: HTTP process 0']);
  t.equal(grown(0.05).length, 3, 'and the sums with it');
  t.end();
}); // prettier-ignore
