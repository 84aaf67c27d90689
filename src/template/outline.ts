/**
 * The outline of a template: its literal text in the order of the script, with a stand-in for the output of each action,
 * so that the SQL around an action can be examined without data. All branches are part of it, one after the other.
 */
import type { ListNode, PipeNode, StatementNode } from './node.js';
import { parse } from './parser.js';

export interface OutlinedAction {
  readonly start: number;
  readonly end: number;
  readonly pipe: PipeNode;
}

/** The outline of the template itself, or of one defined in it. */
export interface Outline {
  readonly text: string;
  readonly actions: readonly OutlinedAction[];
  /** All pipelines, also in conditions and loops, without the pipelines inside of them. */
  readonly pipes: readonly PipeNode[];
}

/** outlinesOf gives the outlines of a valid template, its own first. */
export function outlinesOf(text: string, name: string): readonly Outline[] {
  const trees = parse(name, text);
  const main = trees.get(name)!;
  const defined = [...trees.values()].filter((tree) => tree !== main);
  return [main, ...defined].map((tree) => {
    const outline = new OutlineBuilder();
    outline.list(tree);
    return outline;
  });
}

class OutlineBuilder implements Outline {
  text = '';
  readonly actions: OutlinedAction[] = [];
  readonly pipes: PipeNode[] = [];

  list({ nodes }: ListNode): void {
    for (const node of nodes) this.#statement(node);
  }

  #statement(node: StatementNode): void {
    switch (node.kind) {
      case 'text':
        this.text += node.text;
        break;
      case 'action':
        this.#action(node.pipe);
        break;
      case 'template':
        if (node.pipe !== undefined) this.pipes.push(node.pipe);
        this.text += WORD;
        break;
      case 'if':
      case 'range':
      case 'with':
        for (const { pipe, list } of node.arms) {
          this.pipes.push(pipe);
          this.list(list);
        }
        if (node.otherwise !== undefined) this.list(node.otherwise);
        break;
      default: // a jump prints nothing
    }
  }

  #action(pipe: PipeNode): void {
    this.pipes.push(pipe);
    if (pipe.variables.length > 0) return;
    const start = this.text.length;
    this.text += bindsOnly(pipe) ? PLACEHOLDER : WORD;
    this.actions.push({ start, end: this.text.length, pipe });
  }
}

/** Stand-ins: what sqlVal prints, and a word. */
const PLACEHOLDER = '$1';
const WORD = '_';

/** bindsOnly tells whether a pipeline prints the placeholder of sqlVal and nothing else. */
export function bindsOnly({ commands }: PipeNode): boolean {
  const head = commands.at(-1)?.args[0];
  return head?.kind === 'identifier' && head.name === 'sqlVal';
}

/** A call of a function, with the operand that a pipeline passes on as its last argument. */
export interface OutlinedCall {
  readonly name: string;
  readonly pos: number;
  readonly args: PipeNode['commands'][number]['args'];
}

/** callsIn gives the calls of a pipeline and of the pipelines in its arguments. */
export function* callsIn(pipe: PipeNode): Generator<OutlinedCall> {
  for (const [i, { args, pos }] of pipe.commands.entries()) {
    for (const arg of args) if (arg.kind === 'pipe') yield* callsIn(arg);
    const [head, ...rest] = args;
    if (head?.kind !== 'identifier') continue;
    const before = pipe.commands[i - 1]?.args;
    const passed = before?.length === 1 ? before : [];
    yield { name: head.name, pos, args: [...rest, ...passed] };
  }
}
