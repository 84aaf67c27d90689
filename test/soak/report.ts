/** The result of a soak: figures, trends, plots and the series themselves. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { putBetween, tableOf } from '../support/markdown.js';
import { CYCLE, type Noted } from './events.js';
import { svgOf, type Line } from './plot.js';
import { totalOf, type Sample } from './sampler.js';
import { trendOf, type Point, type Trend } from './trend.js';

export interface Soak {
  readonly machine: string;
  readonly seed: number;
  readonly seconds: number;
  /** Seconds that are not part of a trend. */
  readonly warmUp: number;
  readonly requests: number;
  readonly failed: number;
  readonly edits: number;
  readonly events: readonly Noted[];
  readonly files: readonly Sample[];
  readonly table: readonly Sample[];
}

/** A trend of memory, of which the growth must be within LIMIT. */
export interface Named {
  readonly name: string;
  readonly trend: Trend;
}

/** Growth in ten minutes. */
export const LIMIT = 0.01;

const MIB = 1 << 20;

type Pick = (sample: Sample) => number;

/**
 * trendsOf fits the memory after the warm-up. Where processes are replaced, the memory rises and falls with each of them, and
 * the line goes through the medians of whole cycles.
 */
export function trendsOf({ files, table, warmUp }: Soak): Named[] {
  const settled = (samples: readonly Sample[], pick: Pick): Point[] =>
    samples.filter(({ at }) => at >= warmUp).map((sample) => [sample.at, pick(sample)]);
  const of = (name: string) => (sample: Sample) => sample.memory[name] ?? 0;
  const all: Pick = ({ memory }) => totalOf(memory);
  return [
    { name: 'processes that run on: all', trend: trendOf(settled(table, all)) },
    { name: 'processes that run on: supervisor', trend: trendOf(settled(table, of('supervisor'))) },
    { name: 'processes that run on: HTTP process 0', trend: trendOf(settled(table, of('http_0'))) },
    { name: 'processes that run on: HTTP process 1', trend: trendOf(settled(table, of('http_1'))) },
    { name: 'processes replaced: all', trend: trendOf(cycleMedians(settled(files, all))) },
    { name: 'processes replaced: supervisor', trend: trendOf(settled(files, of('supervisor'))) },
  ];
}

/** cycleMedians gives the median of each whole cycle, at its middle: a reload has the processes twice for a moment. */
export function cycleMedians(points: readonly Point[]): Point[] {
  const length = CYCLE * 60;
  const begin = points[0]?.[0] ?? 0;
  const medians: Point[] = [];
  for (let from = begin; from + length <= points.at(-1)![0] + length / 20; from += length) {
    const inside = points.filter(([at]) => at >= from && at < from + length);
    const sorted = inside.map(([, value]) => value).sort((one, other) => one - other);
    medians.push([from + length / 2, sorted[sorted.length >> 1]!]);
  }
  return medians;
}

/** writePlots writes the plots and the series into a folder. */
export function writePlots(folder: string, soak: Soak): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'series.json'), `${JSON.stringify(soak)}\n`);
  const { events, warmUp, files, table } = soak;
  const marks = events.map(({ at }) => at / 60);
  const line = (name: string, samples: readonly Sample[], pick: Pick, trend?: Trend): Line => ({
    name,
    points: samples.map((sample) => [sample.at / 60, pick(sample)]),
    trend: trend && [
      [warmUp / 60, trend.from / MIB],
      [soak.seconds / 60, trend.to / MIB],
    ],
  });
  const trends = new Map(trendsOf(soak).map(({ name, trend }) => [name, trend]));
  const memory: Pick = (sample) => totalOf(sample.memory) / MIB;
  const of =
    (name: string): Pick =>
    (sample) =>
      (sample.memory[name] ?? 0) / MIB;
  const heap: Pick = (sample) => sample.heap / MIB;
  const plots = {
    memory: {
      title: 'Resident memory of the services; of the one that runs on also by process',
      unit: 'MiB',
      lines: [
        line('all that run on', table, memory, trends.get('processes that run on: all')),
        line('all replaced', files, memory, trends.get('processes replaced: all')),
        line('HTTP process 0', table, of('http_0')),
        line('HTTP process 1', table, of('http_1')),
        line('supervisor', table, of('supervisor')),
        line('JavaScript heaps', table, heap),
      ],
    },
    descriptors: {
      title: 'Open descriptors and connections of clients',
      unit: 'count',
      lines: [
        line('descriptors, run on', table, (one) => totalOf(one.descriptors)),
        line('descriptors, replaced', files, (one) => totalOf(one.descriptors)),
        line('clients, run on', table, (one) => one.clients),
        line('clients, replaced', files, (one) => one.clients),
      ],
    },
    connections: {
      title: 'Connections to PostgreSQL',
      unit: 'count',
      lines: [
        line('processes that run on', table, (one) => one.connections),
        line('processes replaced', files, (one) => one.connections),
      ],
    },
    statements: {
      title: 'Prepared statements of all connections',
      unit: 'count',
      lines: [
        line('processes that run on', table, (one) => one.prepared),
        line('processes replaced', files, (one) => one.prepared),
      ],
    },
  };
  for (const [name, plot] of Object.entries(plots))
    writeFileSync(path.join(folder, `${name}.svg`), svgOf({ ...plot, marks, warmUp: warmUp / 60 }));
}

/** summaryOf is the result in Markdown. */
export function summaryOf(soak: Soak): string {
  const { machine, seed, seconds, warmUp, requests, failed, edits, events, files, table } = soak;
  const rows = trendsOf(soak).map(({ name, trend: { from, to, growth } }) => [
    name,
    (from / MIB).toFixed(1),
    (to / MIB).toFixed(1),
    `${(100 * growth).toFixed(2)} %`,
  ]);
  const range = (samples: readonly Sample[], pick: Pick): string => {
    const values = samples.filter(({ at }) => at >= warmUp).map(pick);
    return `${Math.min(...values)} to ${Math.max(...values)}`;
  };
  const ranges = (
    [
      ['open descriptors', ({ descriptors }) => totalOf(descriptors)],
      ['connections to PostgreSQL', ({ connections }) => connections],
      ['prepared statements', ({ prepared }) => prepared],
    ] as const satisfies readonly (readonly [string, Pick])[]
  ).map(([name, pick]) => [name, range(table, pick), range(files, pick)]);
  return [
    `${machine} ${Math.round(seconds / 60)} minutes, of which ${warmUp / 60} are the warm-up; ${requests} requests (${failed} failed, in faults), ${edits} edits of scripts, ${events.length} faults; seed ${seed}.`,
    '',
    tableOf(
      ['memory, MiB', 'at the end of the warm-up', 'at the end', 'growth in 10 minutes'],
      rows,
    ),
    '',
    tableOf(['after the warm-up', 'processes that run on', 'processes replaced'], ranges),
  ].join('\n');
}

const BEGIN = '<!-- figures of npm run test:soak -->';
const END = '<!-- end of the figures -->';

/** writeSummary puts the result between its marks in a document. */
export function writeSummary(document: string, soak: Soak): void {
  putBetween(document, BEGIN, END, summaryOf(soak));
}
