/**
 * What was counted between two scrapes. A series that is new counts from zero, and one that went back counts nothing: the
 * counters of a service never go back, but another service's may be lower.
 */
import type { Histogram } from '../../observe/metrics/histogram.js';
import type { Family, Metrics, Series } from './metrics-reader.js';

export interface Scrape {
  readonly metrics: Metrics;
  /** Seconds since 1970, by the clock of this machine. */
  readonly time: number;
  /** Seconds of a clock that is never set. */
  readonly at: number;
}

/** What was counted in an interval; gauges are those at its end. */
export interface Interval {
  readonly metrics: Metrics;
  readonly seconds: number;
  /** Whether it began with the start of the service, and not with the scrape before. */
  readonly isSinceStart: boolean;
}

const START = 'service_start_time_seconds';

/** intervalBetween gives the interval that ends with a scrape: since the one before, or since the service was started. */
export function intervalBetween(before: Scrape | undefined, now: Scrape): Interval {
  const start = startOf(now);
  if (before === undefined || startOf(before) !== start) {
    // The clock of another machine may be ahead of this one's.
    const seconds = Math.max(1, now.time - start);
    return { metrics: now.metrics, seconds, isSinceStart: true };
  }
  const metrics = new Map<string, Family>();
  for (const [name, family] of now.metrics)
    metrics.set(name, family.kind === 'gauge' ? family : since(before.metrics.get(name), family));
  return { metrics, seconds: now.at - before.at, isSinceStart: false };
}

/** startOf gives when the service was started, seconds since 1970. */
export function startOf({ metrics }: Pick<Scrape, 'metrics'>): number {
  const value = metrics.get(START)?.series[0]?.value;
  return typeof value === 'number' ? value : 0;
}

function since(before: Family | undefined, { kind, series }: Family): Family {
  const earlier = new Map(before?.series.map((one) => [keyOf(one), one.value]));
  return {
    kind,
    series: series.map((one) => {
      const { labels, value } = one;
      const then = earlier.get(keyOf(one));
      if (typeof value === 'number')
        return { labels, value: Math.max(0, value - (typeof then === 'number' ? then : 0)) };
      return { labels, value: typeof then === 'object' ? histogramSince(then, value) : value };
    }),
  };
}

/** Labels are in the order of their declaration in every scrape. */
function keyOf({ labels }: Series): string {
  return [...labels.values()].join('\0');
}

function histogramSince(before: Histogram, now: Histogram): Histogram {
  const buckets = now.buckets.map((count, i) => count - before.buckets[i]!);
  if (buckets.some((count) => count < 0)) buckets.fill(0);
  return { least: now.least, buckets, sum: Math.max(0, now.sum - before.sum) };
}

/** added gives the sum of histograms with the same bounds; undefined for an empty list. */
export function added(histograms: readonly Histogram[]): Histogram | undefined {
  const [first, ...others] = histograms;
  if (first === undefined) return undefined;
  const buckets = first.buckets.slice();
  let { sum } = first;
  for (const one of others) {
    for (let i = 0; i < buckets.length; i++) buckets[i]! += one.buckets[i]!;
    sum += one.sum;
  }
  return { least: first.least, buckets, sum };
}
