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
interface Target extends Bound {
  readonly what: string;
  readonly figure: FigureName;
  readonly of: Line;
  readonly over?: Line;
}

interface Bound {
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
  ...[32, 256].flatMap((connections): Target[] => [
    against('prest', 'rate', 'one', connections, { least: 4 }),
    against('fastify-pg', 'rate', 'one', connections, { least: 2 }),
    against('pgbench', 'rate', 'one', connections, { least: 0.7 }),
    { what: 'CPU µs', figure: 'serverCpu', of: line('one', connections), most: 30 },
  ]),
  against(BASE, 'serverCpu', 'one', 1, { most: 0.75 }),
  against(BASE, 'p50', 'one', 1, { most: 0.9 }),
  against(BASE, 'serverCpu', 'one', 32, { most: 0.85 }),
  against(RUST_PEER, 'serverCpu', 'one', 1, { most: 1.4 }),
  against(RUST_PEER, 'p50', 'one', 1, { most: 1.15 }),
  ...['one', 'page', 'insert'].flatMap((name) =>
    [32, 256].flatMap((connections) => [
      against(RUST_PEER, 'serverCpu', name, connections, { most: 1.05 }),
      against(BEST, 'rate', name, connections, { least: 1 }),
    ]),
  ),
  ...['one', 'page', 'insert'].map((name) => against(BEST, 'p99', name, 32, { most: 1.5 })),
  against(FLOOR, 'serverCpu', 'one', 1, { most: 2.5 }),
  ...['one', 'page', 'insert'].flatMap((name) =>
    [32, 256].map((connections) => against(FLOOR, 'serverCpu', name, connections, { most: 1.6 })),
  ),
  ...['one', 'page', 'insert'].map((name) => against(FLOOR, 'rate', name, 256, { least: 0.85 })),
  ...[32, 256].flatMap((connections) => [
    ratio('serverCpu', line('page', connections), line('one', connections), { most: 1.7 }),
    against('pgbench', 'rate', 'page', connections, { least: 0.9 }),
  ]),
  {
    ...ratio('rate', line('one', 32, AUTHENTICATED), line('one', 32), { least: 0.9 }),
    what: 'authenticated rate over unauthenticated',
  },
  ratio('serverCpu', line('interpolated', 32), line('one', 32), { most: 1.25 }),
  against('fastify-pg', 'p50', 'one', 1, { most: 1 }),
  ratio('p99', line('mixed', 32), line('one', 32), { most: 1.5 }),
  ratio('rate', line('mixed', 32), line('one', 32), { least: 0.8 }),
  ratio('rate', line('one', 1000), line('one', 256), { least: 0.9 }),
  ratio('serverCpu', line('body', 32), line('six', 32), { most: 1.5 }),
  { what: 'errors', figure: 'errors', of: line('one', 1000), most: 0 },
  ...[1, 8, 32].map((connections) =>
    against('psql', 'rate', 'megabyte', connections, { least: 0.8 }),
  ),
  ...[1, 32].map((connections) =>
    ratio('p50', line('three', connections), line('insert', connections), { most: 1.6 }),
  ),
  ratio('rate', line('mcp', 32), line('one', 32), { least: 0.5 }),
  ...[32, 256].flatMap((connections): Target[] => {
    const over = (server: string, least: number): Target =>
      ratio('rate', line('plugin', connections, server), line('plugin', connections, HELLO), {
        least,
      });
    return [
      { ...over(SERVICE, 0.2), what: `isolated rate over ${HELLO}` },
      { ...over(IN_PROCESS, 0.5), what: `in-process rate over ${HELLO}` },
    ];
  }),
];

/** against is the ratio of the service to another server in a case. */
function against(
  server: string,
  figure: FigureName,
  name: string,
  connections: number,
  bound: Bound,
): Target {
  return ratio(figure, line(name, connections), line(name, connections, server), bound);
}

/** ratio is a bound for the figure of a line over that of another, which its name says. */
function ratio(figure: FigureName, of: Line, over: Line, bound: Bound): Target {
  const name = figure === 'serverCpu' ? 'CPU' : figure;
  const base = over.server === SERVICE ? `${over.case}@${over.connections}` : over.server;
  return { what: `${name} over ${base}`, figure, of, over, ...bound };
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
