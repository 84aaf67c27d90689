/** The costs of the threads, and how they follow from samples of the service with one HTTP process and one worker. */
import { spread } from '../measure/figures.js';
import { PARTS, type Part, type Sample } from './sample.js';

/** CPU time of a thread, µs. */
export interface ThreadCost {
  /** For falling asleep and waking up. */
  readonly wake: number;
  /** For a request, there and back. */
  readonly item: number;
}

export interface Costs extends Readonly<Record<Part, ThreadCost>> {
  /** Time until an idle core runs a thread that wakes up, µs. */
  readonly wakeUp: number;
  /** Standard deviation of the time of a statement, over its mean. */
  readonly variation: number;
  /** Mean time for which other programs and the hypervisor take a core away, when they do, µs. */
  readonly pause: number;
}

/** The medians of the samples of one case and layout at a number of connections. */
export interface Cell extends Omit<Sample, 'case' | 'layout'> {
  readonly connections: number;
}

/** The variation is an assumption: that of one statement is hidden by that of the machine. */
const VARIATION = 0.3;
/** Only if the most sleeps for a request are so many times the fewest, they tell what one costs. */
const VARIED = 2;
/** With one connection, a request wakes up generator and backend once, HTTP process and worker twice. */
const WAKE_UPS = 6;

/** cellsOf returns the medians of samples at each number of connections. */
export function cellsOf(samples: readonly Sample[]): Cell[] {
  const numbers = [...new Set(samples.map(({ connections }) => connections))].sort((a, b) => a - b);
  return numbers.map((connections) => {
    const all = samples.filter((sample) => sample.connections === connections);
    const median = (figure: (sample: Sample) => number): number => spread(all.map(figure)).median;
    const parts = PARTS.map((part) => [
      part,
      {
        cpu: median((sample) => sample.parts[part].cpu),
        sleeps: median((sample) => sample.parts[part].sleeps),
      },
    ]);
    return {
      connections,
      rate: median(({ rate }) => rate),
      p50: median(({ p50 }) => p50),
      p99: median(({ p99 }) => p99),
      otherLoad: median(({ otherLoad }) => otherLoad),
      parts: Object.fromEntries(parts) as Sample['parts'],
    };
  });
}

/** costsOf calculates costs, without pauses, from cells of a case with one HTTP process and one worker. */
export function costsOf(cells: readonly Cell[]): Costs {
  const fitted = PARTS.map((part) => [part, fitLine(cells.map(({ parts }) => parts[part]))]);
  const costs = Object.fromEntries(fitted) as Record<Part, ThreadCost>;
  const single = cells.find(({ connections }) => connections === 1);
  // Half of the time for a sleep is spent before it, when the request is already on its way.
  const work = PARTS.reduce((sum, part) => {
    return sum + costs[part].item + ((single?.parts[part].sleeps ?? 0) * costs[part].wake) / 2;
  }, 0);
  const wakeUp = single ? Math.max(0, (single.p50 * 1000 - work) / WAKE_UPS) : 0;
  return { ...costs, wakeUp, variation: VARIATION, pause: 0 };
}

/**
 * fitLine finds the line cpu = item + wake × sleeps with the smallest relative errors, of which neither part is negative:
 * the CPU time for a request falls as more of them share the wake-ups of a thread.
 */
export function fitLine(
  points: readonly { readonly cpu: number; readonly sleeps: number }[],
): ThreadCost {
  let [w, x, y, xx, xy] = [0, 0, 0, 0, 0];
  for (const { cpu, sleeps } of points) {
    const weight = 1 / (cpu * cpu);
    w += weight;
    x += weight * sleeps;
    y += weight * cpu;
    xx += weight * sleeps * sleeps;
    xy += weight * sleeps * cpu;
  }
  const sleeps = points.map((point) => point.sleeps);
  if (Math.max(...sleeps) < VARIED * Math.min(...sleeps)) return { item: y / w, wake: 0 };
  const determinant = w * xx - x * x;
  const wake = (w * xy - x * y) / determinant;
  const item = (y - wake * x) / w;
  if (wake < 0) return { item: y / w, wake: 0 };
  if (item < 0) return { item: 0, wake: xy / xx };
  return { item, wake };
}
