/** What a statement uses, from its tree and its views' trees: relations with the rights it needs, functions, volatility. */
import { compareText } from '../../base/text.js';
import type { FunctionFacts, RelationFacts, StatementFacts } from './catalog-facts.js';
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
  /** OID of that owner; undefined when the caller needs them. */
  readonly owner: number | undefined;
  /** The rights needed, in the order of RIGHTS. */
  readonly rights: readonly NeededRight[];
}

export interface UsedFunction {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** Types of its arguments, as in DROP FUNCTION. */
  readonly arguments: string;
  /** As pg_proc.prokind. */
  readonly kind: string;
  /** Whether the statement itself calls it, and not only a view that it uses. */
  readonly direct: boolean;
}

export type Volatility = 'immutable' | 'stable' | 'volatile';

/** What has to be granted for a statement. */
export interface NeededRights {
  /** Sorted by schema and name, those below views last. */
  readonly relations: readonly UsedRelation[];
  /** Functions, aggregates and functions of operators, apart from those that came with PostgreSQL; sorted. */
  readonly functions: readonly UsedFunction[];
  /** Names of the schemas of relations and functions that the statement itself names, apart from pg_catalog; sorted. */
  readonly schemas: readonly string[];
}

export interface Dependencies extends NeededRights {
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

/** Fields with the OID of a function that is called. */
const CALLS = ['funcid', 'aggfnoid', 'winfnoid', 'opfuncid'] as const;

/** CoercionForm of nodes/primnodes.h; of nodes without one, too. */
const EXPLICIT_CALL = 0;

/** The offset of the number of a column in a set: FirstLowInvalidHeapAttributeNumber. */
const COLUMN_OFFSET = -7;

/** dependenciesOf collects what the statement with that tree uses. */
export function dependenciesOf(tree: TreeValue, facts: StatementFacts): Dependencies {
  const uses = new Uses(facts);
  uses.add(tree, CALLER);
  return {
    relations: uses.relations(),
    functions: uses.functions(),
    schemas: uses.schemas(),
    volatility: uses.volatility(),
    readOnly: uses.readOnly,
  };
}

/** The columns of a right; undefined for all. */
type Columns = Set<string> | undefined;

/** Whose rights are needed: the caller's, or a view owner's, by OID. */
type Needing = number | undefined;

const CALLER: Needing = undefined;

interface Use {
  readonly facts: RelationFacts;
  readonly owner: Needing;
  readonly rights: Map<Right, Columns>;
}

class Uses {
  readOnly = true;
  #stable = false;
  #volatile = false;
  readonly #facts: StatementFacts;
  readonly #uses = new Map<string, Use>();
  /** OIDs of the functions that the statement itself calls. */
  readonly #called = new Set<number>();
  readonly #schemas = new Set<string>();

  constructor(facts: StatementFacts) {
    this.#facts = facts;
  }

  /** Adds what a tree uses: a view's tree when `isView`. */
  add(tree: TreeValue, owner: Needing, isView = false): void {
    walk(tree, (node) => {
      if (!isView) this.#addNamed(node);
      // 16 and later have the rights beside the range table.
      if (node.has('requiredPerms')) this.#addRelation(node, owner);
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

  #addNamed(node: TreeNode): void {
    const relation = node.has('requiredPerms') && this.#facts.relations.get(node.number('relid'));
    if (relation) this.#schemas.add(relation.schema);
    for (const field of CALLS) {
      if (!node.has(field)) continue;
      const called = this.#facts.functions.get(node.number(field));
      if (called === undefined || called.builtIn) continue;
      this.#called.add(called.oid);
      // Functions of operators and casts are not named.
      if (field !== 'opfuncid' && node.number('funcformat') === EXPLICIT_CALL)
        this.#schemas.add(called.schema);
    }
  }

  #addRelation(node: TreeNode, owner: Needing): void {
    const needed = node.number('requiredPerms');
    const facts = this.#facts.relations.get(node.number('relid'));
    if (needed === 0 || facts === undefined) return;
    this.#stable = true;
    const key = `${facts.oid} ${owner ?? ''}`;
    let use = this.#uses.get(key);
    const isNew = use === undefined;
    if (use === undefined) this.#uses.set(key, (use = { facts, owner, rights: new Map() }));
    for (const [right, bit, field] of RIGHTS)
      if ((needed & bit) !== 0) addColumns(use, right, node.numbers(field), field === '');
    const view = isNew ? this.#facts.views.get(facts.oid) : undefined;
    // What is below a view that is read with the rights of its caller needs them wherever that view is used.
    if (view !== undefined) this.add(parseTree(view), facts.invoker ? CALLER : facts.owner, true);
  }

  relations(): readonly UsedRelation[] {
    return [...this.#uses.values()]
      .map(({ facts: { oid, schema, name, kind }, owner, rights }) => {
        const needed = RIGHTS.filter(([right]) => rights.has(right)).map(([right]) => {
          const columns = rights.get(right);
          return { right, columns: columns && [...columns].sort(compareText) };
        });
        return { oid, schema, name, kind, direct: owner === CALLER, owner, rights: needed };
      })
      .sort(
        (a, b) =>
          Number(b.direct) - Number(a.direct) ||
          compareText(a.schema, b.schema) ||
          compareText(a.name, b.name),
      );
  }

  functions(): readonly UsedFunction[] {
    return [...this.#facts.functions.values()]
      .filter(({ builtIn }) => !builtIn)
      .map(({ oid, schema, name, arguments: types, kind }) => {
        return { oid, schema, name, arguments: types, kind, direct: this.#called.has(oid) };
      })
      .sort((a, b) => compareText(signature(a), signature(b)));
  }

  schemas(): readonly string[] {
    return [...this.#schemas].filter((name) => name !== 'pg_catalog').sort(compareText);
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
