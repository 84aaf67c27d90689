/**
 * Runs cases of a fuzz target. The input of a case follows from the seed and the number of the case alone, so that a case
 * that failed can be run again by itself.
 */
import { Random } from '../../bench/random.js';
import type { Target } from './target.js';

export interface FuzzFailure {
  readonly target: string;
  readonly seed: number;
  readonly number: number;
  readonly input: unknown;
  readonly error: unknown;
}

export interface FuzzResult {
  readonly cases: number;
  /** How often there was each outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** The case that took longest, and for how long (milliseconds). */
  readonly slowest: { readonly number: number; readonly ms: number };
  /** The case at which it stopped. */
  readonly failure: FuzzFailure | undefined;
}

/** inputOf is the input of a case. */
export function inputOf(target: Target, seed: number, number: number): unknown {
  return target.input(new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b)));
}

/** fuzz runs `count` cases from number `from` on, and stops at the first failure. */
export async function fuzz(
  target: Target,
  seed: number,
  count: number,
  from = 0,
): Promise<FuzzResult> {
  const outcomes = new Map<string, number>();
  let slowest = { number: from, ms: 0 };
  let before = performance.now();
  for (let number = from; number < from + count; number++) {
    const input = inputOf(target, seed, number);
    try {
      const running = target.run(input);
      const outcome = typeof running === 'string' ? running : await running;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    } catch (error) {
      const failure = { target: target.name, seed, number, input, error };
      return { cases: number - from, outcomes, slowest, failure };
    }
    const now = performance.now();
    if (now - before > slowest.ms) slowest = { number, ms: now - before };
    before = now;
  }
  return { cases: count, outcomes, slowest, failure: undefined };
}

/** describeFailure says what failed, and how to run it again. */
export function describeFailure({ target, seed, number, input, error }: FuzzFailure): string {
  const again = `npm run test:fuzz -- --only '${target}' --seed ${seed} --case ${number}`;
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${target}: ${shown}\ninput: ${JSON.stringify(input)}\nagain: ${again}`;
}
