/**
 * Static analysis of how a template uses each field of its data. The walk follows the conditions of branches, so that it
 * knows where a field must have been sent, and the calls of templates. Depth and steps are limited; beyond the limit,
 * which templates in practice do not reach, usage counts as unknown.
 */
import { FieldUsage, type KnownFields } from './field-usage.js';
import type {
  BranchNode,
  ListNode,
  Operand,
  PipeNode,
  StatementNode,
  VariableNode,
} from './node.js';
import { parse } from './parser.js';
import { NO_CONTEXT, sqlContext, type SqlContext } from './sql-context.js';
import { usageOfCall } from './usage-functions.js';
import {
  DATA,
  fieldValue,
  isHeaders,
  joined,
  OTHER,
  textValue,
  type UsageValue,
} from './usage-value.js';

const MAX_DEPTH = 300;
const MAX_STEPS = 200_000;

interface Variable {
  readonly name: string;
  /** The number of enclosing blocks. */
  readonly depth: number;
  value: UsageValue;
}

/** Scope is the state at one point of the template. */
export interface Scope extends KnownFields {
  readonly dot: UsageValue;
  readonly root: UsageValue;
  readonly variables: Variable[];
  readonly depth: number;
}

/** fieldUsageOf analyses a template's text, which must be valid. */
export function fieldUsageOf(text: string, name: string): FieldUsage {
  const walk = new UsageWalk(parse(name, text));
  walk.template(name);
  return walk.usage;
}

export class UsageWalk {
  readonly usage = new FieldUsage();
  readonly #trees: ReadonlyMap<string, ListNode>;
  readonly #called = new Set<string>();
  /** The SQL context of the current action. */
  context: SqlContext = NO_CONTEXT;
  #depth = 0;
  #steps = 0;

  constructor(trees: ReadonlyMap<string, ListNode>) {
    this.#trees = trees;
  }

  /** template analyses a template that is called with all of the data. */
  template(name: string): void {
    const needed = new Set<string>();
    this.#call(name, DATA, { sent: new Set(), needed });
    for (const field of needed) this.usage.field(field).required = true;
  }

  #call(name: string, dot: UsageValue, { sent, needed }: KnownFields): void {
    const tree = this.#trees.get(name);
    if (tree === undefined || this.#called.has(name)) return;
    this.#called.add(name);
    this.#list(tree, { dot, root: dot, sent, needed, variables: [], depth: 0 });
    this.#called.delete(name);
  }

  /** spend counts steps; false if there were too many: then the rest is unknown. */
  spend(steps: number): boolean {
    this.#steps += steps;
    if (this.#steps <= MAX_STEPS) return true;
    this.usage.open = true;
    return false;
  }

  /** Runs `step` one level deeper, unless a limit is reached. */
  #deeper<R>(otherwise: R, step: () => R): R {
    if (this.#depth >= MAX_DEPTH) this.usage.open = true;
    if (this.#depth >= MAX_DEPTH || !this.spend(1)) return otherwise;
    this.#depth++;
    const result = step();
    this.#depth--;
    return result;
  }

  #list(list: ListNode, scope: Scope): void {
    this.#deeper(undefined, () => {
      const declared = scope.variables.length;
      for (const [i, node] of list.nodes.entries()) {
        if (!this.spend(1)) break;
        const before = literalText(list.nodes[i - 1]);
        this.#statement(node, before, literalText(list.nodes[i + 1]), scope);
      }
      scope.variables.length = declared;
    });
  }

  #statement(node: StatementNode, before: string, after: string, scope: Scope): void {
    switch (node.kind) {
      case 'action': {
        this.context = sqlContext(before, after);
        this.usage.action(node.pos);
        const value = this.pipe(node.pipe, scope);
        if (node.pipe.variables.length === 0) {
          if (isHeaders(value)) this.usage.headers.add('*');
          const { type } = this.context;
          this.usage.use(value, scope, { type, interpolated: true });
          if (value.fields.length === 0)
            for (const name of innerField(node.pipe)) this.usage.print(name);
        }
        this.context = NO_CONTEXT;
        break;
      }
      case 'template':
        this.#call(node.name, node.pipe ? this.pipe(node.pipe, scope) : OTHER, scope);
        break;
      case 'if':
      case 'with':
        this.#arms(node, scope);
        break;
      case 'range':
        this.#range(node, before, scope);
        break;
      default: // text uses no fields, and a jump undoes no usage
    }
  }

  #arms(node: BranchNode, scope: Scope): void {
    const declared = scope.variables.length;
    const ends: KnownFields[] = [];
    const depth = scope.depth + 1;
    // What the conditions need so far: the first one is always evaluated, a later one only if those before it failed.
    let { needed } = scope;
    for (const [i, { pipe, list }] of node.arms.entries()) {
      if (!this.spend(scope.sent.size + needed.size)) return;
      if (i > 0) needed = new Set(needed);
      const value = this.pipe(pipe, { ...scope, needed, depth });
      this.usage.test(value);
      const sent = new Set([...scope.sent, ...value.yes]);
      const dot = node.kind === 'with' ? value : scope.dot;
      const end = { sent, needed: new Set(needed) };
      this.#list(list, { ...scope, ...end, dot, depth });
      ends.push(end);
      for (const name of value.no) scope.sent.add(name);
    }
    const end = { sent: new Set(scope.sent), needed: new Set(needed) };
    if (node.otherwise !== undefined) this.#list(node.otherwise, { ...scope, ...end, depth });
    ends.push(end);
    scope.variables.length = declared;
    // After the branch, fields sent at the end of every arm count as sent, and fields needed in every arm as needed.
    const [first = end, ...others] = ends;
    scope.sent.clear();
    for (const name of first.sent)
      if (others.every(({ sent }) => sent.has(name))) scope.sent.add(name);
    for (const name of first.needed)
      if (others.every((other) => other.needed.has(name))) scope.needed.add(name);
  }

  #range(node: BranchNode, before: string, scope: Scope): void {
    const declared = scope.variables.length;
    const depth = scope.depth + 1;
    const { pipe, list } = node.arms[0]!;
    const value = this.#commands(pipe, scope);
    this.usage.test(value);
    if (isHeaders(value)) this.usage.headers.add('*');
    // A list in parentheses must not be empty in SQL.
    const needed = node.otherwise === undefined && /\(\s*$/.test(before);
    if (needed) this.usage.use(value, scope, { list: true });
    else this.usage.use({ ...value, sure: false }, scope, { list: true });
    const element = value.kind === 'data' ? OTHER : value;
    const inside = { ...scope, depth };
    for (const variable of pipe.variables)
      this.#set(pipe, variable, variable === pipe.variables.at(-1) ? element : OTHER, inside);
    const sent = new Set([...scope.sent, ...value.yes]);
    this.#list(list, { ...inside, dot: element, sent, needed: new Set() });
    if (node.otherwise !== undefined)
      this.#list(node.otherwise, { ...inside, sent: new Set(scope.sent), needed: new Set() });
    scope.variables.length = declared;
  }

  // Expressions.

  pipe(pipe: PipeNode, scope: Scope): UsageValue {
    return this.#deeper(OTHER, () => {
      const value = this.#commands(pipe, scope);
      for (const variable of pipe.variables) this.#set(pipe, variable, value, scope);
      return value;
    });
  }

  #commands(pipe: PipeNode, scope: Scope): UsageValue {
    let value: UsageValue | undefined;
    for (const { args } of pipe.commands) {
      if (!this.spend(args.length)) break;
      const [head, ...rest] = args as [Operand, ...Operand[]];
      if (head.kind === 'identifier')
        value = usageOfCall(this, { name: head.name, args: rest, last: value }, scope);
      else {
        for (const operand of rest) this.usage.use(this.operand(operand, scope), scope);
        value = this.operand(head, scope);
      }
    }
    return value ?? OTHER;
  }

  operand(node: Operand, scope: Scope): UsageValue {
    switch (node.kind) {
      case 'dot':
        return scope.dot;
      case 'string':
        return textValue(node.text);
      case 'pipe':
        return this.pipe(node, scope);
      case 'field':
        return this.#fieldsOf(scope.dot, node.names, scope);
      case 'variable':
        return this.#fieldsOf(this.#variable(node.names[0], scope), node.names.slice(1), scope);
      case 'chain':
        return this.#fieldsOf(this.operand(node.node, scope), node.names, scope);
      case 'identifier':
        return usageOfCall(this, { name: node.name, args: [], last: undefined }, scope);
      default:
        return OTHER;
    }
  }

  #fieldsOf(value: UsageValue, names: readonly string[], scope: Scope): UsageValue {
    const [first, ...more] = names;
    if (first === undefined) return value;
    const field = value.kind === 'data' ? fieldValue(first) : OTHER;
    if (value.kind === 'data' && more.length === 0) return field;
    const header = value.kind === 'data' ? more[0] : first;
    if (header !== undefined && isHeaders(value.kind === 'data' ? field : value))
      this.usage.headers.add(header);
    this.usage.use(value.kind === 'data' ? field : value, scope);
    return OTHER;
  }

  #variable(name: string, scope: Scope): UsageValue {
    if (name === '$') return scope.root;
    this.spend(scope.variables.length >> 4);
    return scope.variables.findLast((variable) => variable.name === name)?.value ?? OTHER;
  }

  /** Declares or assigns a variable. An assignment in an inner block may not be executed. */
  #set(pipe: PipeNode, { names: [name] }: VariableNode, value: UsageValue, scope: Scope): void {
    const { variables, depth } = scope;
    const old = pipe.assign ? variables.findLast((one) => one.name === name) : undefined;
    if (old === undefined) variables.push({ name, depth, value });
    else old.value = old.depth === depth ? value : joined(old.value, value);
  }
}

/** The path of a member of a field, usually a header: `.header.Accept`, `index .header "X-Tenant"`. */
function innerField({ commands: [command, ...more] }: PipeNode): string[] {
  const [head, map, key] = command?.args ?? [];
  if (more.length > 0 || head === undefined) return [];
  if (head.kind === 'field') return [head.names.join('.')];
  const indexes = head.kind === 'identifier' && head.name === 'index' && map?.kind === 'field';
  return indexes && key?.kind === 'string' ? [`${map.names.join('.')}.${key.text}`] : [];
}

function literalText(node: StatementNode | undefined): string {
  return node?.kind === 'text' ? node.text : '';
}
