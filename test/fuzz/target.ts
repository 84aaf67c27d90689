/** What a fuzz target is, and how a target says that an invariant does not hold. */
import type { Random } from '../../bench/random.js';

/** Target tries one input after another. Inputs are plain data, so that a failure can be printed. */
export interface Target<Input = unknown> {
  readonly name: string;
  /** input makes the input of a case. */
  input(random: Random): Input;
  /** run gives the outcome of an input, a few words; throws Broken when an invariant does not hold. */
  run(input: Input): string | Promise<string>;
  /** How many times fewer cases it runs than others; 1 by default. */
  readonly cost?: number;
  /** close ends what it has started, after its last case; throws Broken when an invariant of all of them does not hold. */
  close?(): Promise<void>;
}

/** Broken: an invariant does not hold. Any other error that leaves `run` is a failure too. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** expect throws Broken unless a condition holds. */
export function expect(holds: boolean, invariant: string): asserts holds {
  if (!holds) throw new Broken(invariant);
}

/** Class of an error that code under test may throw. */
type ErrorClass = abstract new (...args: never[]) => Error;

/** attempt gives what a function returns, or the error of one of these classes that it throws. */
export function attempt<T, Allowed extends readonly ErrorClass[]>(
  run: () => T,
  ...allowed: Allowed
): T | InstanceType<Allowed[number]> {
  try {
    return run();
  } catch (error) {
    if (allowed.some((one) => error instanceof one)) return error as InstanceType<Allowed[number]>;
    throw error;
  }
}
