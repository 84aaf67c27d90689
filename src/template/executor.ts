/**
 * The executor: runs the operations of a program, with its own stacks for loops, calls, replaced dots and marks of
 * variables. Follows the walk functions of Go's text/template/exec.go. Recursion beyond the limit is an error.
 */
import type { Value } from './container.js';
import { MAX_CALLS } from './limits.js';
import { Loop } from './loop.js';
import { Code, type Program } from './program.js';
import { quote } from './quote.js';
import type { Rendering } from './rendering.js';
import { isTrue } from './value.js';

/** The frame of a template that has called another. */
interface Caller {
  readonly program: Program;
  readonly pc: number;
  readonly dot: Value;
  readonly base: number;
}

/** execute runs a program in a rendering; `programs` are the templates it can call, by name. */
export function execute(
  r: Rendering,
  start: Program,
  programs: ReadonlyMap<string, Program>,
): void {
  let program = start;
  let { operations } = program;
  let pc = 0;
  let dot: Value = r.dot;
  const { observer } = r;
  const dots: Value[] = [];
  const marks: number[] = [];
  const loops: Loop[] = [];
  const callers: Caller[] = [];
  for (;;) {
    const op = operations[pc++]!;
    r.spend(1);
    switch (op.code) {
      case Code.text:
        r.literal(op.text, op.first, op.last, op.pos);
        break;
      case Code.print: {
        const value = op.evaluate(r, dot);
        r.node = op.node;
        r.print(value, op.pos);
        break;
      }
      case Code.evaluate:
        op.evaluate(r, dot);
        break;
      case Code.test: {
        const value = op.evaluate(r, dot);
        observer?.tested(value);
        if (!isTrue(value)) pc = op.target;
        break;
      }
      case Code.jump:
        pc = op.target;
        break;
      case Code.with: {
        const value = op.evaluate(r, dot);
        observer?.tested(value);
        if (isTrue(value)) {
          dots.push(dot);
          dot = value;
        } else pc = op.target;
        break;
      }
      case Code.endWith:
        dot = dots.pop();
        break;
      case Code.mark:
        marks.push(r.names.length);
        break;
      case Code.forget:
        r.forget(marks.pop()!);
        break;
      case Code.range: {
        const value = op.evaluate(r, dot);
        observer?.ranged(value);
        const loop = Loop.over(r, op, value, dot, dots.length, marks.length);
        if (loop === undefined) pc = op.target;
        else {
          loops.push(loop);
          dot = loop.next(r);
        }
        break;
      }
      case Code.next:
      case Code.continue:
      case Code.break: {
        const loop = loops.at(-1)!;
        r.forget(loop.variables);
        dots.length = loop.dots;
        marks.length = loop.marks;
        if (op.code !== Code.break && loop.more) {
          dot = loop.next(r);
          pc = loop.operation.body;
        } else {
          dot = loop.dot;
          pc = loop.operation.end;
          loops.pop();
        }
        break;
      }
      case Code.call: {
        r.node = op.node;
        const called = programs.get(op.text);
        if (called === undefined)
          r.fail(`template ${quote(op.text)} not defined`, 'template not defined');
        if (callers.length >= MAX_CALLS) r.fail(`exceeded maximum template depth (${MAX_CALLS})`);
        const value = op.evaluate(r, dot);
        callers.push({ program, pc, dot, base: r.base });
        program = called;
        operations = called.operations;
        pc = 0;
        dot = value;
        r.base = r.names.length;
        r.declare('$', value);
        r.name = called.name;
        break;
      }
      case Code.return: {
        const caller = callers.pop();
        if (caller === undefined) return;
        r.forget(r.base);
        ({ program, pc, dot } = caller);
        operations = program.operations;
        r.base = caller.base;
        r.name = program.name;
        break;
      }
    }
  }
}
