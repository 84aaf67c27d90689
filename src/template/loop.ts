/**
 * Loop: a running range over a list, a map's sorted keys or the integers below a number. Follows walkRange of Go's
 * text/template/exec.go. Anything else is a template error.
 */
import { List, MapValue, type Plain, type Value } from './container.js';
import type { TemplateError } from './errors.js';
import { Counted, Refused } from './kinds.js';
import type { Operation } from './program.js';
import { sprint } from './printer.js';
import type { Rendering } from './rendering.js';
import { box, integerOf, textOf, typeName } from './value.js';

/** Loop holds the progress of a range, and the state to restore before each iteration and at the end. */
export class Loop {
  readonly operation: Operation;
  /** Dot outside of the loop. */
  readonly dot: Value;
  /** Heights of the stacks of variables, dots and marks before each iteration. */
  readonly variables: number;
  readonly dots: number;
  readonly marks: number;
  readonly #over: Plain;
  readonly #keys: readonly string[];
  readonly #length: number | bigint;
  #index = 0;

  private constructor(
    operation: Operation,
    over: Plain,
    keys: readonly string[],
    length: number | bigint,
    heights: readonly [variables: number, dots: number, marks: number],
    dot: Value,
  ) {
    this.operation = operation;
    this.#over = over;
    this.#keys = keys;
    this.#length = length;
    [this.variables, this.dots, this.marks] = heights;
    this.dot = dot;
  }

  /** over begins a loop over a value; undefined if there is nothing to iterate over. */
  static over(
    r: Rendering,
    operation: Operation,
    value: Plain,
    dot: Value,
    dots: number,
    marks: number,
  ): Loop | undefined {
    if (value === undefined || value === null) return undefined;
    let keys: readonly string[] = [];
    let length = integerOf(value);
    if (length !== undefined) {
      if (operation.variables.length > 1)
        r.fail(
          `can't use ${length} to iterate over more than one variable`,
          "can't use an integer to iterate over more than one variable",
        );
    } else if (value instanceof List) {
      ({ length } = value);
      r.spend(length >> 6);
    } else if (value instanceof MapValue) {
      keys = value.keys();
      r.spend(keys.length >> 6);
      ({ length } = keys);
    } else throw cannotIterate(r, value);
    if (length <= 0) return undefined;
    return new Loop(operation, value, keys, length, [r.names.length, dots, marks], dot);
  }

  /** Whether another iteration follows. */
  get more(): boolean {
    return this.#index < this.#length;
  }

  /** next begins an iteration: it sets the loop's variables and returns the dot. */
  next(r: Rendering): Value {
    const i = this.#index++;
    const over = this.#over;
    let index: Value = i;
    let element: Value;
    if (over instanceof List) {
      element = over.at(i);
      if (!over.strings) element = box(element);
    } else if (over instanceof MapValue) {
      const key = this.#keys[i]!;
      index = over.keyValue(key);
      element = box(over.get(key));
    } else element = over instanceof Counted ? new Counted(i, over.type, undefined) : i;
    const { variables, assign } = this.operation;
    if (variables.length === 0) return element;
    if (assign) {
      r.assign(variables[0]!, variables.length > 1 ? index : element);
      if (variables.length > 1) r.assign(variables[1]!, element);
      return element;
    }
    const top = r.variables.length - 1;
    r.variables[top] = element;
    if (variables.length > 1) r.variables[top - 1] = index;
    return element;
  }
}

function cannotIterate(r: Rendering, value: Plain): TemplateError {
  const safe = `range can't iterate over a value of type ${typeName(value)}`;
  const message =
    value instanceof Refused
      ? "range can't iterate over a refused value"
      : `range can't iterate over ${textOf(sprint([value]))!}`;
  return r.invalid(r.node, message, safe, { value, expected: SEVERAL });
}

const SEVERAL = 'several values: repeat the parameter';
