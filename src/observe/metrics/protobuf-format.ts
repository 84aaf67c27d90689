/**
 * The protobuf format of a scrape (io.prometheus.client.MetricFamily, each with its length before it), the only one with
 * native histograms: they have the buckets of histogram.ts as they are. A scraper that asks for it gets the classic
 * buckets too, and chooses.
 */
import {
  BUCKETS,
  classicBounds,
  classicCounts,
  countOf,
  PER_OCTAVE,
  SCHEMA,
  type Histogram,
} from './histogram.js';
import { MessageWriter } from '../protobuf-writer.js';
import type { Family, Labels, Sample } from './families.js';
import { suffixOf } from './text-format.js';

/** MetricType. */
const TYPES = { counter: 0, gauge: 1, info: 1, histogram: 4 } as const;

/** The member of Metric for a value of each type. */
const MEMBERS = { counter: 3, gauge: 2, info: 2, histogram: 7 } as const;

export function protobuf(families: readonly Family[]): Buffer {
  const out = new MessageWriter();
  for (const family of families) out.nested(familyMessage(family));
  return out.bytes();
}

function familyMessage(family: Family): MessageWriter {
  const { name, kind, unit, help, samples } = family;
  const message = new MessageWriter();
  message.text(1, name + suffixOf(family));
  message.text(2, help);
  message.integer(3, TYPES[kind]);
  for (const sample of samples) message.message(4, metricMessage(sample, MEMBERS[kind]));
  if (unit !== '') message.text(5, unit);
  return message;
}

function metricMessage({ labels, value }: Sample, member: number): MessageWriter {
  const message = new MessageWriter();
  labelMessages(labels, message);
  if (typeof value === 'number') {
    const number = new MessageWriter();
    number.double(1, value);
    message.message(member, number);
  } else message.message(member, histogramMessage(value));
  return message;
}

function labelMessages(labels: Labels, to: MessageWriter): void {
  for (const [name, value] of labels) {
    const pair = new MessageWriter();
    pair.text(1, name);
    pair.text(2, value);
    to.message(1, pair);
  }
}

function histogramMessage(histogram: Histogram): MessageWriter {
  const { buckets, least, sum } = histogram;
  const message = new MessageWriter();
  message.integer(1, countOf(histogram));
  message.double(2, sum);
  const counts = classicCounts(histogram);
  for (const [i, bound] of classicBounds(least).entries()) {
    const bucket = new MessageWriter();
    bucket.integer(1, counts[i]!);
    bucket.double(2, bound);
    message.message(3, bucket);
  }
  message.signed(5, SCHEMA);
  message.double(6, 2 ** least);
  message.integer(7, buckets[0]!);
  const { spans, deltas } = positiveBuckets(buckets, least * PER_OCTAVE);
  for (const [offset, length] of spans) {
    const span = new MessageWriter();
    span.signed(1, offset);
    span.integer(2, length);
    message.message(12, span);
  }
  if (deltas.length > 0) {
    const packed = new MessageWriter();
    for (const delta of deltas) packed.zigzag(delta);
    message.message(13, packed);
  }
  return message;
}

/** The runs of buckets with values, and the difference of each bucket to the one before. `least`: index of the least bound. */
function positiveBuckets(
  buckets: Float64Array,
  least: number,
): { readonly spans: readonly (readonly [number, number])[]; readonly deltas: readonly number[] } {
  const spans: [number, number][] = [];
  const deltas: number[] = [];
  let next = 0;
  let before = 0;
  for (let i = 1; i <= BUCKETS + 1; i++) {
    const count = buckets[i]!;
    if (count === 0) continue;
    const index = least + i;
    const last = spans.at(-1);
    if (last !== undefined && index === next) last[1]++;
    else spans.push([index - next, 1]);
    next = index + 1;
    deltas.push(count - before);
    before = count;
  }
  return { spans, deltas };
}
