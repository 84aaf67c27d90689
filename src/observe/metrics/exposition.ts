/** The formats of a scrape, and which one an Accept header asks for. */
import type { Family } from './families.js';
import { protobuf } from './protobuf-format.js';
import { openMetricsText, prometheusText } from './text-format.js';

export interface Exposition {
  readonly contentType: string;
  readonly body: string | Buffer;
}

interface Format {
  readonly type: string;
  /** Parameters that the header must have, if it has them at all. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  readonly contentType: string;
  readonly write: (families: readonly Family[]) => string | Buffer;
}

/** The most useful one first: it counts where a header asks for several alike. */
const FORMATS: readonly Format[] = [
  {
    type: 'application/vnd.google.protobuf',
    parameters: { proto: ['io.prometheus.client.MetricFamily'], encoding: ['delimited'] },
    contentType:
      'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
    write: protobuf,
  },
  {
    type: 'application/openmetrics-text',
    parameters: { version: ['1.0.0', '0.0.1'] },
    contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    write: openMetricsText,
  },
  {
    type: 'text/plain',
    parameters: { version: ['0.0.4'] },
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    write: prometheusText,
  },
];

const TEXT = FORMATS[2]!;

/** expose writes families in the format that an Accept header prefers; text of Prometheus where it knows none. */
export function expose(families: readonly Family[], accept: string): Exposition {
  const { contentType, write } = formatFor(accept);
  return { contentType, body: write(families) };
}

function formatFor(accept: string): Format {
  let best = TEXT;
  let most = 0;
  for (const range of accept.split(',').slice(0, MOST_RANGES)) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const given = new Map(parameters.map((one) => nameAndValue(one)));
    const format = FORMATS.find((one) => matches(one, type.toLowerCase(), given));
    const quality = Number(given.get('q') ?? 1);
    if (format === undefined || !(quality > most)) continue;
    best = format;
    most = quality;
  }
  return best;
}

/** Media ranges of a header that are read. */
const MOST_RANGES = 32;

function nameAndValue(parameter: string): readonly [string, string] {
  const [name = '', value = ''] = parameter.split('=', 2);
  return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1')];
}

function matches({ type, parameters }: Format, asked: string, given: Map<string, string>): boolean {
  if (type !== asked) return false;
  return Object.entries(parameters).every(([name, values]) => {
    const value = given.get(name);
    return value === undefined || values.includes(value);
  });
}
