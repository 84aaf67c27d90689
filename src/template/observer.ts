/**
 * What a template asks about its values, for the proof of its branches (src/proof): the data has an observer then. The data
 * of requests has none.
 */
import type { Plain, Value } from './container.js';

export interface Observer {
  /** tested is told of a value whose truth decides what is rendered. */
  tested(value: Plain): void;
  /** ranged is told of a value to iterate over. */
  ranged(value: Plain): void;
  /** called is told of a function and its arguments before it runs; not of `and` and `or`, which test. */
  called(name: string, args: readonly Value[]): void;
}
