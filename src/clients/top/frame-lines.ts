/** A frame as lines: the service, its databases, its processes, and its scripts in an order. */
import type { DatabaseRow } from './database-rows.js';
import type { Frame } from './frame.js';
import type { ProcessRow } from './process-rows.js';
import { bytesText, partText, rateText, spanText, timeText } from './quantity.js';
import type { ScriptRow } from './script-rows.js';
import type { ServiceRow } from './service-row.js';
import { cut, tableLines, type Column } from './table.js';

export interface Line {
  readonly text: string;
  readonly style: 'plain' | 'title' | 'alarm';
}

/** How much room there is; the rows of scripts fill what the others leave. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
}

/** Orders of scripts, the largest first. */
export const ORDERS = ['time', 'rate', 'p50', 'p99', 'errors', 'rows', 'bytes', 'lane'] as const;
export type Order = (typeof ORDERS)[number];

const MEASURE: Readonly<Record<Order, (row: ScriptRow) => number>> = {
  time: ({ share }) => share,
  rate: ({ statementsPerSecond }) => statementsPerSecond,
  p50: ({ p50 }) => p50 ?? -1,
  p99: ({ p99 }) => p99 ?? -1,
  errors: ({ errorsPerSecond }) => errorsPerSecond,
  rows: ({ rowsPerSecond }) => rowsPerSecond,
  bytes: ({ bytesPerSecond }) => bytesPerSecond,
  lane: ({ slowLaneShare }) => slowLaneShare ?? -1,
};

const SCRIPTS: readonly [Column<ScriptRow>, ...Column<ScriptRow>[]] = [
  { title: 'SCRIPT', text: ({ script }) => script },
  { title: 'TIME', text: ({ share }) => partText(share) },
  { title: 'RATE/s', text: ({ statementsPerSecond }) => rateText(statementsPerSecond) },
  { title: 'P50', text: ({ p50 }) => timeText(p50) },
  { title: 'P99', text: ({ p99 }) => timeText(p99) },
  { title: 'ERRORS/s', text: ({ errorsPerSecond }) => rateText(errorsPerSecond) },
  { title: 'ROWS/s', text: ({ rowsPerSecond }) => rateText(rowsPerSecond) },
  { title: 'BYTES/s', text: ({ bytesPerSecond }) => bytesText(bytesPerSecond) },
  { title: 'LANE', text: ({ slowLaneShare }) => laneText(slowLaneShare) },
  { title: 'DATABASE', text: ({ database }) => database },
];

const DATABASES: readonly [Column<DatabaseRow>, ...Column<DatabaseRow>[]] = [
  { title: 'DATABASE', text: ({ database }) => database },
  { title: 'RATE/s', text: ({ statementsPerSecond }) => rateText(statementsPerSecond) },
  { title: 'USED', text: ({ used, most }) => `${used}/${most}` },
  {
    title: 'IDLE',
    text: ({ idle, opening }) => (opening === 0 ? `${idle}` : `${idle}+${opening}`),
  },
  { title: 'FAST+SLOW', text: ({ lanes: { fast, slow } }) => `${fast}+${slow}` },
  { title: 'QUEUED', text: ({ waiting: { fast, slow } }) => `${fast}+${slow}` },
  { title: 'WAIT P99', text: ({ waitP99 }) => timeText(waitP99) },
  { title: 'SENT', text: ({ inFlight }) => String(inFlight) },
  { title: 'REFUSED/s', text: ({ refusedPerSecond }) => rateText(refusedPerSecond) },
  {
    title: 'UNREACHED/s',
    text: ({ failedConnectionsPerSecond }) => rateText(failedConnectionsPerSecond),
  },
];

const PROCESSES: readonly [Column<ProcessRow>, ...Column<ProcessRow>[]] = [
  { title: 'PROCESS', text: ({ process }) => process },
  { title: 'PID', text: ({ pids }) => pids.join(',') },
  { title: 'CPU', text: ({ cpu }) => (cpu === null ? '-' : partText(cpu)) },
  { title: 'DELAY', text: ({ delay }) => timeText(delay) },
  { title: 'WORKERS', text: ({ workerDelay }) => timeText(workerDelay) },
  { title: 'HEAP', text: ({ heap }) => bytesText(heap) },
  { title: 'RSS', text: ({ resident }) => bytesText(resident) },
  { title: 'FILES', text: ({ descriptors }) => String(descriptors) },
];

/** frameLines gives the lines of a frame, no more and no longer than there is room for. `notice` is one line before the tables. */
export function frameLines(
  frame: Frame,
  order: Order,
  { columns, rows }: Room,
  notice?: string,
): Line[] {
  const lines = serviceLines(frame).map((text) => line(text, columns));
  if (notice !== undefined) lines.push(line(notice, columns, 'alarm'));
  // Each of the two takes a quarter at most, so that scripts have half of the terminal.
  const quarter = Math.max(1, Math.floor(rows / 4) - 2);
  lines.push(
    ...section(DATABASES, frame.databases, quarter, columns, isTroubled),
    ...section(PROCESSES, frame.processes, quarter, columns),
  );
  const scripts = [...frame.scripts].sort((a, b) => MEASURE[order](b) - MEASURE[order](a));
  const left = Math.max(1, rows - lines.length - 2);
  lines.push(
    ...section(SCRIPTS, scripts, left, columns, ({ errorsPerSecond }) => errorsPerSecond > 0),
  );
  return lines.slice(0, rows);
}

/** The lane of all statements, or the part of the slow one. */
function laneText(slowShare: number | null): string {
  if (slowShare === null) return '-';
  if (slowShare === 0) return 'fast';
  return slowShare === 1 ? 'slow' : partText(slowShare);
}

function isTroubled({ refusedPerSecond, failedConnectionsPerSecond }: DatabaseRow): boolean {
  return refusedPerSecond > 0 || failedConnectionsPerSecond > 0;
}

function serviceLines({ service, seconds, sinceStart }: Frame): string[] {
  const { version, uptime, processes, workers } = service;
  const interval = sinceStart ? 'since the start' : `in ${timeText(seconds)}`;
  return [
    `sql-rest-service ${version}, up ${spanText(uptime)}, ${processes} HTTP processes, ${workers} query workers, ${mishaps(service)}`,
    `${interval}: ${rateText(service.requestsPerSecond)} requests/s, ${rateText(service.failuresPerSecond)} failed/s, p50 ${timeText(service.p50)}, p99 ${timeText(service.p99)}; ${service.inFlight} in flight, ${service.clients} clients`,
  ];
}

/** What happened since the start of the service that should not. */
function mishaps({ restarts, threadDeaths, logLinesDropped }: ServiceRow): string {
  const reasons = Object.entries(restarts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} by ${reason}`);
  return [
    reasons.length === 0 ? 'no restarts' : `restarts: ${reasons.join(' ')}`,
    ...(threadDeaths === 0 ? [] : [`${threadDeaths} dead threads`]),
    ...(logLinesDropped === 0 ? [] : [`${logLinesDropped} log lines dropped`]),
  ].join(', ');
}

/** An empty line, the titles and at most `most` rows; the last one says how many more there are. */
function section<Row>(
  columns: readonly [Column<Row>, ...Column<Row>[]],
  rows: readonly Row[],
  most: number,
  width: number,
  alarms: (row: Row) => boolean = () => false,
): Line[] {
  const shown = rows.length <= most ? rows : rows.slice(0, most - 1);
  const [title, ...texts] = tableLines(columns, shown, width);
  const more = rows.length - shown.length;
  return [
    line('', width),
    line(title!, width, 'title'),
    ...texts.map((text, i) => line(text, width, alarms(shown[i]!) ? 'alarm' : 'plain')),
    ...(more === 0 ? [] : [line(`… ${more} more`, width)]),
  ];
}

function line(text: string, width: number, style: Line['style'] = 'plain'): Line {
  return { text: cut(text, width), style };
}
