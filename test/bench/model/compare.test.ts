/** Costs and errors from samples: those of a simulated service give its costs again. */
import t from 'tap';
import { calibrate, compare } from '../../../bench/model/compare.js';
import type { Costs } from '../../../bench/model/costs.js';
import { comparisonTable, costsTable, errorLine } from '../../../bench/model/report.js';
import { PARTS, type Sample } from '../../../bench/model/sample.js';
import { simulate } from '../../../bench/model/simulate.js';

const COSTS: Costs = {
  generator: { wake: 20, item: 10 },
  http: { wake: 40, item: 20 },
  worker: { wake: 40, item: 20 },
  backend: { wake: 30, item: 50 },
  ...{ wakeUp: 20, variation: 0.3, pause: 0 },
};
const CONDITIONS = { cores: 2, pool: 8 };

t.test('the samples of a simulation', (t) => {
  const samples = [1, 2].flatMap((processes) =>
    [1, 4, 64].map((connections) => sampleOf(processes, connections)),
  );
  const costs = calibrate(samples, CONDITIONS);
  for (const part of PARTS) {
    t.ok(Math.abs(costs[part].item / COSTS[part].item - 1) < 0.1, `${part} ${costs[part].item}`);
  }
  t.equal(costs.pause, 0);
  const comparisons = compare(samples, costs, CONDITIONS);
  t.equal(comparisons.length, 6);
  for (const { measured, predicted } of comparisons) {
    t.ok(Math.abs(predicted.rate / measured.rate - 1) < 0.15, `${predicted.rate} ${measured.rate}`);
  }
  t.match(comparisonTable(comparisons), /^one 2x1 +64 +\d+ +\d+ +-?\d+ % /m);
  t.match(errorLine(comparisons), /^other layouts than 1x1: rate wrong by \d+ % on average/);
  t.match(costsTable(costs), /^backend +\d+\.\d +\d+\.\d$/m);
  t.end();
});

t.test('without other layouts there is no error, without 1x1 there are no costs', (t) => {
  const one = [sampleOf(1, 64)];
  t.equal(errorLine(compare(one, COSTS, CONDITIONS)), undefined);
  t.throws(() => calibrate([sampleOf(2, 64)], CONDITIONS), /no samples of the layout 1x1/);
  t.end();
});

function sampleOf(processes: number, connections: number): Sample {
  const layout = { processes, threads: 1 };
  const { rate, p50, p99, busy, sleeps } = simulate({
    ...{ costs: COSTS, ...CONDITIONS, ...layout, instances: 1, database: undefined },
    load: { connections, threads: 1, slowConnections: 0 },
    ...{ network: 0, slowTime: 0, disturbance: 0, seconds: 0.5, warmUp: 0.5, seed: 3 },
  });
  const parts = PARTS.map((part) => [
    part,
    { cpu: (busy[part] * 1e6) / rate, sleeps: sleeps[part] },
  ]);
  return {
    ...{ case: 'one', layout, connections, rate, p50, p99, otherLoad: 0 },
    parts: Object.fromEntries(parts) as Sample['parts'],
  };
}
