/**
 * Which columns of a statement's result can be NULL, from its tree: through joins, subqueries, common table expressions, set
 * operations, views and RETURNING. What is called NOT NULL never is NULL, whatever rows there are; the reverse is not
 * promised. A domain that is NOT NULL counts for nothing: values of its type may be NULL all the same (CREATE DOMAIN, Notes).
 */
import { sqlTypeOf } from '../../base/sql-types.js';
import type { FunctionFacts, RelationFacts, StatementFacts } from './catalog-facts.js';
import { isNullable, type Context, type References } from './expression.js';
import { filledByCondition } from './filter.js';
import { filledColumns } from './known-functions.js';
import { isList, isNode, isSame, nodesOf, parseTree, type TreeNode } from './node-tree.js';
import { DELETE, FULL, INSERT, MERGE, Scope, SELECT } from './scope.js';

/** Views inside each other that are followed. */
const DEEPEST_VIEW = 32;

/** Values of SetOperation. */
const UNION = 1;
const INTERSECT = 2;

/** Values of VarReturningType (18). */
const OLD = 1;
const NEW = 2;

export class Nullability implements References {
  readonly #facts: StatementFacts;
  /** The queries of views, by oid; undefined for one that cannot be read. */
  readonly #views = new Map<number, Scope | undefined>();
  /** The columns that the conditions of queries leave NOT NULL. */
  readonly #filled = new Map<Scope, readonly TreeNode[]>();
  #viewDepth = 0;

  constructor(facts: StatementFacts) {
    this.#facts = facts;
  }

  functionOf(node: TreeNode, field: string): FunctionFacts | undefined {
    return this.#facts.functions.get(node.number(field));
  }

  operatorOf(node: TreeNode): string | undefined {
    return this.#facts.operators.get(node.number('opno'));
  }

  outputIsNullable(scope: Scope, column: number): boolean {
    let nullable = scope.columns.get(column);
    if (nullable === undefined)
      scope.columns.set(column, (nullable = this.#outputIsNullable(scope, column)));
    return nullable;
  }

  #outputIsNullable(scope: Scope, column: number): boolean {
    const operation = scope.query.node('setOperations');
    if (operation !== undefined) return this.#setIsNullable(scope, operation, column);
    const entry = scope.outputs().find((output) => output.number('resno') === column);
    const context = { scope, aggregated: false, except: [] };
    return entry === undefined || isNullable(entry.get('expr'), context, this);
  }

  /** A column of a set operation, or of one of the queries that it combines. */
  #setIsNullable(scope: Scope, node: TreeNode, column: number): boolean {
    if (node.tag === 'RANGETBLREF') {
      const query = scope.range(node.number('rtindex'))?.node('subquery');
      return query === undefined || this.outputIsNullable(scope.child(query), column);
    }
    const side = (name: string): boolean => {
      const operand = node.node(name);
      return operand === undefined || this.#setIsNullable(scope, operand, column);
    };
    const operation = node.number('op');
    if (operation === UNION) return side('larg') || side('rarg');
    if (operation === INTERSECT) return side('larg') && side('rarg');
    return side('larg');
  }

  columnIsNullable(variable: TreeNode, { scope, aggregated, except }: Context): boolean {
    const levels = variable.number('varlevelsup');
    const owner = scope.up(levels);
    if (owner === undefined || (levels > 0 && owner.hasGroupingSets)) return true;
    if (this.#isFilled(variable, owner)) return false;
    const range = variable.number('varno');
    const nulling = variable.has('varnullingrels')
      ? variable.numbers('varnullingrels')
      : owner.nulling(range);
    const spared = levels === 0 ? except : [];
    if (nulling.some((join) => !spared.includes(join))) return true;
    const entry = owner.range(range);
    if (entry === undefined) return true;
    const column = variable.number('varattno');
    const context = { scope: owner, aggregated: aggregated && levels === 0, except: spared };
    if (owner.command !== SELECT) {
      if (range === owner.query.number('resultRelation'))
        return this.#returnedIsNullable(owner, entry, column, variable.number('varreturningtype'));
      // A row of the target without one of the source (WHEN NOT MATCHED BY SOURCE).
      if (owner.command === MERGE) return true;
    }
    return this.#entryIsNullable(entry, range, column, context);
  }

  /** Whether the condition of a SELECT leaves no NULL in a column. UPDATE may put one there. */
  #isFilled(variable: TreeNode, scope: Scope): boolean {
    if (scope.command !== SELECT) return false;
    let filled = this.#filled.get(scope);
    if (filled === undefined)
      this.#filled.set(scope, (filled = filledByCondition(scope.query, this)));
    return filled.some((other) => isSame(other, variable));
  }

  /** A column of the row that RETURNING shows. Rules may take it from another table, triggers of a view any row. */
  #returnedIsNullable(
    { command }: Scope,
    entry: TreeNode,
    column: number,
    version: number,
  ): boolean {
    if (command === INSERT && version === OLD) return true;
    if (command === DELETE && version === NEW) return true;
    if (command === MERGE && version !== 0) return true;
    const relation = this.#relationOf(entry);
    if (relation === undefined || relation.rules) return true;
    return this.#relationIsNullable(relation, column);
  }

  /** A column of an entry of the range table, which is known by its fields: their numbers may change with versions. */
  #entryIsNullable(entry: TreeNode, range: number, column: number, context: Context): boolean {
    const { scope } = context;
    const query = entry.node('subquery');
    if (query !== undefined) return column > 0 && this.outputIsNullable(scope.child(query), column);
    if (entry.has('joinaliasvars')) return this.#joinIsNullable(entry, range, column, context);
    if (entry.has('functions')) return this.#functionIsNullable(entry, column, context);
    if (entry.has('values_lists')) return this.#valuesAreNullable(entry, column, context);
    if (entry.has('ctename')) return this.#commonIsNullable(entry, column, scope);
    if (entry.has('groupexprs'))
      return isNullable(entry.list('groupexprs')[column - 1] ?? null, context, this);
    const relation = this.#relationOf(entry);
    return relation === undefined || this.#relationIsNullable(relation, column);
  }

  #relationOf(entry: TreeNode): RelationFacts | undefined {
    return this.#facts.relations.get(entry.number('relid'));
  }

  #relationIsNullable({ oid, kind, columns }: RelationFacts, column: number): boolean {
    if (column === 0) return false; // the row itself
    if (kind === 'v') return this.#viewIsNullable(oid, column);
    // A materialized view may hold rows that are older than the constraints of its tables.
    if (!'rptS'.includes(kind)) return true;
    if (column < 0) return false;
    return columns.find(({ number }) => number === column)?.notNull !== true;
  }

  #viewIsNullable(oid: number, column: number): boolean {
    if (this.#viewDepth === DEEPEST_VIEW) return true;
    if (!this.#views.has(oid)) this.#views.set(oid, this.#viewOf(oid));
    const scope = this.#views.get(oid);
    if (scope === undefined) return true;
    this.#viewDepth++;
    const nullable = this.outputIsNullable(scope, column);
    this.#viewDepth--;
    return nullable;
  }

  #viewOf(oid: number): Scope | undefined {
    const text = this.#facts.views.get(oid);
    if (text === undefined) return undefined;
    const tree = parseTree(text);
    const query = isList(tree) ? nodesOf(tree)[0] : undefined;
    return query && new Scope(query);
  }

  /**
   * A column of a join. One that USING of a FULL JOIN merges comes from either side, of which one has a row: it is not NULL
   * when neither side's is, before the join.
   */
  #joinIsNullable(entry: TreeNode, range: number, column: number, context: Context): boolean {
    const value = entry.list('joinaliasvars')[column - 1] ?? null;
    const isMerged = column <= entry.number('joinmergedcols');
    if (!isMerged || entry.number('jointype') !== FULL) return isNullable(value, context, this);
    const sides = isNode(value) && value.tag === 'COALESCEEXPR' ? value.list('args') : [null];
    const before = { ...context, except: [...context.except, range] };
    return sides.some((side) => isNullable(side, before, this));
  }

  #functionIsNullable(entry: TreeNode, column: number, context: Context): boolean {
    const functions = entry.nodes('functions');
    const count = functions.reduce((sum, each) => sum + each.number('funccolcount'), 0);
    if (entry.flag('funcordinality') && column === count + 1) return false;
    // ROWS FROM fills the shorter ones with NULL.
    const call = functions.length === 1 ? functions[0]!.node('funcexpr') : undefined;
    if (call === undefined || column < 1) return true;
    if (call.tag === 'SQLVALUEFUNCTION') return isNullable(call, context, this);
    const facts = this.functionOf(call, 'funcid');
    if (call.tag !== 'FUNCEXPR' || facts === undefined) return true;
    if (!call.flag('funcretset')) return count > 1 || isNullable(call, context, this);
    if (facts.builtIn && facts.name === 'unnest') return this.#elementsAreNullable(call, context);
    return column > filledColumns(facts);
  }

  /** The elements of an ARRAY[…] that unnest() shows. */
  #elementsAreNullable(call: TreeNode, context: Context): boolean {
    const [array] = call.list('args');
    if (!isNode(array) || array.tag !== 'ARRAYEXPR' || array.flag('multidims')) return true;
    // Elements that are rows become columns; a type that is not known here may be a row.
    if (sqlTypeOf(array.number('element_typeid')) === undefined) return true;
    return array.list('elements').some((element) => isNullable(element, context, this));
  }

  #valuesAreNullable(entry: TreeNode, column: number, context: Context): boolean {
    return (
      column > 0 &&
      entry
        .list('values_lists')
        .some((row) => !isList(row) || isNullable(row[column - 1] ?? null, context, this))
    );
  }

  /** A column of a common table expression. */
  #commonIsNullable(entry: TreeNode, column: number, scope: Scope): boolean {
    if (column < 1) return column < 0;
    const owner = scope.up(entry.number('ctelevelsup'));
    const name = entry.text('ctename');
    const expression = owner?.query.nodes('cteList').find((each) => each.text('ctename') === name);
    const query = expression?.node('ctequery');
    if (owner === undefined || expression === undefined || query === undefined) return true;
    if (!expression.flag('cterecursive')) return this.outputIsNullable(owner.child(query), column);
    const columns = owner.recursive.get(name) ?? this.#recursion(owner, name, query);
    return columns[column - 1] ?? true; // SEARCH and CYCLE add columns
  }

  /**
   * The columns of a recursive one: first each is taken to be NOT NULL, then those are found out that can be NULL if that is
   * so, until no more are found. What is left is NOT NULL in the first rows, and in each row that is made of such rows.
   */
  #recursion(owner: Scope, name: string, query: TreeNode): readonly boolean[] {
    let found: readonly boolean[] = new Scope(query, owner).outputs().map(() => false);
    for (;;) {
      owner.recursive.set(name, found);
      const scope = new Scope(query, owner);
      const next = found.map((known, i) => known || this.outputIsNullable(scope, i + 1));
      if (next.every((nullable, i) => nullable === found[i])) return found;
      found = next;
    }
  }
}
