/**
 * The performance targets of the service, compared with the medians of this run. A report only: on a shared machine, one run
 * proves nothing.
 */
import { AUTHENTICATED, HELLO, IN_PROCESS } from './contestants.js';
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
const line = (name: string, connections: number, server = SERVICE): Line => ({
  case: name,
  connections,
  server,
});

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
    most: 2,
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
  { what: 'errors', figure: 'errors', of: line('one', 1000), most: 0 },
  ...[1, 8, 32].map((connections): Target => ({
    what: 'rate over psql',
    figure: 'rate',
    of: line('megabyte', connections),
    over: line('megabyte', connections, 'psql'),
    least: 0.8,
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

/** targetTable has a line for each target whose case was measured; undefined when none was. */
export function targetTable(tables: readonly Measured[]): string | undefined {
  const rows = TARGETS.flatMap((target) => {
    const reached = figure(tables, target.of, target.figure);
    return reached === undefined ? [] : [row(tables, target, reached)];
  });
  if (rows.length === 0) return undefined;
  return `targets\n${aligned([['', 'wanted', 'reached', ''], ...rows])}`;
}

function row(tables: readonly Measured[], target: Target, reached: number): string[] {
  const { what, of, over, least, most } = target;
  const label = `${of.case}@${of.connections} ${what}`;
  const wanted = least === undefined ? `<= ${most}` : `>= ${least}`;
  const base = over ? figure(tables, over, target.figure) : 1;
  // autocannon measures whole milliseconds, so that 0 is possible.
  if (base === undefined || base === 0) return [label, wanted, '-', 'not measured'];
  const value = reached / base;
  const met = value >= (least ?? -Infinity) && value <= (most ?? Infinity);
  return [label, wanted, String(Number(value.toFixed(2))), met ? 'met' : 'missed'];
}

/** figure is a median; of errors the maximum, because one bad sample is enough. */
function figure(tables: readonly Measured[], at: Line, name: FigureName): number | undefined {
  const table = tables.find(
    ({ cell }) => cell.case.name === at.case && cell.connections === at.connections,
  );
  const spread = table?.rows.find((row) => row.name === at.server)?.summary[name];
  return name === 'errors' ? spread?.max : spread?.median;
}
