/** The observer of a rendering, with which proof/branches explores the branches of a template. Requests have none. */
import type { Plain, Value } from './container.js';

export interface Observer {
  /** tested receives a value whose truth decides which arm is rendered. */
  tested(value: Plain): void;
  /** ranged receives a value to iterate over. */
  ranged(value: Plain): void;
  /** called receives the name of a function and its arguments before it runs. `and` and `or` call `tested` instead. */
  called(name: string, args: readonly Value[]): void;
}
