/** What a statement uses, from its tree and those of its views: relations with the rights it needs, functions, volatility. */
import type { CatalogFacts, FunctionFacts, RelationFacts } from './catalog-facts.js';
import { parseTree, walk, type TreeNode, type TreeValue } from './node-tree.js';
import { SELECT } from './scope.js';

export type Right = 'select' | 'insert' | 'update' | 'delete';

export interface NeededRight {
  readonly right: Right;
  /**
   * The columns that it is needed for, sorted; all when it is undefined. When it is empty, the right on any column is enough.
   */
  readonly columns?: readonly string[] | undefined;
}

export interface UsedRelation {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** As pg_class.relkind. */
  readonly kind: string;
  /** Whether its caller needs the rights; those below a view are needed by the view's owner. */
  readonly direct: boolean;
  /** The rights needed, in the order of RIGHTS. */
  readonly rights: readonly NeededRight[];
}

export interface UsedFunction {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** Types of its arguments, as in DROP FUNCTION. */
  readonly arguments: string;
}

export type Volatility = 'immutable' | 'stable' | 'volatile';

export interface Dependencies {
  /** Sorted by schema and name, those below views last. */
  readonly relations: readonly UsedRelation[];
  /** Functions, aggregates and functions of operators, apart from those that came with PostgreSQL; sorted. */
  readonly functions: readonly UsedFunction[];
  readonly volatility: Volatility;
  /** Whether PostgreSQL runs the statement in a READ ONLY transaction, whatever its functions do. */
  readonly readOnly: boolean;
}

/** Bits of requiredPerms: ACL_INSERT … of nodes/parsenodes.h. A DELETE has no columns. */
const RIGHTS: readonly (readonly [right: Right, bit: number, columns: string])[] = [
  ['select', 2, 'selectedCols'],
  ['insert', 1, 'insertedCols'],
  ['update', 4, 'updatedCols'],
  ['delete', 8, ''],
];

/** What is added to the number of a column in a set: FirstLowInvalidHeapAttributeNumber. */
const COLUMN_OFFSET = -7;

/** dependenciesOf collects what the statement with that tree uses. */
export function dependenciesOf(tree: TreeValue, facts: CatalogFacts): Dependencies {
  const uses = new Uses(facts);
  uses.add(tree, true);
  const functions = [...facts.functions.values()].filter(({ builtIn }) => !builtIn);
  return {
    relations: uses.relations(),
    functions: functions
      .map(({ oid, schema, name, arguments: types }) => ({ oid, schema, name, arguments: types }))
      .sort((a, b) => compare(signature(a), signature(b))),
    volatility: uses.volatility(),
    readOnly: uses.readOnly,
  };
}

/** The columns of a right; undefined for all. */
type Columns = Set<string> | undefined;

interface Use {
  readonly facts: RelationFacts;
  readonly direct: boolean;
  readonly rights: Map<Right, Columns>;
}

class Uses {
  readOnly = true;
  #stable = false;
  #volatile = false;
  readonly #facts: CatalogFacts;
  readonly #uses = new Map<string, Use>();

  constructor(facts: CatalogFacts) {
    this.#facts = facts;
  }

  /** Adds what a tree uses. `direct`: with the rights of the caller. */
  add(tree: TreeValue, direct: boolean): void {
    walk(tree, (node) => {
      // 16 and later have the rights beside the range table.
      if (node.has('requiredPerms')) this.#addRelation(node, direct);
      else if (node.tag === 'QUERY') this.#addQuery(node);
      else if (node.tag === 'NEXTVALUEEXPR') this.#volatile = true;
      else if (node.tag === 'SQLVALUEFUNCTION' || node.tag === 'COERCEVIAIO') this.#stable = true;
    });
  }

  #addQuery(query: TreeNode): void {
    if (query.number('commandType') === SELECT && query.list('rowMarks').length === 0) return;
    this.readOnly = false;
    this.#volatile = true;
  }

  #addRelation(node: TreeNode, direct: boolean): void {
    const needed = node.number('requiredPerms');
    const facts = this.#facts.relations.get(node.number('relid'));
    if (needed === 0 || facts === undefined) return;
    this.#stable = true;
    const key = `${facts.oid} ${direct}`;
    let use = this.#uses.get(key);
    const isNew = use === undefined;
    if (use === undefined) this.#uses.set(key, (use = { facts, direct, rights: new Map() }));
    for (const [right, bit, field] of RIGHTS)
      if ((needed & bit) !== 0) addColumns(use, right, node.numbers(field), field === '');
    const view = isNew ? this.#facts.views.get(facts.oid) : undefined;
    if (view !== undefined) this.add(parseTree(view), direct && facts.invoker);
  }

  relations(): readonly UsedRelation[] {
    return [...this.#uses.values()]
      .map(({ facts: { oid, schema, name, kind }, direct, rights }) => {
        const needed = RIGHTS.filter(([right]) => rights.has(right)).map(([right]) => {
          const columns = rights.get(right);
          return { right, columns: columns && [...columns].sort(compare) };
        });
        return { oid, schema, name, kind, direct, rights: needed };
      })
      .sort(
        (a, b) =>
          Number(b.direct) - Number(a.direct) ||
          compare(a.schema, b.schema) ||
          compare(a.name, b.name),
      );
  }

  volatility(): Volatility {
    const functions = [...this.#facts.functions.values()];
    const has = (volatility: FunctionFacts['volatility']): boolean =>
      functions.some((each) => each.volatility === volatility);
    if (this.#volatile || has('v')) return 'volatile';
    return this.#stable || has('s') ? 'stable' : 'immutable';
  }
}

function addColumns(use: Use, right: Right, numbers: readonly number[], all: boolean): void {
  const { rights, facts } = use;
  const attributes = numbers.map((number) => number + COLUMN_OFFSET);
  if (all || attributes.includes(0) || (rights.has(right) && rights.get(right) === undefined)) {
    rights.set(right, undefined);
    return;
  }
  const columns = rights.get(right) ?? new Set();
  for (const attribute of attributes) {
    const column = facts.columns.find(({ number }) => number === attribute);
    if (column !== undefined) columns.add(column.name);
  }
  rights.set(right, columns);
}

function signature({ schema, name, arguments: types }: UsedFunction): string {
  return `${schema}.${name}(${types})`;
}

/** By code units, so that the order is the same everywhere. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
