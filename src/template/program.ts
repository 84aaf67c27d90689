/**
 * Programs: a template's statements as a flat list of operations with jumps, so that neither deep nesting nor deep
 * recursion of templates uses the JavaScript stack. Errors that Go reports at run time are not reported here.
 */
import type { Plain } from './container.js';
import { compilePipe } from './expression.js';
import type { BranchNode, ErrorNode, ListNode, StatementNode } from './node.js';
import type { Expression } from './primary-expression.js';

export const Code = {
  /** Write literal text. */
  text: 0,
  /** Write a pipeline's value. */
  print: 1,
  /** Evaluate a pipeline that declares or assigns. */
  evaluate: 2,
  /** Jump when a pipeline's value is false. */
  test: 3,
  jump: 4,
  /** Like test; if true, the value becomes dot. */
  with: 5,
  /** Restore the dot that `with` replaced. */
  endWith: 6,
  /** Push the number of variables. */
  mark: 7,
  /** Drop the variables declared since the mark. */
  forget: 8,
  /** Begin a loop; jump if there is nothing to iterate over. */
  range: 9,
  /** Begin the next iteration, or end the loop. */
  next: 10,
  break: 11,
  continue: 12,
  /** Execute another template. */
  call: 13,
  /** End of a template. */
  return: 14,
} as const;
export type Code = (typeof Code)[keyof typeof Code];

/** Operation is one step; its code determines which fields are used. */
export interface Operation {
  readonly code: Code;
  readonly node: ErrorNode;
  readonly pos: number;
  /** Literal text with its outer UTF-16 units, or the name of a template to call. */
  readonly text: string;
  readonly first: number;
  readonly last: number;
  readonly evaluate: (...args: Parameters<Expression>) => Plain;
  /** Variables of a range, and whether they are assigned. */
  readonly variables: readonly string[];
  readonly assign: boolean;
  /** The index of the operation to jump to. */
  target: number;
  /** The first operation of a loop's body, and the one after the loop. */
  readonly body: number;
  end: number;
}

export interface Program {
  readonly name: string;
  readonly operations: readonly Operation[];
}

export function compileProgram(name: string, tree: ListNode): Program {
  const compiler = new Compiler();
  compiler.list(tree);
  compiler.end();
  return { name, operations: compiler.operations };
}

const nothing = (): undefined => undefined;
const NO_NODE: ErrorNode = { kind: 'dot', pos: 0 };

/** The else branch of a range, which a `break` in it leaves. */
interface Otherwise {
  /** Numbers of dots and marks to restore; counted while the branch is compiled. */
  dots: number;
  marks: number;
  /** Jumps to the end of the branch. */
  readonly exits: Operation[];
}

class Compiler {
  readonly operations: Operation[] = [];
  /** The else branch of a range being compiled, unless a loop's body within it is. */
  #otherwise: Otherwise | undefined;

  #add(code: Code, node: ErrorNode, more: Partial<Operation> = {}): Operation {
    const operation: Operation = {
      code,
      node,
      pos: node.pos,
      text: '',
      first: 0,
      last: 0,
      evaluate: nothing,
      variables: [],
      assign: false,
      target: -1,
      body: -1,
      end: -1,
      ...more,
    };
    this.operations.push(operation);
    return operation;
  }

  get #here(): number {
    return this.operations.length;
  }

  end(): void {
    this.#add(Code.return, NO_NODE);
  }

  list(list: ListNode): void {
    for (const node of list.nodes) this.#statement(node);
  }

  #statement(node: StatementNode): void {
    switch (node.kind) {
      case 'text': {
        const { text, pos } = node;
        const last = text.charCodeAt(text.length - 1);
        this.#add(Code.text, NO_NODE, { text, pos, first: text.charCodeAt(0), last });
        break;
      }
      case 'action': {
        const code = node.pipe.variables.length > 0 ? Code.evaluate : Code.print;
        this.#add(code, node, { evaluate: compilePipe(node.pipe) });
        break;
      }
      case 'template': {
        const evaluate = node.pipe ? compilePipe(node.pipe) : nothing;
        this.#add(Code.call, node, { evaluate, text: node.name });
        break;
      }
      case 'break':
        if (this.#otherwise === undefined) this.#add(Code.break, node);
        else this.#leave(this.#otherwise);
        break;
      case 'continue':
        this.#add(Code.continue, node);
        break;
      default:
        this.#branch(node);
    }
  }

  /** As in walkRange of Go's exec.go, a range catches a break in its else branch, but not a continue. */
  #leave({ dots, marks, exits }: Otherwise): void {
    for (let i = 0; i < dots; i++) this.#add(Code.endWith, NO_NODE);
    for (let i = 0; i < marks; i++) this.#add(Code.forget, NO_NODE);
    exits.push(this.#add(Code.jump, NO_NODE));
  }

  #branch(node: BranchNode): void {
    const outer = this.#otherwise;
    if (node.declares) {
      this.#add(Code.mark, NO_NODE);
      if (outer !== undefined) outer.marks++;
    }
    if (node.kind === 'range') this.#range(node);
    else this.#arms(node);
    if (node.declares) {
      this.#add(Code.forget, NO_NODE);
      if (outer !== undefined) outer.marks--;
    }
  }

  #arms(node: BranchNode): void {
    const exits: Operation[] = [];
    for (const arm of node.arms) {
      const code = node.kind === 'with' ? Code.with : Code.test;
      const test = this.#add(code, arm.pipe, { evaluate: compilePipe(arm.pipe) });
      if (node.kind !== 'with') this.list(arm.list);
      else {
        if (this.#otherwise !== undefined) this.#otherwise.dots++;
        this.list(arm.list);
        this.#add(Code.endWith, NO_NODE);
        if (this.#otherwise !== undefined) this.#otherwise.dots--;
      }
      if (node.otherwise !== undefined || arm !== node.arms.at(-1))
        exits.push(this.#add(Code.jump, NO_NODE));
      test.target = this.#here;
    }
    if (node.otherwise !== undefined) this.list(node.otherwise);
    for (const exit of exits) exit.target = this.#here;
  }

  #range(node: BranchNode): void {
    const { pipe, list } = node.arms[0]!;
    const range = this.#add(Code.range, pipe, {
      evaluate: compilePipe(pipe),
      variables: pipe.variables.map((variable) => variable.names[0]),
      assign: pipe.assign,
      body: this.#here + 1,
    });
    const outer = this.#otherwise;
    this.#otherwise = undefined;
    this.list(list);
    this.#add(Code.next, NO_NODE);
    range.end = this.#here;
    if (node.otherwise === undefined) range.target = this.#here;
    else {
      const exits = [this.#add(Code.jump, NO_NODE)];
      range.target = this.#here;
      this.#otherwise = { dots: 0, marks: 0, exits };
      this.list(node.otherwise);
      for (const exit of exits) exit.target = this.#here;
    }
    this.#otherwise = outer;
  }
}
