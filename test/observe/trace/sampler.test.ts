/** Which requests are sampled as they arrive: by ratio, and as their callers ask for it, within a bound. */
import t from 'tap';
import { RateLimit } from '#app/observe/trace/rate-limit.js';
import { Sampler } from '#app/observe/trace/sampler.js';

const ids = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';
const NOT_VALID = [
  '',
  'x'.repeat(54) + '1',
  `00-${ids}-0x`,
  `ff-${ids}-01`,
  `00-${ids}-01-more`,
  `00-${ids}-01,00-${ids}-01`,
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  '0'.repeat(100_000) + '1',
];

t.test('the flag of a caller decides', (t) => {
  for (const ratio of [0, 1]) {
    const sampler = new Sampler({ ratio, callers: 1_000 });
    for (const flags of ['01', '03', 'ff', '0b', '09'])
      t.equal(sampler.samples(`00-${ids}-${flags}`, 0), true, `${flags}, ratio ${ratio}`);
    for (const flags of ['00', '02', 'fe', '0a'])
      t.equal(sampler.samples(`00-${ids}-${flags}`, 0), false, `${flags}, ratio ${ratio}`);
    for (const text of NOT_VALID) t.equal(sampler.samples(text, 0), ratio === 1, text.slice(0, 80));
  }
  t.end();
});

t.test('callers decide nothing', (t) => {
  for (const ratio of [0, 1]) {
    const sampler = new Sampler({ ratio, callers: 0 });
    for (const flags of ['00', '01'])
      t.equal(sampler.samples(`00-${ids}-${flags}`, 0), ratio === 1, `${flags}, ratio ${ratio}`);
  }
  t.end();
});

t.test('callers are bounded', (t) => {
  const sampler = new Sampler({ ratio: 1, callers: 3 });
  const kept = (now: number) => sampler.samples(`00-${ids}-01`, now);
  t.same([0, 1, 2, 3, 999].map(kept), [true, true, true, false, false]);
  t.same([1_000, 1_001, 1_999, 1_999].map(kept), [true, true, true, false]);
  t.equal(sampler.samples('', 1_999), true, 'others are not');
  t.end();
});

t.test('a part of all others', (t) => {
  const sampler = new Sampler({ ratio: 0.25, callers: 1 });
  const count = Array.from({ length: 100_000 }, () => sampler.samples('', 0)).filter(
    Boolean,
  ).length;
  t.ok(count > 23_000 && count < 27_000, String(count));
  t.end();
});

t.test('a rate', (t) => {
  const limit = new RateLimit(2);
  t.same([0, 500, 999, 1_000, 5_000].map((now) => limit.take(now)), [true, true, false, true, true]); // prettier-ignore
  t.equal(new RateLimit(0).take(0), false);
  t.end();
});
