/** Predicts what the command line asks for. */
import { generatorThreads } from '../load/wrk.js';
import type { Costs } from './costs.js';
import type { Predict } from './options.js';
import { simulate, type Prediction, type Scenario } from './simulate.js';

/** A line of a prediction. */
export interface Predicted {
  /** What the clients do, for a reader. */
  readonly load: string;
  readonly prediction: Prediction;
}

/** Clients of each HTTP process that find its highest rate, and the parts of that rate that are predicted. */
const CLIENTS = 256;
const PARTS_OF_HIGHEST = [0.5, 0.7, 0.8, 0.9];

/** predict simulates each load of the options; without one, the highest rate and parts of it. */
export function predict(options: Predict, costs: Costs): Predicted[] {
  const { connections, rates, instances, layout, cores, local } = options;
  const closed = (count: number): Predicted => ({
    load: `${count} connections`,
    prediction: simulate(
      scenario(options, costs, {
        connections: count,
        threads: local ? generatorThreads(cores, count) : 0,
      }),
    ),
  });
  const open = (rate: number, load = `${rate}/s`): Predicted => ({
    load,
    prediction: simulate(scenario(options, costs, { rate, threads: 0 })),
  });
  if (connections.length > 0 || rates.length > 0) {
    return [...connections.map(closed), ...rates.map((rate) => open(rate))];
  }
  const highest = closed(CLIENTS * layout.processes * instances);
  if (local) return [highest];
  const parts = PARTS_OF_HIGHEST.map((part) =>
    open(part * highest.prediction.rate, `${Math.round(part * 100)} % of its rate`),
  );
  return [highest, ...parts];
}

function scenario(
  { layout, slow, ...options }: Predict,
  costs: Costs,
  load: Omit<Scenario['load'], 'slowConnections'>,
): Scenario {
  return {
    ...{ ...options, costs, ...layout },
    load: { ...load, slowConnections: slow.connections },
    slowTime: slow.time,
  };
}
