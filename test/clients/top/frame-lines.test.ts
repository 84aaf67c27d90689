/** Frames as lines: never wider or longer than the terminal, in the order that is wanted. */
import t from 'tap';
import type { Frame } from '#app/clients/top/frame.js';
import { frameLines, ORDERS } from '#app/clients/top/frame-lines.js';
import { bytesText, partText, rateText, spanText, timeText } from '#app/clients/top/quantity.js';
import type { ScriptRow } from '#app/clients/top/script-rows.js';
import { cut } from '#app/clients/top/table.js';

function script(name: string, changes: Partial<ScriptRow> = {}): ScriptRow {
  return {
    script: name,
    database: 'main',
    share: 0,
    statementsPerSecond: 0,
    p50: null,
    p99: null,
    errorsPerSecond: 0,
    rowsPerSecond: 0,
    bytesPerSecond: 0,
    slowLaneShare: null,
    ...changes,
  };
}

const DATABASE: Frame['databases'][0] = {
  database: 'main',
  statementsPerSecond: 1_234.5,
  used: 3,
  idle: 2,
  opening: 1,
  most: 20,
  lanes: { fast: 2, slow: 1 },
  waiting: { fast: 0, slow: 7 },
  inFlight: 9,
  waitP50: 0.000_1,
  waitP99: 0.012_3,
  refusedPerSecond: 0,
  failedConnectionsPerSecond: 0,
};

const FRAME: Frame = {
  time: '2026-01-01T00:00:00.000Z',
  seconds: 1,
  sinceStart: false,
  service: {
    version: '1.2.3',
    uptime: 93_784,
    requestsPerSecond: 1_300,
    failuresPerSecond: 0.5,
    p50: 0.001_23,
    p99: 1.5,
    inFlight: 12,
    clients: 32,
    processes: 2,
    workers: 4,
    restarts: { death: 1, reload: 0 },
    threadDeaths: 0,
    logLinesDropped: 3,
  },
  databases: [DATABASE],
  processes: [
    {
      process: 'supervisor',
      pids: [10],
      cpu: null,
      delay: null,
      workerDelay: null,
      heap: null,
      resident: 90 << 20,
      descriptors: 30,
    },
    {
      process: 'http_0',
      pids: [11, 21],
      cpu: 1.25,
      delay: 0.001,
      workerDelay: 0.002,
      heap: 1_500_000,
      resident: 120 << 20,
      descriptors: 40,
    },
  ],
  scripts: [
    script('shop/list', {
      share: 0.9,
      statementsPerSecond: 10,
      p50: 0.01,
      p99: 0.2,
      slowLaneShare: 1,
    }),
    script('shop/one', {
      share: 0.1,
      statementsPerSecond: 900,
      p50: 0.001,
      p99: 0.9,
      rowsPerSecond: 900,
      slowLaneShare: 0,
    }),
    script('shop/bad', {
      errorsPerSecond: 2,
      bytesPerSecond: 5_000,
      p50: 0.1,
      p99: 0.1,
      rowsPerSecond: 0,
      slowLaneShare: 0.125,
    }),
    script('shop/idle'),
  ],
};

t.test('no line is wider than the terminal, and there are no more', (t) => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => i);
  const large: Frame = {
    ...FRAME,
    databases: many(40).map((i) => ({ ...DATABASE, database: `alias_${i}` })),
    processes: many(40).map((i) => ({ ...FRAME.processes[1]!, process: `http_${i}` })),
    scripts: many(2_000).map((i) => script(`a_folder_with_a_long_name/${'𝔁'.repeat(i % 70)}${i}`)),
  };
  for (const frame of [FRAME, large])
    for (const columns of [1, 2, 12, 20, 40, 80, 200])
      for (const rows of [1, 2, 5, 10, 24, 100]) {
        const lines = frameLines(frame, 'time', { columns, rows }, 'a notice '.repeat(20));
        t.ok(lines.length <= rows, `${lines.length} of ${rows} rows`);
        for (const { text } of lines)
          if (Array.from(text).length > columns) t.fail(`${columns}: ${text}`);
      }
  const shown = frameLines(large, 'time', { columns: 80, rows: 40 }).map(({ text }) => text);
  t.equal(shown.length, 40);
  t.match(shown.at(-1), /^… 19\d\d more$/);
  t.equal(shown.filter((line) => line.endsWith(' more')).length, 3);
  t.end();
});

t.test('the lines', (t) => {
  const lines = frameLines(FRAME, 'time', { columns: 110, rows: 50 });
  t.strictSame(
    lines.map(({ text }) => text),
    [
      'sql-rest-service 1.2.3, up 1d 2h, 2 HTTP processes, 4 query workers, restarts: 1 by death, 3 log lines dropped',
      'in 1s: 1300 requests/s, 0.5 failed/s, p50 1.23ms, p99 1.5s; 12 in flight, 32 clients',
      '',
      'DATABASE  RATE/s    USED    IDLE  FAST+SLOW  QUEUED  WAIT P99    SENT  REFUSED/s  UNREACHED/s',
      'main        1235    3/20     2+1        2+1     0+7    12.3ms       9          0            0',
      '',
      'PROCESS        PID     CPU   DELAY  WORKERS    HEAP     RSS   FILES',
      'supervisor      10       -       -        -       -     90M      30',
      'http_0       11,21  125.0%     1ms      2ms    1.4M    120M      40',
      '',
      'SCRIPT       TIME  RATE/s     P50     P99  ERRORS/s  ROWS/s  BYTES/s    LANE  DATABASE',
      'shop/list   90.0%    10.0    10ms   200ms         0       0       0B    slow      main',
      'shop/one    10.0%     900     1ms   900ms         0     900       0B    fast      main',
      'shop/bad       0%       0   100ms   100ms       2.0       0     4.9K   12.5%      main',
      'shop/idle      0%       0       -       -         0       0       0B       -      main',
    ],
  );
  t.strictSame(
    lines.flatMap(({ style, text }) => (style === 'alarm' ? [text.split(' ')[0]] : [])),
    ['shop/bad'],
  );
  t.end();
});

t.test('orders', (t) => {
  const expected: Record<(typeof ORDERS)[number], string> = {
    time: 'list one bad idle',
    rate: 'one list bad idle',
    p50: 'bad list one idle',
    p99: 'one list bad idle',
    errors: 'bad list one idle',
    rows: 'one list bad idle',
    bytes: 'bad list one idle',
    lane: 'list bad one idle',
  };
  for (const order of ORDERS) {
    const lines = frameLines(FRAME, order, { columns: 100, rows: 50 });
    const found = lines.flatMap(({ text }) => /^shop\/(\w+)/.exec(text)?.[1] ?? []);
    t.equal(found.join(' '), expected[order], order);
  }
  t.end();
});

t.test('names with control characters', (t) => {
  const scripts = [script('a/\u001b[2J\n')];
  const lines = frameLines({ ...FRAME, scripts }, 'time', { columns: 100, rows: 50 });
  t.match(lines.at(-1)?.text, /^a\/\uFFFD\[2J\uFFFD /);
  t.end();
});

t.test('quantities', (t) => {
  const cases: [found: string, expected: string][] = [
    [cut('abc', 0), ''],
    [cut('abc', 2), 'a…'],
    [cut('abc', 3), 'abc'],
    [rateText(0), '0'],
    [rateText(0.01), '<0.1'],
    [rateText(99.96), '100'],
    [rateText(12_345.6), '12346'],
    [timeText(null), '-'],
    [timeText(0.000_122), '122µs'],
    [timeText(0.000_999_9), '1ms'],
    [timeText(0.999_9), '1s'],
    [timeText(12.345), '12.3s'],
    [bytesText(null), '-'],
    [bytesText(999), '999B'],
    [bytesText(1_000), '1.0K'],
    [bytesText(1_048_576), '1.0M'],
    [bytesText(2 ** 62), '4194304T'],
    [partText(0), '0%'],
    [partText(1), '100.0%'],
    [spanText(0), '0s'],
    [spanText(59), '59s'],
    [spanText(187), '3m 7s'],
    [spanText(3_600), '1h 0m'],
    [spanText(864_000), '10d 0h'],
  ];
  for (const [found, expected] of cases) t.equal(found, expected);
  t.end();
});
