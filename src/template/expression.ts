/**
 * Expressions compiled to closures: pipelines, commands, fields, variables, constants and calls. Before a closure can
 * fail it records its node, so that errors have the same position as Go's. Follows the eval functions of Go's
 * text/template/exec.go.
 */
import { Boxed, List, MapValue, type Plain, type Value } from './container.js';
import { call } from './builtins.js';
import { FunctionFailure, RefusedValue, type Fault } from './errors.js';
import { functionNamed, type ParameterType, type TemplateFunction } from './functions.js';
import { Tainted, Refused } from './kinds.js';
import {
  nodeText,
  type ChainNode,
  type CommandNode,
  type FieldNode,
  type IdentifierNode,
  type Operand,
  type PipeNode,
  type VariableNode,
} from './node.js';
import type { Rendering } from './rendering.js';
import { box, integerOf, isTrue, textOf, typeName, unbox } from './value.js';

/** Expression computes a value from a rendering and dot. */
export type Expression = (r: Rendering, dot: Value) => Value;

/** A command; `final` is the value of the previous command in its pipeline. */
type Command = (r: Rendering, dot: Value, final: Value) => Value;

/** compilePipe compiles a pipeline with its declarations. Its value is unboxed, and nil becomes absent. */
export function compilePipe(pipe: PipeNode): (r: Rendering, dot: Value) => Plain {
  const [first, ...rest] = pipe.commands.map((command, i) => compileCommand(command, i > 0));
  const start = first!;
  const evaluate = (r: Rendering, dot: Value): Plain => {
    r.node = pipe;
    let value = content(start(r, dot, undefined));
    for (const command of rest) value = content(command(r, dot, value));
    return value;
  };
  if (pipe.variables.length === 0) return evaluate;
  const names = pipe.variables.map((variable) => variable.names[0]);
  const { assign } = pipe;
  return (r, dot) => {
    const value = evaluate(r, dot);
    for (const name of names)
      if (assign) r.assign(name, value);
      else r.declare(name, value);
    return value;
  };
}

/** The unboxed value; nil becomes absent. */
function content(value: Value): Plain {
  if (value === null) return undefined;
  return value instanceof Boxed ? value.inner : value;
}

function failing(node: Operand, message: string, safe: string): Command {
  return (r) => {
    r.node = node;
    return r.fail(message, safe);
  };
}

function compileCommand(command: CommandNode, hasFinal: boolean): Command {
  const node = command.args[0]!;
  const hasArgs = command.args.length > 1 || hasFinal;
  const notAFunction = (): Command =>
    failing(
      node,
      `can't give argument to non-function ${nodeText(node)}`,
      "can't give argument to non-function",
    );
  switch (node.kind) {
    case 'field':
      return compileField(node, hasArgs);
    case 'chain':
      return compileChain(node, hasArgs);
    case 'variable':
      return hasArgs && node.names.length === 1 ? notAFunction() : compileVariable(node, hasArgs);
    case 'identifier':
      return compileCall(node, command, command.args.slice(1), hasFinal);
    case 'pipe':
      if (!hasArgs) return compilePipe(node);
      // Go's current node here is still that of the pipeline or the command before.
      return (r) =>
        r.fail(
          `can't give argument to non-function ${nodeText(node)}`,
          "can't give argument to non-function",
        );
    case 'nil':
      return hasArgs
        ? notAFunction()
        : failing(node, 'nil is not a command', 'nil is not a command');
    default:
      return hasArgs ? notAFunction() : compileOperand(node);
  }
}

/** compileOperand compiles an operand that gets no arguments. */
function compileOperand(node: Operand): Expression {
  switch (node.kind) {
    case 'dot':
      return (r, dot) => {
        r.node = node;
        return dot;
      };
    case 'nil':
      return constant(node, undefined);
    case 'bool':
      return constant(node, node.value);
    case 'string':
      return constant(node, node.text);
    case 'number':
      if (node.constant.kind === 'value') return constant(node, node.constant.value);
      return failing(node, `${node.text} overflows int`, 'constant overflows int') as Expression;
    case 'field':
      return compileField(node, false);
    case 'variable':
      return compileVariable(node, false);
    case 'chain':
      return compileChain(node, false);
    case 'pipe':
      return compilePipe(node);
    case 'identifier':
      return compileCall(node, node, [], false) as Expression;
  }
}

function constant(node: Operand, value: Value): Expression {
  return (r) => {
    r.node = node;
    return value;
  };
}

// Fields and variables.

function compileField(node: FieldNode, hasArgs: boolean): Expression {
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

function compileVariable(node: VariableNode, hasArgs: boolean): Expression {
  const { names } = node;
  const [name] = names;
  return (r) => {
    r.node = node;
    const value = r.lookup(name);
    return names.length === 1 ? value : fieldChain(r, value, names, 1, hasArgs);
  };
}

function compileChain(node: ChainNode, hasArgs: boolean): Expression {
  const inner = compileOperand(node.node);
  const { names } = node;
  return (r, dot) => {
    r.node = node;
    return fieldChain(r, inner(r, dot), names, 0, hasArgs);
  };
}

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

// Calls.

function compileCall(
  node: IdentifierNode,
  place: CommandNode | IdentifierNode,
  args: readonly Operand[],
  hasFinal: boolean,
): Command {
  const fn = functionNamed(node.name)!;
  const { name } = node;
  const count = args.length + (hasFinal ? 1 : 0);
  if (fn.rest ? count < fn.fixed.length : count !== fn.fixed.length) {
    const wanted = fn.rest
      ? `at least ${fn.fixed.length} got ${args.length}`
      : `${fn.fixed.length} got ${count}`;
    const message = `wrong number of args for ${name}: want ${wanted}`;
    return failing(node, message, message);
  }
  if (name === 'and' || name === 'or') return compileLogic(node, args, hasFinal, name === 'or');
  const direct = hasFinal ? undefined : compileDirect(node, place, args);
  if (direct !== undefined) return direct;
  const compiled = args.map((arg, i) => compileArgument(arg, fn.fixed[i] ?? 'any', fn.boxed));
  const finalType = fn.fixed[count - 1] ?? 'any';
  const run = name === 'call' ? compiledCall(args[0]) : fn.run;
  return (r, dot, final) => {
    r.node = node;
    const values: Value[] = new Array<Value>(count);
    let cost = 1 + count;
    for (let i = 0; i < compiled.length; i++) {
      const value = compiled[i]!(r, dot);
      values[i] = value;
      cost += weight(value);
    }
    if (hasFinal) {
      values[count - 1] = finalType === 'any' ? final : typed(r, final, finalType, dot, undefined);
      cost += weight(final);
    }
    r.spend(cost);
    r.observer?.called(name, values);
    try {
      const result = run(r, values);
      r.spend(weight(result));
      return result;
    } catch (e) {
      if (e instanceof FunctionFailure) throw callError(r, place, name, e, absentOf(r, dot, args));
      throw e;
    }
  };
}

/** `absent` is the first parameter that an argument reads and that the data does not have. */
function callError(
  r: Rendering,
  place: CommandNode | IdentifierNode,
  name: string,
  { message, safe, fault }: FunctionFailure,
  absent: string | undefined,
) {
  const [full, masked] = [`error calling ${name}: ${message}`, `error calling ${name}: ${safe}`];
  if (fault === undefined) return r.error(place, full, masked);
  const isAbsent = (fault.value ?? fault.parameter) === undefined;
  return r.invalid(place, full, masked, isAbsent ? missing(fault, absent) : fault);
}

function missing(fault: Fault, parameter: string | undefined): Fault {
  return parameter === undefined ? fault : { ...fault, parameter, missing: true };
}

/** absentOf is the first parameter that operands read and that the data does not have. */
function absentOf(r: Rendering, dot: Value, operands: readonly Operand[]): string | undefined {
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

/** The steps that handling a value costs beyond the first: more for long text, lists and maps. */
function weight(boxedValue: Value): number {
  const value = unbox(boxedValue);
  const text = textOf(value);
  if (text !== undefined) return text.length >> 6;
  if (value instanceof List) return value.length >> 4;
  return value instanceof MapValue ? value.length >> 1 : 0;
}

/** The error of `call` names the first argument by its text in the template. */
function compiledCall(first: Operand | undefined): TemplateFunction['run'] {
  const shown = first && nodeText(first);
  return (_r, args) => call(unbox(args[0]), shown);
}

/** `and` and `or` evaluate arguments only up to the one that decides. */
function compileLogic(
  node: IdentifierNode,
  args: readonly Operand[],
  hasFinal: boolean,
  or: boolean,
): Command {
  const compiled = args.map((arg) => compileArgument(arg, 'any', false));
  return (r, dot, final) => {
    r.node = node;
    r.spend(1 + compiled.length);
    let value: Value;
    for (const arg of compiled) {
      value = arg(r, dot);
      r.observer?.tested(unbox(value));
      if (isTrue(value) === or) return value;
    }
    return hasFinal ? final : value;
  };
}

/** A fast path for isSet and sqlVal with a constant key, the most frequent calls. */
function compileDirect(
  node: IdentifierNode,
  place: CommandNode | IdentifierNode,
  args: readonly Operand[],
): Command | undefined {
  const [arg] = args;
  if (arg?.kind !== 'string') return undefined;
  const key = arg.text;
  if (node.name === 'isSet') return (r) => r.isSent(key);
  if (node.name !== 'sqlVal') return undefined;
  return (r) => {
    try {
      return r.bind(r.toBind(key));
    } catch (e) {
      if (e instanceof FunctionFailure) throw callError(r, place, 'sqlVal', e, undefined);
      throw e;
    }
  };
}

function compileArgument(arg: Operand, type: ParameterType, keepBoxes: boolean): Expression {
  if (type === 'string') return compileString(arg);
  if (type === 'integer') return compileInteger(arg);
  const inner = compileOperand(arg);
  if (!keepBoxes) return isPlain(arg) ? inner : (r, dot) => unbox(inner(r, dot));
  // The value of a field has the static type of the map's elements, an interface.
  const element =
    arg.kind === 'field' ||
    arg.kind === 'chain' ||
    (arg.kind === 'variable' && arg.names.length > 1);
  return element ? (r, dot) => box(inner(r, dot)) : inner;
}

/** Whether an operand's value is never boxed. */
function isPlain(arg: Operand): boolean {
  return arg.kind !== 'dot' && arg.kind !== 'variable';
}

function compileString(arg: Operand): Expression {
  switch (arg.kind) {
    case 'string':
      return constant(arg, arg.text);
    case 'nil':
      return failing(
        arg,
        'cannot assign nil to string',
        'cannot assign nil to string',
      ) as Expression;
    case 'bool':
    case 'number':
      return failing(
        arg,
        `expected string; found ${nodeText(arg)}`,
        'expected string',
      ) as Expression;
  }
  const inner = compileOperand(arg);
  return (r, dot) => typed(r, inner(r, dot), 'string', dot, arg);
}

/** A string or an integer; the error for anything else is that of a string parameter. */
function compileInteger(arg: Operand): Expression {
  if (arg.kind === 'nil' || arg.kind === 'bool') return compileString(arg);
  const inner = compileOperand(arg);
  return (r, dot) => typed(r, inner(r, dot), 'integer', dot, arg);
}

/** typed checks the type of an argument; `arg` is its operand, undefined for the value of the command before. */
function typed(
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
