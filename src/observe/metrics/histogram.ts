/**
 * Histograms in exponential buckets: four to an octave, so that each upper bound is 2^(1/4) times the one before (schema 2
 * of Prometheus's native histograms), over OCTAVES octaves. A histogram is a run of HISTOGRAM_LENGTH numbers: a bucket for
 * all values up to the least bound, the buckets, one for values beyond the last bound, and the sum of the values. Every
 * fourth bound is a power of two, so that classic buckets with such bounds are sums of these, without any error.
 */

export const PER_OCTAVE = 4;

/** The schema of native histograms with these buckets: 2^(2^-SCHEMA) is the factor from one bound to the next. */
export const SCHEMA = Math.log2(PER_OCTAVE);

const OCTAVES = 19;

/** Number of buckets between the first one and that for values beyond the last bound. */
export const BUCKETS = OCTAVES * PER_OCTAVE;

const BEYOND = BUCKETS + 1;
const SUM = BUCKETS + 2;

export const HISTOGRAM_LENGTH = BUCKETS + 3;

/** Exponent of the least bound, by the unit of the values: 122 µs to 64 s, 64 bytes to 32 MiB, 0.5 to 262,144. */
export const LEAST = { seconds: -13, bytes: 6, count: -1 } as const;

/** observeSeconds adds a time to the histogram at an index. */
export function observeSeconds(values: Float64Array, at: number, seconds: number): void {
  observe(values, at, seconds, LEAST.seconds * PER_OCTAVE);
}

/** observeBytes adds a size to the histogram at an index. */
export function observeBytes(values: Float64Array, at: number, bytes: number): void {
  observe(values, at, bytes, LEAST.bytes * PER_OCTAVE);
}

/** observeCount adds a number of things to the histogram at an index. */
export function observeCount(values: Float64Array, at: number, count: number): void {
  observe(values, at, count, LEAST.count * PER_OCTAVE);
}

/** `least` is the least bound as a power of 2^(1/4). The logarithm of 0 is -Infinity, which is in the first bucket. */
function observe(values: Float64Array, at: number, value: number, least: number): void {
  let bucket = Math.ceil(Math.log2(value) * PER_OCTAVE) - least;
  if (bucket < 0) bucket = 0;
  else if (bucket > BEYOND) bucket = BEYOND;
  values[at + bucket]! += 1;
  values[at + SUM]! += value;
}

export interface Histogram {
  /** Exponent of the least bound, to the base 2. */
  readonly least: number;
  /** The first bucket, those between, and the last one. */
  readonly buckets: Float64Array;
  readonly sum: number;
}

/** readHistogram gives the histogram at an index; its buckets are a view of `values`. */
export function readHistogram(values: Float64Array, at: number, least: number): Histogram {
  return { least, buckets: values.subarray(at, at + SUM), sum: values[at + SUM]! };
}

export function countOf({ buckets }: Histogram): number {
  let total = 0;
  for (const count of buckets) total += count;
  return total;
}

/** classicBounds lists the upper bounds of classic buckets: powers of two. */
export function classicBounds(least: number): number[] {
  return Array.from({ length: OCTAVES - 1 }, (_, i) => 2 ** (least + 1 + i));
}

/** classicCounts gives, for each of classicBounds, the number of values up to it. */
export function classicCounts({ buckets }: Histogram): number[] {
  const counts: number[] = [];
  let total = buckets[0]!;
  for (let octave = 0; octave < OCTAVES - 1; octave++) {
    for (let i = 1; i <= PER_OCTAVE; i++) total += buckets[octave * PER_OCTAVE + i]!;
    counts.push(total);
  }
  return counts;
}

/**
 * quantile estimates the value below which a part of the values (0 to 1) are: exact to 2^(1/4), interpolated within a
 * bucket. NaN when there are no values.
 */
export function quantile(histogram: Histogram, part: number): number {
  const { buckets, least } = histogram;
  const wanted = part * countOf(histogram);
  if (wanted === 0) return NaN;
  let below = 0;
  for (let i = 0; i < buckets.length; i++) {
    const count = buckets[i]!;
    if (count > 0 && below + count >= wanted) {
      const upper = 2 ** (least + Math.min(i, BUCKETS) / PER_OCTAVE);
      if (i === 0 || i > BUCKETS) return upper;
      const lower = 2 ** (least + (i - 1) / PER_OCTAVE);
      return lower + ((upper - lower) * (wanted - below)) / count;
    }
    below += count;
  }
  return 2 ** (least + OCTAVES);
}
