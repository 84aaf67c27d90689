/** The range table of one query in a tree, and the queries around it, whose columns it can use. */
import { isSame, TreeNode, type TreeValue } from './node-tree.js';

/** Values of Query.commandType that versions 14 and later share. */
export const SELECT = 1;
export const UPDATE = 2;
export const INSERT = 3;
export const DELETE = 4;
/** From 15 on. */
export const MERGE = 5;

/** Values of JoinType. */
const LEFT = 1;
export const FULL = 2;
const RIGHT = 3;

export class Scope {
  readonly query: TreeNode;
  readonly parent: Scope | undefined;
  /** Whether each column can be NULL, by number, once it was asked. */
  readonly columns = new Map<number, boolean>();
  /** The same of its recursive common table expressions, by name; while one is computed, what was found so far. */
  readonly recursive = new Map<string, readonly boolean[]>();
  readonly #ranges: readonly TreeNode[];
  readonly #children = new Map<TreeNode, Scope>();
  #nulling: ReadonlyMap<number, readonly number[]> | undefined;
  #keys: readonly TreeValue[] | undefined;

  constructor(query: TreeNode, parent?: Scope) {
    this.query = query;
    this.parent = parent;
    this.#ranges = query.nodes('rtable');
  }

  get command(): number {
    return this.query.number('commandType');
  }

  get groups(): boolean {
    return this.query.list('groupClause').length > 0;
  }

  get hasGroupingSets(): boolean {
    return this.query.list('groupingSets').length > 0;
  }

  /** range is an entry of the range table, by its number from 1. */
  range(number: number): TreeNode | undefined {
    return this.#ranges[number - 1];
  }

  /** up is the scope so many levels out. */
  up(levels: number): Scope | undefined {
    return levels === 0 ? this : this.parent?.up(levels - 1);
  }

  /** child is the scope of a query inside this one. */
  child(query: TreeNode): Scope {
    let child = this.#children.get(query);
    if (child === undefined) this.#children.set(query, (child = new Scope(query, this)));
    return child;
  }

  /** outputs are the entries of the query's result. */
  outputs(): readonly TreeNode[] {
    const field = this.command === SELECT ? 'targetList' : 'returningList';
    return this.query.nodes(field).filter((entry) => !entry.flag('resjunk'));
  }

  /** nulling is the numbers of the outer joins that null an entry of the range table, from the join tree (before 16). */
  nulling(range: number): readonly number[] {
    this.#nulling ??= nullingJoins(this.query.node('jointree'));
    return this.#nulling.get(range) ?? [];
  }

  /** isGroupingKey tells whether an expression is one that grouping sets null. */
  isGroupingKey(expression: TreeNode): boolean {
    if (!this.hasGroupingSets) return false;
    this.#keys ??= groupingKeys(this.query);
    return this.#keys.some((key) => isSame(key, expression));
  }
}

function groupingKeys(query: TreeNode): readonly TreeValue[] {
  const numbers = new Set(
    query.nodes('groupClause').map((clause) => clause.number('tleSortGroupRef')),
  );
  return query
    .nodes('targetList')
    .filter((entry) => numbers.has(entry.number('ressortgroupref')))
    .map((entry) => entry.get('expr'));
}

function nullingJoins(from: TreeNode | undefined): ReadonlyMap<number, readonly number[]> {
  const joins = new Map<number, readonly number[]>();
  const visit = (node: TreeNode, above: readonly number[]): void => {
    const number = node.number('rtindex');
    joins.set(number, above);
    if (node.tag !== 'JOINEXPR') return;
    const type = node.number('jointype');
    const nulled = [...above, number];
    const left = node.node('larg');
    const right = node.node('rarg');
    if (left !== undefined) visit(left, type === RIGHT || type === FULL ? nulled : above);
    if (right !== undefined) visit(right, type === LEFT || type === FULL ? nulled : above);
  };
  for (const item of from?.nodes('fromlist') ?? []) visit(item, []);
  return joins;
}
