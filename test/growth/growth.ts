/**
 * How the processor time of work grows with its input. The shortest of several measurements counts, and more are made before
 * work is said to grow too fast: other programs only make it longer.
 */
import type { Test } from 'tap';
import { cpuTime } from '../support/cpu.js';

/** Makes an input of a size; the work with it is measured. */
export type Growing = (size: number) => () => unknown;

/** The larger input is so many times the smaller one: the square of it is 64. */
const FACTOR = 8;
/** Up to so many times as long; n log n is some 10. */
const MOST = 20;
/** What a garbage collection or a compilation may add, milliseconds. */
const SLACK = 40;
/** Most rounds of measurements, and measurements in each. */
const ROUNDS = 6;
const EACH = 3;

/** grows checks that work on an input of `size` takes some eight times as long as on an eighth of it. */
export async function grows(
  t: Pick<Test, 'ok' | 'comment'>,
  name: string,
  make: Growing,
  size: number,
): Promise<void> {
  const [little, much] = [make(Math.ceil(size / FACTOR)), make(size)];
  let [small, large] = [Infinity, Infinity];
  let isLinear = false;
  for (let round = 0; round < ROUNDS && !isLinear; round++) {
    for (let i = 0; i < EACH; i++) small = Math.min(small, await cpuTime(little));
    for (let i = 0; i < EACH && !isLinear; i++) {
      large = Math.min(large, await cpuTime(much));
      isLinear = large <= MOST * small + SLACK;
    }
  }
  t.ok(isLinear, `${name}: ${small.toFixed(1)} ms, ${FACTOR} times as much ${large.toFixed(1)} ms`);
}
