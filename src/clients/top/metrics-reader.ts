/**
 * Reads a scrape in the protobuf format (observe/metrics/protobuf-format.ts), the one in which histograms have all their buckets.
 * Histograms with other buckets than ours are refused, members that are not used are skipped.
 */
import { BUCKETS, PER_OCTAVE, SCHEMA, type Histogram } from '../../observe/metrics/histogram.js';
import { MessageReader } from '../../observe/protobuf-reader.js';

export class FormatError extends Error {
  override readonly name = 'FormatError';
}

export interface Series {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number | Histogram;
}

export interface Family {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly series: readonly Series[];
}

/** Families by their names in the scrape: `service_errors_total`. */
export type Metrics = ReadonlyMap<string, Family>;

/** MetricType, and the member of Metric that has a value of it. */
const KINDS = new Map([
  [0, { kind: 'counter', member: 3 }],
  [1, { kind: 'gauge', member: 2 }],
  [4, { kind: 'histogram', member: 7 }],
] as const);

/** readMetrics reads the families with these names. Throws FormatError. */
export function readMetrics(bytes: Buffer, names: ReadonlySet<string>): Metrics {
  const metrics = new Map<string, Family>();
  try {
    for (const message of MessageReader.list(bytes)) {
      const name = message.text(1);
      if (names.has(name)) metrics.set(name, readFamily(message));
    }
  } catch (error) {
    // Buffer throws RangeError beyond its end.
    if (error instanceof RangeError) throw new FormatError('it is cut off', { cause: error });
    throw error;
  }
  return metrics;
}

function readFamily(message: MessageReader): Family {
  const type = KINDS.get(message.integer(3) as 0 | 1 | 4);
  if (type === undefined) throw new FormatError('it has metrics of another type');
  const { kind, member } = type;
  const series = message.messages(4).map((metric): Series => {
    const labels = new Map(metric.messages(1).map((pair) => [pair.text(1), pair.text(2)]));
    const [value] = metric.messages(member);
    if (value === undefined) throw new FormatError('it has metrics without a value');
    return { labels, value: kind === 'histogram' ? readHistogram(value) : value.double(1) };
  });
  return { kind, series };
}

function readHistogram(message: MessageReader): Histogram {
  const least = Math.log2(message.double(6));
  if (message.signed(5) !== SCHEMA || !Number.isInteger(least))
    throw new FormatError('its histograms have other buckets');
  const buckets = new Float64Array(BUCKETS + 2);
  buckets[0] = message.integer(7);
  const deltas = message.signedList(13);
  let next = 0;
  let taken = 0;
  let count = 0;
  for (const span of message.messages(12)) {
    next += span.signed(1);
    for (let left = span.integer(2); left > 0; left--) {
      const index = next++ - least * PER_OCTAVE;
      count += deltas[taken++] ?? NaN;
      // Not written as `index < 1 || …`, so that NaN is refused.
      if (!(index >= 1 && index <= BUCKETS + 1 && count >= 0))
        throw new FormatError('its histograms have other buckets');
      buckets[index] = count;
    }
  }
  return { least, buckets, sum: message.double(2) };
}
