/** Which format an Accept header gets, and the texts. */
import t from 'tap';
import { expose } from '#app/observe/metrics/exposition.js';
import type { Family } from '#app/observe/metrics/families.js';
import {
  HISTOGRAM_LENGTH,
  LEAST,
  observeCount,
  readHistogram,
} from '#app/observe/metrics/histogram.js';

const PROTOBUF = 'application/vnd.google.protobuf';
const OPEN = 'application/openmetrics-text';

t.test('Accept', (t) => {
  const cases: [accept: string, type: string][] = [
    ['', 'text/plain'],
    ['*/*', 'text/plain'],
    ['text/html', 'text/plain'],
    [';;,,;q=', 'text/plain'],
    [`${OPEN};q=0`, 'text/plain'],
    [`${OPEN};version=9`, 'text/plain'],
    [`${OPEN};q=abc`, 'text/plain'],
    [`${PROTOBUF};proto=other.Message`, 'text/plain'],
    [`${PROTOBUF};encoding=text`, 'text/plain'],
    [OPEN, OPEN],
    [`${OPEN}; version="1.0.0"; charset=utf-8`, OPEN],
    [`${OPEN};version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.9`, 'text/plain'],
    // Prometheus without and with native histograms.
    [
      `${OPEN};version=1.0.0;q=0.6,${OPEN};version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.2`,
      OPEN,
    ],
    [
      `${PROTOBUF};proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,${OPEN};version=1.0.0;escaping=allow-utf-8;q=0.5,*/*;q=0.2`,
      PROTOBUF,
    ],
    [`${'x/y,'.repeat(10_000)}${OPEN}`, 'text/plain'],
  ];
  for (const [accept, type] of cases)
    t.equal(expose([], accept).contentType.split(';')[0], type, accept.slice(0, 80));
  t.end();
});

const values = new Float64Array(HISTOGRAM_LENGTH);
for (const value of [1, 2, 3]) observeCount(values, 0, value);
const FAMILIES: Family[] = [
  {
    name: 'a_seconds',
    kind: 'counter',
    unit: 'seconds',
    help: 'One \\ and "two"\nlines.',
    samples: [
      { labels: [], value: 1.5 },
      { labels: [['path', '/a"b\\c\nd']], value: NaN },
    ],
  },
  {
    name: 'b',
    kind: 'gauge',
    unit: '',
    help: 'B.',
    samples: [{ labels: [], value: -Infinity }],
  },
  {
    name: 'c',
    kind: 'histogram',
    unit: '',
    help: 'C.',
    samples: [{ labels: [['x', 'y']], value: readHistogram(values, 0, LEAST.count) }],
  },
  { name: 'd', kind: 'info', unit: '', help: 'D.', samples: [{ labels: [['v', '1']], value: 1 }] },
];

t.test('text of Prometheus', (t) => {
  const text = String(expose(FAMILIES, '').body);
  t.match(
    text,
    `# HELP a_seconds_total One \\\\ and "two"\\nlines.
# TYPE a_seconds_total counter
a_seconds_total 1.5
a_seconds_total{path="/a\\"b\\\\c\\nd"} NaN
# HELP b B.
# TYPE b gauge
b -Inf
# HELP c C.
# TYPE c histogram
c_bucket{x="y",le="1.0"} 1
c_bucket{x="y",le="2.0"} 2
c_bucket{x="y",le="4.0"} 3
`,
  );
  t.match(
    text,
    `c_bucket{x="y",le="+Inf"} 3
c_sum{x="y"} 6
c_count{x="y"} 3
# HELP d_info D.
# TYPE d_info gauge
d_info{v="1"} 1
`,
  );
  t.notMatch(text, 'EOF');
  t.end();
});

t.test('OpenMetrics', (t) => {
  const text = String(expose(FAMILIES, OPEN).body);
  t.ok(
    text.startsWith(`# HELP a_seconds One \\\\ and \\"two\\"\\nlines.
# TYPE a_seconds counter
# UNIT a_seconds seconds
a_seconds_total 1.5
`),
  );
  t.match(text, '# TYPE d info\nd_info{v="1"} 1\n# EOF\n');
  t.ok(text.endsWith('# EOF\n'));
  t.end();
});
