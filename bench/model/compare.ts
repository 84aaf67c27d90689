/**
 * Compares samples of the service in several layouts with what the model predicts from the costs of the layout 1x1. Pure
 * functions.
 */
import { generatorThreads } from '../load/wrk.js';
import { cellsOf, costsOf, type Cell, type Costs } from './costs.js';
import type { Layout } from '../contestants.js';
import type { Sample } from './sample.js';
import { simulate, type Prediction } from './simulate.js';

/** Lengths of pauses that are tried, µs. */
const PAUSES = [500, 1000, 2000, 4000, 8000, 16_000, 32_000];
const SECONDS = 2;
const WARM_UP = 1;

/** What was measured, and what was predicted. */
export interface Comparison {
  readonly case: string;
  readonly layout: Layout;
  readonly measured: Cell;
  readonly predicted: Prediction;
}

/** The machine that the samples are from. */
export interface Conditions {
  readonly cores: number;
  /** Connections of each service to PostgreSQL. */
  readonly pool: number;
}

/** calibrate calculates the costs of a case from its samples with one HTTP process and one worker. */
export function calibrate(samples: readonly Sample[], conditions: Conditions): Costs {
  const cells = cellsOf(samples.filter(({ layout }) => layout.processes * layout.threads === 1));
  if (cells.length === 0) throw new Error('there are no samples of the layout 1x1');
  const costs = costsOf(cells);
  // The length of pauses follows from p99, which hardly depends on anything else.
  const error = (pause: number): number => {
    const errors = cells.map((cell) => {
      const { p99 } = predict({ ...costs, pause }, ONE, cell, conditions);
      return Math.log(p99 / cell.p99) ** 2;
    });
    return errors.reduce((sum, value) => sum + value, 0);
  };
  if (cells.every(({ otherLoad }) => otherLoad === 0)) return costs;
  const errors = PAUSES.map(error);
  return { ...costs, pause: PAUSES[errors.indexOf(Math.min(...errors))]! };
}

const ONE: Layout = { processes: 1, threads: 1 };

/** compare predicts each measured cell of a case. */
export function compare(
  samples: readonly Sample[],
  costs: Costs,
  conditions: Conditions,
): Comparison[] {
  const names = [...new Set(samples.map(({ layout }) => `${layout.processes}x${layout.threads}`))];
  return names.flatMap((name) => {
    const own = samples.filter(({ layout }) => `${layout.processes}x${layout.threads}` === name);
    const { case: subject, layout } = own[0]!;
    return cellsOf(own).map((measured) => ({
      ...{ case: subject, layout, measured },
      predicted: predict(costs, layout, measured, conditions),
    }));
  });
}

/** predict simulates the load of a cell, the load generator on the same machine, as disturbed as it was. */
function predict(costs: Costs, layout: Layout, cell: Cell, conditions: Conditions): Prediction {
  const { cores, pool } = conditions;
  const { connections } = cell;
  return simulate({
    ...{ costs, cores, pool, ...layout },
    instances: 1,
    database: undefined,
    load: { connections, threads: generatorThreads(cores, connections), slowConnections: 0 },
    network: 0,
    slowTime: 0,
    disturbance: Math.min(0.9, cell.otherLoad / cores),
    ...{ seconds: SECONDS, warmUp: WARM_UP, seed: 1 },
  });
}
