/** Prints the trees of a template as a template whose trees are the same, but for positions. */
import { nodeText, type ListNode, type StatementNode } from '#app/template/node.js';
import { quote } from '#app/template/quote.js';

type Trees = ReadonlyMap<string, ListNode>;

/** printTrees prints the trees of the template `name`, definitions first. */
export function printTrees(trees: Trees, name: string): string {
  const defined = [...trees].filter(([key]) => key !== name);
  const texts = defined.map(([key, tree]) =>
    glued([`{{define ${quote(key)}}}`, list(tree), '{{end}}']),
  );
  return texts.join('') + list(trees.get(name)!);
}

/** sameTrees tells whether trees differ in positions alone. */
export function sameTrees(one: Trees, other: Trees): boolean {
  return one.size === other.size && [...one].every(([key, tree]) => same(tree, other.get(key)));
}

function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || one === null) return false;
  if (typeof other !== 'object' || other === null) return false;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, i) => same(item, other[i]))
    );
  if (isList(one)) return isList(other) && same(joined(one), joined(other));
  const members = Object.keys(one).filter((key) => key !== 'pos');
  return members.every((key) => same(one[key as keyof object], other[key as keyof object]));
}

function isList(value: unknown): value is ListNode {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'list';
}

/** Texts around a comment are two nodes, and printed one. */
function joined({ nodes }: ListNode): unknown[] {
  const found: unknown[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') found.push(text);
    text = '';
  };
  for (const node of nodes) {
    if (node.kind === 'text') text += node.text;
    else {
      flush();
      found.push(node);
    }
  }
  flush();
  return found;
}

function list({ nodes }: ListNode): string {
  return glued(nodes.map(statement));
}

/** A brace and the delimiter or the brace behind it would be another delimiter: white space that is trimmed parts them. */
function glued(parts: readonly string[]): string {
  return parts.reduce((before, part) => {
    if (!before.endsWith('{') || !part.startsWith('{')) return before + part;
    return part.startsWith('{{')
      ? `${before} {{- ${part.slice(2)}`
      : `${before} {{- /**/ -}} ${part}`;
  }, '');
}

function statement(node: StatementNode): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'if':
    case 'with':
    case 'range': {
      const arms = node.arms.flatMap(({ pipe, list: body }, i) => [
        `{{${i === 0 ? '' : 'else '}${node.kind} ${nodeText(pipe)}}}`,
        list(body),
      ]);
      const otherwise = node.otherwise === undefined ? [] : ['{{else}}', list(node.otherwise)];
      return glued([...arms, ...otherwise, '{{end}}']);
    }
    default:
      return nodeText(node);
  }
}
