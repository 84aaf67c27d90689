/**
 * Primary expressions compiled to closures: constants, fields, variables and chains of fields. Follows evalField and
 * its callers in Go's text/template/exec.go.
 */
import { MapValue, type Value } from './container.js';
import type { ChainNode, FieldNode, Operand, VariableNode } from './node.js';
import type { Rendering } from './rendering.js';
import { box, typeName, unbox } from './value.js';

/** Expression computes a value from a rendering and dot. */
export type Expression = (r: Rendering, dot: Value) => Value;

export function constant(node: Operand, value: Value): Expression {
  return (r) => {
    r.node = node;
    return value;
  };
}

/** failing compiles an operand that cannot be evaluated. */
export function failing(node: Operand, message: string, safe = message): Expression {
  return (r) => {
    r.node = node;
    return r.fail(message, safe);
  };
}

/** compileField compiles `.a.b`; `hasArgs` tells whether it is given arguments, which only methods have. */
export function compileField(node: FieldNode, hasArgs: boolean): Expression {
  const { names } = node;
  if (names.length === 1) {
    const name = names[0]!;
    return (r, dot) => {
      r.node = node;
      return field(r, dot, name, hasArgs);
    };
  }
  return (r, dot) => {
    r.node = node;
    return fieldChain(r, dot, names, 0, hasArgs);
  };
}

/** compileVariable compiles `$x.a.b`. */
export function compileVariable(node: VariableNode, hasArgs: boolean): Expression {
  const { names } = node;
  const [name] = names;
  return (r) => {
    r.node = node;
    const value = r.lookup(name);
    return names.length === 1 ? value : fieldChain(r, value, names, 1, hasArgs);
  };
}

/** compileChain compiles the fields of an operand, whose expression is `inner`. */
export function compileChain(node: ChainNode, inner: Expression, hasArgs: boolean): Expression {
  const { names } = node;
  return (r, dot) => {
    r.node = node;
    return fieldChain(r, inner(r, dot), names, 0, hasArgs);
  };
}

/** The value that `names` lead to, beginning with the one at `from`. */
function fieldChain(
  r: Rendering,
  receiver: Value,
  names: readonly string[],
  from: number,
  hasArgs: boolean,
): Value {
  const last = names.length - 1;
  let value = field(r, receiver, names[from]!, hasArgs && from === last);
  for (let i = from + 1; i <= last; i++) {
    r.spend(1);
    value = field(r, box(value), names[i]!, hasArgs && i === last);
  }
  return value;
}

/** The value of one field; only the last one of a chain can have arguments, which are an error. */
function field(r: Rendering, receiver: Value, name: string, hasArgs: boolean): Value {
  const value = unbox(receiver);
  if (value instanceof MapValue) {
    if (hasArgs) r.fail(`${name} is not a method but has arguments`);
    return value.get(name);
  }
  if (value === undefined) return undefined;
  if (value === null) r.fail(`nil pointer evaluating interface {}.${name}`);
  return r.fail(`can't evaluate field ${name} in type ${typeName(receiver)}`);
}
