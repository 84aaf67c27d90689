/**
 * Expressions compiled to closures: pipelines, commands, operands and calls. Before a closure can fail it records its
 * node, so that errors have the same position as Go's. Follows the eval functions of Go's text/template/exec.go.
 */
import { absentOf, callError, typed, weight } from './argument.js';
import { call } from './builtins.js';
import { Boxed, type Plain, type Value } from './container.js';
import { FunctionFailure } from './errors.js';
import {
  functionNamed,
  PRINTING_FUNCTIONS,
  type ParameterType,
  type TemplateFunction,
} from './functions.js';
import {
  nodeText,
  type CommandNode,
  type IdentifierNode,
  type Operand,
  type PipeNode,
} from './node.js';
import {
  compileChain,
  compileField,
  compileVariable,
  constant,
  failing,
  type Expression,
} from './primary-expression.js';
import type { Rendering } from './rendering.js';
import { box, isTrue, unbox } from './value.js';

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

function compileCommand(command: CommandNode, hasFinal: boolean): Command {
  const node = command.args[0]!;
  const hasArgs = command.args.length > 1 || hasFinal;
  const safe = "can't give argument to non-function";
  const notAFunction = (): Command => failing(node, `${safe} ${nodeText(node)}`, safe);
  switch (node.kind) {
    case 'field':
      return compileField(node, hasArgs);
    case 'chain':
      return compileChain(node, compileOperand(node.node), hasArgs);
    case 'variable':
      return hasArgs && node.names.length === 1 ? notAFunction() : compileVariable(node, hasArgs);
    case 'identifier':
      return compileCall(node, command, command.args.slice(1), hasFinal);
    case 'pipe':
      if (!hasArgs) return compilePipe(node);
      // Go's current node here is still the pipeline or the command before.
      return (r) => r.fail(`${safe} ${nodeText(node)}`, safe);
    case 'nil':
      return hasArgs ? notAFunction() : failing(node, 'nil is not a command');
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
      return failing(node, `${node.text} overflows int`, 'constant overflows int');
    case 'field':
      return compileField(node, false);
    case 'variable':
      return compileVariable(node, false);
    case 'chain':
      return compileChain(node, compileOperand(node.node), false);
    case 'pipe':
      return compilePipe(node);
    case 'identifier':
      return compileCall(node, node, [], false) as Expression;
  }
}

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
    return failing(node, message);
  }
  if (name === 'and' || name === 'or') return compileLogic(node, args, hasFinal, name === 'or');
  const direct = hasFinal ? undefined : compileDirect(node, place, args);
  if (direct !== undefined) return direct;
  const compiled = args.map((arg, i) => compileArgument(arg, fn.fixed[i] ?? 'any', fn.boxed));
  const finalType = fn.fixed[count - 1] ?? 'any';
  const prints = PRINTING_FUNCTIONS.has(name);
  const run = name === 'call' ? compiledCall(args[0]) : fn.run;
  return (r, dot, final) => {
    r.node = node;
    const values: Value[] = new Array<Value>(count);
    let cost = 1 + count;
    for (let i = 0; i < compiled.length; i++) {
      const value = compiled[i]!(r, dot);
      values[i] = value;
      cost += weight(value, prints);
    }
    if (hasFinal) {
      values[count - 1] = finalType === 'any' ? final : typed(r, final, finalType, dot, undefined);
      cost += weight(final, prints);
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
      return failing(arg, 'cannot assign nil to string');
    case 'bool':
    case 'number':
      return failing(arg, `expected string; found ${nodeText(arg)}`, 'expected string');
  }
  const inner = compileOperand(arg);
  return (r, dot) => typed(r, inner(r, dot), 'string', dot, arg);
}

/** A string or an integer; anything else has the error of a string parameter. */
function compileInteger(arg: Operand): Expression {
  if (arg.kind === 'nil' || arg.kind === 'bool') return compileString(arg);
  const inner = compileOperand(arg);
  return (r, dot) => typed(r, inner(r, dot), 'integer', dot, arg);
}
