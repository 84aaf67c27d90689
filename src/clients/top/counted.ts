/** Numbers of an interval: sums and histograms over the series of a metric. */
import { countOf, quantile, type Histogram } from '../../observe/metrics/histogram.js';
import { added, type Interval } from './interval.js';
import type { Series } from './metrics-reader.js';

/** Counted gives sums over series. */
export class Counted {
  readonly #metrics: Interval['metrics'];

  constructor(metrics: Interval['metrics']) {
    this.#metrics = metrics;
  }

  series(name: string): readonly Series[] {
    return this.#metrics.get(name)?.series ?? [];
  }

  /** values lists the values of a label, in the order of the scrape. */
  values(name: string, label: string): string[] {
    return [...new Set(this.series(name).map(({ labels }) => labels.get(label) ?? ''))];
  }

  sum(name: string, matches: Matches = () => true): number {
    return this.series(name)
      .filter(({ labels }) => matches(labels))
      .reduce((sum, { value }) => sum + numberOf(value), 0);
  }

  histogram(name: string, matches: Matches = () => true): Histogram | undefined {
    const series = this.series(name).filter(({ labels }) => matches(labels));
    return added(series.flatMap(({ value }) => (typeof value === 'number' ? [] : [value])));
  }
}

type Matches = (labels: Series['labels']) => boolean;

export function numberOf(value: Series['value']): number {
  return typeof value === 'number' ? value : 0;
}

export function histogramOf(value: Series['value']): Histogram | undefined {
  return typeof value === 'number' ? undefined : value;
}

export function sumOf(value: Series['value']): number {
  return typeof value === 'number' ? 0 : value.sum;
}

export function count(histogram: Histogram | undefined): number {
  return histogram === undefined ? 0 : countOf(histogram);
}

/** quantileOf has three digits; null for a quantile of nothing. */
export function quantileOf(histogram: Histogram | undefined, part: number): number | null {
  const value = histogram === undefined ? NaN : quantile(histogram, part);
  return Number.isNaN(value) ? null : Number(value.toPrecision(3));
}

/** rounded has six digits, beyond which nothing is measured. */
export function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
