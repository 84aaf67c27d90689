/**
 * The tree of a parsed template, and the text of a node for error messages. Follows Go's text/template/parse/node.go,
 * except that a branch has all arms of an else-if chain, so that a long chain is not a deep tree. Positions are UTF-16
 * offsets into the template's text.
 */
import { quote } from './quote.js';
import type { Constant } from './number.js';

interface BareNode {
  readonly kind: 'dot' | 'nil';
  readonly pos: number;
}
interface BoolNode {
  readonly kind: 'bool';
  readonly pos: number;
  readonly value: boolean;
}
interface NumberNode {
  readonly kind: 'number';
  readonly pos: number;
  readonly text: string;
  readonly constant: Constant;
}
interface StringNode {
  readonly kind: 'string';
  readonly pos: number;
  /** As written, with its quotes. */
  readonly quoted: string;
  readonly text: string;
}
/** `.a.b` */
export interface FieldNode {
  readonly kind: 'field';
  readonly pos: number;
  readonly names: readonly string[];
}
/** `$x.a.b`: the variable's name with its dollar, then fields. */
export interface VariableNode {
  readonly kind: 'variable';
  readonly pos: number;
  readonly names: readonly [string, ...string[]];
}
/** `(pipeline).a.b` or `function.a.b` */
export interface ChainNode {
  readonly kind: 'chain';
  readonly pos: number;
  readonly node: Operand;
  readonly names: readonly string[];
}
export interface IdentifierNode {
  readonly kind: 'identifier';
  readonly pos: number;
  readonly name: string;
}
export interface PipeNode {
  readonly kind: 'pipe';
  readonly pos: number;
  /** Whether variables are assigned rather than declared. */
  assign: boolean;
  readonly variables: VariableNode[];
  readonly commands: CommandNode[];
}
export type Operand =
  | BareNode
  | BoolNode
  | NumberNode
  | StringNode
  | FieldNode
  | VariableNode
  | ChainNode
  | IdentifierNode
  | PipeNode;
export interface CommandNode {
  readonly kind: 'command';
  readonly pos: number;
  /** At least one. */
  readonly args: Operand[];
}

interface TextNode {
  readonly kind: 'text';
  readonly pos: number;
  readonly text: string;
}
interface ActionNode {
  readonly kind: 'action';
  readonly pos: number;
  readonly pipe: PipeNode;
}
/** One arm of an if or with, or the only one of a range. */
export interface Arm {
  readonly pos: number;
  readonly pipe: PipeNode;
  readonly list: ListNode;
}
export interface BranchNode {
  readonly kind: 'if' | 'with' | 'range';
  readonly pos: number;
  readonly arms: readonly Arm[];
  readonly otherwise: ListNode | undefined;
  /** Whether variables are declared anywhere inside. */
  readonly declares: boolean;
}
interface JumpNode {
  readonly kind: 'break' | 'continue';
  readonly pos: number;
}
export interface TemplateNode {
  readonly kind: 'template';
  readonly pos: number;
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}
export interface ListNode {
  readonly kind: 'list';
  readonly pos: number;
  readonly nodes: StatementNode[];
}
export type StatementNode = TextNode | ActionNode | BranchNode | JumpNode | TemplateNode;

/** A node that an execution error can name. */
export type ErrorNode = Operand | CommandNode | ActionNode | TemplateNode | JumpNode;

/** nodeText formats a node as Go does. */
export function nodeText(node: ErrorNode): string {
  switch (node.kind) {
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'bool':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return node.quoted;
    case 'field':
      return fields(node.names);
    case 'variable':
      return node.names.join('.');
    case 'identifier':
      return node.name;
    case 'chain':
      return argText(node.node) + fields(node.names);
    case 'command':
      return node.args.map(argText).join(' ');
    case 'pipe': {
      const variables = node.variables.map(nodeText).join(', ');
      const sign = variables === '' ? '' : node.assign ? ' = ' : ' := ';
      return variables + sign + node.commands.map(nodeText).join(' | ');
    }
    case 'action':
      return `{{${nodeText(node.pipe)}}}`;
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe ? ` ${nodeText(node.pipe)}` : ''}}}`;
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`;
  }
}

function argText(node: Operand): string {
  return node.kind === 'pipe' ? `(${nodeText(node)})` : nodeText(node);
}

function fields(names: readonly string[]): string {
  return names.map((name) => `.${name}`).join('');
}
