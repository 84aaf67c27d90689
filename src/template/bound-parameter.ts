/**
 * The parameter that a placeholder of a rendered text binds, found by the action that printed it. Determined only after a
 * statement has failed, so rendering does not pay for it. Names that are computed at run time are not found.
 */
import type { ActionNode, ListNode, PipeNode, StatementNode } from './node.js';
import { parse } from './parser.js';
import { PLACEHOLDER, printed, type Trace } from './placement.js';
import type { Source } from './source.js';

/** boundParameter finds the parameter of `$number` in a range of the text; undefined if it is not known. */
export function boundParameter(
  text: string,
  { source, marks }: Trace,
  number: number,
  from: number,
  to: number,
): string | undefined {
  const wanted = `$${number}`;
  const matches = [...printed(text, marks, PLACEHOLDER)].filter(
    ([start, end]) => start >= from && end <= to,
  );
  for (const [start, end, place] of matches) {
    if (text.slice(start, end) !== wanted) continue;
    const keys = keysByAction(source).get(place) ?? [];
    const siblings = matches.filter((one) => one[2] === place);
    const key = keyOf(
      keys,
      siblings.length,
      siblings.findIndex(([at]) => at === start),
    );
    if (key !== '') return key;
  }
  return undefined;
}

/** The key of a placeholder of an action with several calls: in their order, when each has printed one placeholder. */
function keyOf(keys: readonly string[], count: number, index: number): string {
  const [first = '', ...others] = keys;
  if (others.every((key) => key === first)) return first;
  return keys.length === count ? keys[index]! : '';
}

const known = new WeakMap<Source, ReadonlyMap<number, readonly string[]>>();

/** The parameters that the calls of sqlVal and sqlList in each action bind, by the action's offset. */
function keysByAction(source: Source): ReadonlyMap<number, readonly string[]> {
  let keys = known.get(source);
  if (keys === undefined) {
    const found = new Map<number, readonly string[]>();
    for (const tree of parse(source.name, source.text).values())
      for (const action of actionsOf(tree)) found.set(action.pos, keysOf(action.pipe));
    known.set(source, (keys = found));
  }
  return keys;
}

/** actionsOf gives the actions of a tree that print a value, in their order. */
export function* actionsOf(tree: ListNode): Generator<ActionNode> {
  for (const node of tree.nodes) {
    if (node.kind === 'action') yield node;
    for (const list of listsOf(node)) yield* actionsOf(list);
  }
}

function listsOf(node: StatementNode): readonly ListNode[] {
  if (node.kind !== 'if' && node.kind !== 'range' && node.kind !== 'with') return [];
  const lists = node.arms.map((arm) => arm.list);
  return node.otherwise === undefined ? lists : [...lists, node.otherwise];
}

const BINDING: ReadonlySet<string> = new Set(['sqlVal', 'sqlList']);

/** keysOf gives the constant arguments of sqlVal and sqlList in a pipeline; '' stands for one that is computed. */
function keysOf(pipe: PipeNode): string[] {
  const keys: string[] = [];
  pipe.commands.forEach(({ args }, i) => {
    for (const arg of args) if (arg.kind === 'pipe') keys.push(...keysOf(arg));
    const [called, given] = args;
    if (called?.kind !== 'identifier' || !BINDING.has(called.name)) return;
    const before = pipe.commands[i - 1]?.args;
    const key = given ?? (before?.length === 1 ? before[0] : undefined);
    keys.push(key?.kind === 'string' ? key.text : '');
  });
  return keys;
}
