/** Scripts in a frame: what cannot be said of them is null, and shares are parts of one. */
import t from 'tap';
import {
  HISTOGRAM_LENGTH,
  LEAST,
  observeSeconds,
  readHistogram,
} from '#app/observe/metrics/histogram.js';
import { Counted } from '#app/clients/top/counted.js';
import type { Family, Metrics } from '#app/clients/top/metrics-reader.js';
import { scriptRows, type ScriptRow } from '#app/clients/top/script-rows.js';

/** What was counted of one script, the seconds of each statement among it. */
interface Counts {
  readonly seconds: readonly number[];
  readonly rows?: number;
  readonly slow?: number;
}

function metrics(scripts: Readonly<Record<string, Counts>>): Metrics {
  const family = (
    kind: Family['kind'],
    of: (counts: Counts) => Family['series'][0]['value'],
  ): Family => ({
    // prettier-ignore
    kind,
    series: Object.entries(scripts).map(([script, counts]) => ({
      labels: new Map([
        ['script', script],
        ['database', 'main'],
      ]),
      value: of(counts),
    })),
  });
  return new Map([
    ['db_client_operation_duration_seconds', family('histogram', ({ seconds }) => histogram(seconds))], // prettier-ignore
    ['db_client_operation_result_rows_total', family('counter', ({ rows = 0 }) => rows)],
    ['service_script_slow_lane_total', family('counter', ({ slow = 0 }) => slow)],
  ]);
}

function histogram(seconds: readonly number[]) {
  const values = new Float64Array(HISTOGRAM_LENGTH);
  for (const one of seconds) observeSeconds(values, 0, one);
  return readHistogram(values, 0, LEAST.seconds);
}

interface Case {
  readonly about: string;
  readonly counts: Counts;
  readonly row: Partial<ScriptRow>;
}

const CASES: readonly Case[] = [
  {
    about: 'a script without a statement in the interval',
    counts: { seconds: [] },
    row: { statementsPerSecond: 0, rowsPerSecond: 0, slowLaneShare: null, p99: null, share: 0 },
  },
  {
    about: 'a script without rows',
    counts: { seconds: [0.5, 0.5] },
    row: { statementsPerSecond: 1, rowsPerSecond: 0, slowLaneShare: 0, share: 1 },
  },
  {
    about: 'both lanes',
    counts: { seconds: [1, 1, 1, 1], rows: 3, slow: 1 },
    row: { rowsPerSecond: 1.5, slowLaneShare: 0.25 },
  },
  {
    about: 'a scrape between the two counts of a statement',
    counts: { seconds: [1], slow: 2 },
    row: { slowLaneShare: 1 },
  },
];

for (const { about, counts, row } of CASES)
  t.test(about, (t) => {
    const found = scriptRows(new Counted(metrics({ 'a/b': counts })), 2);
    t.equal(found.length, 1);
    t.match(found[0], { script: 'a/b', database: 'main', errorsPerSecond: 0, ...row });
    t.end();
  });
