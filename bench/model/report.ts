/** Formats predictions and comparisons as plain text, and as JSON. Pure functions. */
import { aligned } from '../report.js';
import type { Comparison } from './compare.js';
import type { Costs } from './costs.js';
import type { Predicted } from './predict.js';
import { PARTS } from './sample.js';

/** predictionTable has the rate, the times and the busy cores of each load. */
export function predictionTable(lines: readonly Predicted[]): string {
  return aligned([
    ['', 'req/s', 'p50 ms', 'p99 ms', ...PARTS.map((part) => `${part} cores`), 'waiting'],
    ...lines.map(({ load, prediction: { rate, p50, p99, busy, unanswered } }) => [
      load,
      rate.toFixed(0),
      p50.toFixed(2),
      p99.toFixed(2),
      ...PARTS.map((part) => busy[part].toFixed(2)),
      String(unanswered),
    ]),
  ]);
}

/** costsTable has the CPU times of each part, µs. */
export function costsTable(costs: Costs): string {
  return [
    aligned([
      ['', 'µs a wake-up', 'µs a request'],
      ...PARTS.map((part) => [part, costs[part].wake.toFixed(1), costs[part].item.toFixed(1)]),
    ]),
    `an idle core starts a thread after ${costs.wakeUp.toFixed(1)} µs, pauses of ${costs.pause} µs`,
  ].join('\n');
}

/** comparisonTable has measured and predicted figures, and the error of the predictions. */
export function comparisonTable(comparisons: readonly Comparison[]): string {
  return aligned([
    [
      '',
      ...['connections', 'req/s', 'predicted', 'error'],
      ...['p50 ms', 'predicted', 'p99 ms', 'predicted', 'error', 'other'],
    ],
    ...comparisons.map(({ case: subject, layout, measured, predicted }) => [
      `${subject} ${layout.processes}x${layout.threads}`,
      String(measured.connections),
      measured.rate.toFixed(0),
      predicted.rate.toFixed(0),
      percent(predicted.rate / measured.rate - 1),
      measured.p50.toFixed(2),
      predicted.p50.toFixed(2),
      measured.p99.toFixed(2),
      predicted.p99.toFixed(2),
      `${(predicted.p99 / measured.p99).toFixed(2)}×`,
      measured.otherLoad.toFixed(2),
    ]),
  ]);
}

/** errorLine sums up the errors of the layouts that the costs do not come from. */
export function errorLine(comparisons: readonly Comparison[]): string | undefined {
  const others = comparisons.filter(({ layout }) => layout.processes * layout.threads > 1);
  if (others.length === 0) return undefined;
  const rates = others.map(({ measured, predicted }) =>
    Math.abs(predicted.rate / measured.rate - 1),
  );
  const tails = others.map(({ measured, predicted }) =>
    Math.exp(Math.abs(Math.log(predicted.p99 / measured.p99))),
  );
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return (
    `other layouts than 1x1: rate wrong by ${percent(mean(rates))} on average, ${percent(Math.max(...rates))} at most; ` +
    `p99 by a factor of ${mean(tails).toFixed(2)} on average, ${Math.max(...tails).toFixed(2)} at most`
  );
}

function percent(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}
