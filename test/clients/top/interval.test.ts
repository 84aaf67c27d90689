/** What was counted between two scrapes: services that were restarted, series that went back, came or went. */
import t from 'tap';
import {
  HISTOGRAM_LENGTH,
  LEAST,
  observeSeconds,
  readHistogram,
} from '#app/observe/metrics/histogram.js';
import { intervalBetween, type Scrape } from '#app/clients/top/interval.js';
import type { Family, Metrics } from '#app/clients/top/metrics-reader.js';

const START = 1_000;

function histogram(...seconds: readonly number[]) {
  const values = new Float64Array(HISTOGRAM_LENGTH);
  for (const one of seconds) observeSeconds(values, 0, one);
  return readHistogram(values, 0, LEAST.seconds);
}

function family(
  kind: Family['kind'],
  values: Readonly<Record<string, Family['series'][0]['value']>>,
): Family {
  // prettier-ignore
  const series = Object.entries(values).map(([a, value]) => ({ labels: new Map([['a', a]]), value })); // prettier-ignore
  return { kind, series };
}

function scrape(at: number, families: Readonly<Record<string, Family>>, start = START): Scrape {
  const started = family('gauge', { '': start });
  const metrics: Metrics = new Map([
    ['service_start_time_seconds', started],
    ...Object.entries(families),
  ]);
  return { metrics, at, time: START + 60 + at };
}

interface Case {
  readonly about: string;
  readonly before?: Scrape;
  readonly now: Scrape;
  readonly seconds: number;
  readonly isSinceStart?: true;
  /** The values of the series of `x`. */
  readonly x: readonly unknown[];
}

const CASES: readonly Case[] = [
  {
    about: 'the first scrape',
    now: scrape(0, { x: family('counter', { one: 7 }) }),
    seconds: 60,
    isSinceStart: true,
    x: [7],
  },
  {
    about: 'a service that is started in the future of this clock',
    now: scrape(0, { x: family('counter', { one: 7 }) }, START + 900),
    seconds: 1,
    isSinceStart: true,
    x: [7],
  },
  {
    about: 'a service that was restarted',
    before: scrape(0, { x: family('counter', { one: 7_000 }) }),
    now: scrape(5, { x: family('counter', { one: 8 }) }, START + 63),
    seconds: 2,
    isSinceStart: true,
    x: [8],
  },
  {
    about: 'a counter that went back',
    before: scrape(0, { x: family('counter', { one: 7, two: 1 }) }),
    now: scrape(1, { x: family('counter', { one: 6, two: 3 }) }),
    seconds: 1,
    x: [0, 2],
  },
  {
    about: 'a histogram that went back in one bucket',
    before: scrape(0, { x: family('histogram', { one: histogram(1) }) }),
    now: scrape(1, { x: family('histogram', { one: histogram(0.5, 0.5) }) }),
    seconds: 1,
    x: [histogram()],
  },
  {
    about: 'a counter that became a histogram',
    before: scrape(0, { x: family('counter', { one: 7 }) }),
    now: scrape(1, { x: family('histogram', { one: histogram(1) }) }),
    seconds: 1,
    x: [histogram(1)],
  },
  {
    about: 'series that came and went',
    before: scrape(0, { x: family('counter', { gone: 7 }) }),
    now: scrape(1, { x: family('counter', { here: 3 }) }),
    seconds: 1,
    x: [3],
  },
  {
    about: 'a family that came',
    before: scrape(0, {}),
    now: scrape(2, { x: family('histogram', { one: histogram(1, 2) }) }),
    seconds: 2,
    x: [histogram(1, 2)],
  },
  {
    about: 'a histogram',
    before: scrape(0, { x: family('histogram', { one: histogram(1, 2) }) }),
    now: scrape(2, { x: family('histogram', { one: histogram(1, 2, 2, 4) }) }),
    seconds: 2,
    x: [histogram(2, 4)],
  },
  {
    about: 'a gauge',
    before: scrape(0, { x: family('gauge', { one: 9 }) }),
    now: scrape(2, { x: family('gauge', { one: 4 }) }),
    seconds: 2,
    x: [4],
  },
];

for (const { about, before, now, seconds, isSinceStart = false, x } of CASES)
  t.test(about, (t) => {
    const interval = intervalBetween(before, now);
    t.equal(interval.seconds, seconds);
    t.equal(interval.isSinceStart, isSinceStart);
    t.strictSame(
      interval.metrics.get('x')?.series.map(({ value }) => value),
      x,
    );
    t.end();
  });
