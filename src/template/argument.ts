/**
 * Arguments of calls while a template runs: the check of their types, what they cost, and the errors of a call, which
 * name the parameter of the request that is wrong or missing.
 */
import { List, MapValue, type Value } from './container.js';
import { RefusedValue, type Fault, type FunctionFailure, type TemplateError } from './errors.js';
import type { ParameterType } from './functions.js';
import { Refused, Tainted } from './kinds.js';
import type { CommandNode, IdentifierNode, Operand } from './node.js';
import type { Rendering } from './rendering.js';
import { integerOf, textOf, typeName, unbox } from './value.js';

/** typed checks the type of an argument; `arg` is its operand, undefined for the value of the command before. */
export function typed(
  r: Rendering,
  boxedValue: Value,
  type: ParameterType,
  dot: Value,
  arg: Operand | undefined,
): Value {
  const value = unbox(boxedValue);
  if (type === 'integer' && integerOf(value) !== undefined) return value;
  if (typeof value === 'string' || value instanceof Tainted) return value;
  if (value instanceof Refused) throw new RefusedValue(value.parameter);
  const fault: Fault = { value, expected: type === 'integer' ? 'an integer' : 'one value' };
  if (value === undefined) {
    const message = 'invalid value; expected string';
    const { node } = r;
    throw r.invalid(node, message, message, missing(fault, absentOf(r, dot, arg ? [arg] : [])));
  }
  const message = `wrong type for value; expected string; got ${typeName(value)}`;
  throw r.invalid(r.node, message, message, fault);
}

/** weight is the number of steps that handling a value costs beyond the first: more for long text, printed lists and maps. */
export function weight(boxedValue: Value, printed = false): number {
  const value = unbox(boxedValue);
  const text = textOf(value);
  if (text !== undefined) return text.length >> 6;
  if (value instanceof List) return printed ? value.length : value.length >> 4;
  return value instanceof MapValue ? value.length >> 1 : 0;
}

/**
 * callError is the error of a call whose function failed; `absent` is the first parameter that an argument reads and that
 * the data does not have.
 */
export function callError(
  r: Rendering,
  place: CommandNode | IdentifierNode,
  name: string,
  { message, safe, fault }: FunctionFailure,
  absent: string | undefined,
): TemplateError {
  const [full, masked] = [`error calling ${name}: ${message}`, `error calling ${name}: ${safe}`];
  if (fault === undefined) return r.error(place, full, masked);
  const isAbsent = (fault.value ?? fault.parameter) === undefined;
  return r.invalid(place, full, masked, isAbsent ? missing(fault, absent) : fault);
}

function missing(fault: Fault, parameter: string | undefined): Fault {
  return parameter === undefined ? fault : { ...fault, parameter, missing: true };
}

/** absentOf is the first parameter that operands read and that the data does not have. */
export function absentOf(
  r: Rendering,
  dot: Value,
  operands: readonly Operand[],
): string | undefined {
  for (const operand of operands) {
    const path = pathOf(r, dot, operand);
    if (path === undefined) continue;
    const [receiver, names] = path;
    let map = unbox(receiver);
    for (const name of names.slice(0, -1)) map = map instanceof MapValue ? map.get(name) : null;
    const last = names.at(-1)!;
    if (map instanceof MapValue && (map.get(last) ?? null) === null) return map.parameter(last);
  }
  return undefined;
}

/** The value that a field is read of, and the names that lead to the field: `.a`, `$.a`, `index . "a"`. */
function pathOf(
  r: Rendering,
  dot: Value,
  node: Operand,
): [receiver: Value, names: readonly string[]] | undefined {
  if (node.kind === 'field') return [dot, node.names];
  if (node.kind === 'variable' && node.names.length > 1)
    return [r.lookup(node.names[0]), node.names.slice(1)];
  if (node.kind !== 'pipe' || node.commands.length !== 1) return undefined;
  const [called, map, key, ...more] = node.commands[0]!.args;
  if (called?.kind !== 'identifier' || called.name !== 'index' || more.length > 0) return undefined;
  if (key?.kind !== 'string') return undefined;
  if (map?.kind === 'dot') return [dot, [key.text]];
  const inner = map && pathOf(r, dot, map);
  if (inner !== undefined) return [inner[0], [...inner[1], key.text]];
  return map?.kind === 'variable' ? [r.lookup(map.names[0]), [key.text]] : undefined;
}
