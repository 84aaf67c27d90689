/**
 * The performance targets of the service, compared with the medians of this run. A report only: on a shared machine, one run
 * proves nothing.
 */
import {
  AUTHENTICATED,
  BASE,
  FLOOR,
  GO_PEER,
  HELLO,
  IN_PROCESS,
  RUST_PEER,
  XITCA_PEER,
} from './contestants.js';
import type { Idle } from './idle.js';
import type { FigureName, Summary } from './measure/figures.js';
import { aligned } from './report.js';

/** The part of a table that targets need. */
export interface Measured {
  readonly cell: { readonly case: { readonly name: string }; readonly connections: number };
  readonly rows: readonly { readonly name: string; readonly summary: Summary }[];
}

/** A line of a table. */
interface Line {
  readonly case: string;
  readonly connections: number;
  readonly server: string;
}

/** A bound for a figure of a line, or for its ratio to the figure of another line. */
interface Target {
  readonly what: string;
  readonly figure: FigureName;
  readonly of: Line;
  readonly over?: Line;
  readonly least?: number;
  readonly most?: number;
}

const SERVICE = 'service';
/** The peers of package registries; the figure of the best of them is the one to compare with. */
const BEST = 'the best peer';
const REGISTRY_PEERS = [
  'fastify-pg',
  'fastify-pg cluster',
  'uws-postgres',
  GO_PEER,
  RUST_PEER,
  XITCA_PEER,
  'bun',
];
const line = (name: string, connections: number, server = SERVICE): Line => ({
  case: name,
  connections,
  server,
});

/** Bound of idle memory, with shared pages divided, over that of the revision before. */
const IDLE_MEMORY = 0.7;

const TARGETS: readonly Target[] = [
  ...[32, 256].flatMap((connections): Target[] => {
    const rate = { figure: 'rate', of: line('one', connections) } as const;
    const over = (server: string): Line => line('one', connections, server);
    return [
      { what: 'rate over prest', ...rate, over: over('prest'), least: 4 },
      { what: 'rate over fastify-pg', ...rate, over: over('fastify-pg'), least: 2 },
      { what: 'rate over pgbench', ...rate, over: over('pgbench'), least: 0.7 },
      { what: 'CPU µs', figure: 'serverCpu', of: line('one', connections), most: 30 },
    ];
  }),
  ...[
    { figure: 'serverCpu', connections: 1, most: 0.75 } as const,
    { figure: 'p50', connections: 1, most: 0.9 } as const,
    { figure: 'serverCpu', connections: 32, most: 0.85 } as const,
  ].map(({ figure, connections, most }): Target => ({
    what: `${figure === 'p50' ? 'p50' : 'CPU'} over ${BASE}`,
    figure,
    of: line('one', connections),
    over: line('one', connections, BASE),
    most,
  })),
  cpuOver(RUST_PEER, 'one', 1, 1.4),
  {
    what: `p50 over ${RUST_PEER}`,
    figure: 'p50',
    of: line('one', 1),
    over: line('one', 1, RUST_PEER),
    most: 1.15,
  },
  ...['one', 'page', 'insert'].flatMap((name) =>
    [32, 256].flatMap((connections): Target[] => [
      cpuOver(RUST_PEER, name, connections, 1.05),
      {
        what: `rate over ${BEST}`,
        figure: 'rate',
        of: line(name, connections),
        over: line(name, connections, BEST),
        least: 1,
      },
    ]),
  ),
  ...['one', 'page', 'insert'].map((name): Target => ({
    what: `p99 over ${BEST}`,
    figure: 'p99',
    of: line(name, 32),
    over: line(name, 32, BEST),
    most: 1.5,
  })),
  cpuOver(FLOOR, 'one', 1, 2.5),
  ...['one', 'page', 'insert'].flatMap((name) =>
    [32, 256].map((connections) => cpuOver(FLOOR, name, connections, 1.6)),
  ),
  ...['one', 'page', 'insert'].map((name): Target => ({
    what: `rate over ${FLOOR}`,
    figure: 'rate',
    of: line(name, 256),
    over: line(name, 256, FLOOR),
    least: 0.85,
  })),
  ...[32, 256].flatMap((connections): Target[] => [
    {
      what: `CPU over one@${connections}`,
      figure: 'serverCpu',
      of: line('page', connections),
      over: line('one', connections),
      most: 1.7,
    },
    {
      what: 'rate over pgbench',
      figure: 'rate',
      of: line('page', connections),
      over: line('page', connections, 'pgbench'),
      least: 0.9,
    },
  ]),
  {
    what: 'authenticated rate over unauthenticated',
    figure: 'rate',
    of: line('one', 32, AUTHENTICATED),
    over: line('one', 32),
    least: 0.9,
  },
  {
    what: 'CPU over one@32',
    figure: 'serverCpu',
    of: line('interpolated', 32),
    over: line('one', 32),
    most: 1.25,
  },
  {
    what: 'p50 over fastify-pg',
    figure: 'p50',
    of: line('one', 1),
    over: line('one', 1, 'fastify-pg'),
    most: 1,
  },
  {
    what: 'p99 over one@32',
    figure: 'p99',
    of: line('mixed', 32),
    over: line('one', 32),
    most: 1.5,
  },
  {
    what: 'rate over one@32',
    figure: 'rate',
    of: line('mixed', 32),
    over: line('one', 32),
    least: 0.8,
  },
  {
    what: 'rate over one@256',
    figure: 'rate',
    of: line('one', 1000),
    over: line('one', 256),
    least: 0.9,
  },
  {
    what: 'CPU over six@32',
    figure: 'serverCpu',
    of: line('body', 32),
    over: line('six', 32),
    most: 1.5,
  },
  { what: 'errors', figure: 'errors', of: line('one', 1000), most: 0 },
  ...[1, 8, 32].map((connections): Target => ({
    what: 'rate over psql',
    figure: 'rate',
    of: line('megabyte', connections),
    over: line('megabyte', connections, 'psql'),
    least: 0.8,
  })),
  ...[1, 32].map((connections): Target => ({
    what: `p50 over insert@${connections}`,
    figure: 'p50',
    of: line('three', connections),
    over: line('insert', connections),
    most: 1.6,
  })),
  {
    what: 'rate over one@32',
    figure: 'rate',
    of: line('mcp', 32),
    over: line('one', 32),
    least: 0.5,
  },
  ...[32, 256].flatMap((connections): Target[] => {
    const over = line('plugin', connections, HELLO);
    const rate = (server: string) =>
      ({ figure: 'rate', of: line('plugin', connections, server), over }) as const;
    return [
      { what: `isolated rate over ${HELLO}`, ...rate(SERVICE), least: 0.2 },
      { what: `in-process rate over ${HELLO}`, ...rate(IN_PROCESS), least: 0.5 },
    ];
  }),
];

function cpuOver(server: string, name: string, connections: number, most: number): Target {
  return {
    what: `CPU over ${server}`,
    figure: 'serverCpu',
    of: line(name, connections),
    over: line(name, connections, server),
    most,
  };
}

/**
 * targetTable has a line for each target whose case was measured; undefined when none was. Ratios to the revision before are
 * left out when there is none.
 */
export function targetTable(
  tables: readonly Measured[],
  idle: readonly Pick<Idle, 'name' | 'memory'>[] = [],
): string | undefined {
  const rows = TARGETS.flatMap((target) => {
    const reached = figure(tables, target.of, target.figure);
    if (reached === undefined) return [];
    const { over } = target;
    if (over?.server === BASE && figure(tables, over, target.figure) === undefined) return [];
    return [row(tables, target, reached)];
  });
  rows.push(...idleRows(idle));
  if (rows.length === 0) return undefined;
  return `targets\n${aligned([['', 'wanted', 'reached', ''], ...rows])}`;
}

function row(tables: readonly Measured[], target: Target, reached: number): string[] {
  const { what, of, over, least, most } = target;
  const label = `${of.case}@${of.connections} ${what}`;
  const base = over ? figure(tables, over, target.figure) : 1;
  // autocannon measures whole milliseconds, so that 0 is possible.
  return judged(label, base === undefined || base === 0 ? undefined : reached / base, {
    least,
    most,
  });
}

/** idleRows is the line of idle memory, if the service and the revision before were started. */
function idleRows(idle: readonly Pick<Idle, 'name' | 'memory'>[]): string[][] {
  const [now, before] = [SERVICE, BASE].map((name) => idle.find((entry) => entry.name === name));
  if (!now || !before) return [];
  const value = now.memory.proportional / before.memory.proportional;
  return [judged(`idle memory (PSS) over ${BASE}`, value, { most: IDLE_MEMORY })];
}

/** judged compares a value with its bound. */
export function judged(
  label: string,
  value: number | undefined,
  { least, most }: { readonly least?: number | undefined; readonly most?: number | undefined },
): string[] {
  const wanted = least === undefined ? `<= ${most}` : `>= ${least}`;
  if (value === undefined) return [label, wanted, '-', 'not measured'];
  const met = value >= (least ?? -Infinity) && value <= (most ?? Infinity);
  return [label, wanted, String(Number(value.toFixed(2))), met ? 'met' : 'missed'];
}

/** figure is a median, of BEST the best one; of errors the maximum, because one bad sample is enough. */
function figure(tables: readonly Measured[], at: Line, name: FigureName): number | undefined {
  const table = tables.find(
    ({ cell }) => cell.case.name === at.case && cell.connections === at.connections,
  );
  if (at.server === BEST) {
    const medians = (table?.rows ?? [])
      .filter((row) => REGISTRY_PEERS.includes(row.name))
      .flatMap(({ summary }) => summary[name]?.median ?? []);
    if (medians.length === 0) return undefined;
    return name === 'rate' ? Math.max(...medians) : Math.min(...medians);
  }
  const spread = table?.rows.find((row) => row.name === at.server)?.summary[name];
  return name === 'errors' ? spread?.max : spread?.median;
}
