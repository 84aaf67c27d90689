/**
 * Whether an expression in a tree can be NULL. What is not known here can: a tree of a later version, a function that is not
 * PostgreSQL's own, a parameter.
 */
import type { FunctionFacts } from './catalog-facts.js';
import {
  aggregateKind,
  filledColumns,
  isRank,
  isTotal,
  neverNull,
  type Strictness,
} from './known-functions.js';
import { TreeNode, walk, type TreeValue } from './node-tree.js';
import { SELECT, type Scope } from './scope.js';

/** Where an expression stands. */
export interface Context {
  readonly scope: Scope;
  /** Whether it is inside an aggregate, where grouping sets null nothing. */
  readonly aggregated: boolean;
  /** Joins that are taken not to null anything. */
  readonly except: readonly number[];
}

/** What expressions refer to. */
export interface References {
  /** Whether the column of a Var can be NULL. */
  columnIsNullable(variable: TreeNode, context: Context): boolean;
  /** Whether a column of a query's result can be NULL. */
  outputIsNullable(scope: Scope, column: number): boolean;
  functionOf(node: TreeNode, field: string): FunctionFacts | undefined;
  /** The name of an operator that came with PostgreSQL. */
  operatorOf(node: TreeNode): string | undefined;
}

/** SQLValueFunction's CURRENT_SCHEMA, the only one that can be NULL. */
const CURRENT_SCHEMA = 14;
/** Values of SubLinkType. */
const EXISTS = 0;
const ALL = 1;
const ANY = 2;
const EXPRESSION = 4;
const ARRAY = 6;
/** Frame options of a window that says nothing about its frame: always with the current row. */
const DEFAULT_FRAME = 1058;
/** Values of JsonConstructorType: JSON_OBJECT and JSON_ARRAY. */
const JSON_ARRAY = 2;

/** isNullable tells whether an expression can be NULL. */
export function isNullable(value: TreeValue, context: Context, refs: References): boolean {
  if (!(value instanceof TreeNode)) return true;
  if (!context.aggregated && context.scope.isGroupingKey(value)) return true;
  const nullable = (part: TreeValue): boolean => isNullable(part, context, refs);
  const anyNullable = (field: string): boolean => value.list(field).some(nullable);
  switch (value.tag) {
    case 'VAR':
      return refs.columnIsNullable(value, context);
    case 'CONST':
      return value.flag('constisnull');
    case 'NULLTEST':
    case 'BOOLEANTEST':
    case 'DISTINCTEXPR':
    case 'ROWEXPR':
    case 'ARRAYEXPR':
    case 'GROUPINGFUNC':
    case 'NEXTVALUEEXPR':
    case 'MERGESUPPORTFUNC':
      return false;
    case 'BOOLEXPR':
      return anyNullable('args');
    case 'COALESCEEXPR':
    case 'MINMAXEXPR':
      return value.list('args').every(nullable);
    case 'CASEEXPR':
      return (
        nullable(value.get('defresult')) ||
        value.nodes('args').some((when) => nullable(when.get('result')))
      );
    // They fail rather than return NULL for a value.
    case 'COERCEVIAIO':
    case 'RELABELTYPE':
    case 'COLLATEEXPR':
    case 'ARRAYCOERCEEXPR':
    case 'CONVERTROWTYPEEXPR':
    case 'COERCETODOMAIN':
    case 'NAMEDARGEXPR':
    case 'JSONISPREDICATE':
      return nullable(value.get(value.tag === 'JSONISPREDICATE' ? 'expr' : 'arg'));
    case 'SQLVALUEFUNCTION':
      return value.number('op') >= CURRENT_SCHEMA;
    case 'JSONCONSTRUCTOREXPR':
      return value.number('type') > JSON_ARRAY || value.node('coercion') !== undefined;
    case 'FUNCEXPR':
      return callIsNullable(value, context, refs);
    case 'OPEXPR':
      return !isKnownOperator(value, refs) || value.flag('opretset') || anyNullable('args');
    case 'SCALARARRAYOPEXPR':
      return !isKnownOperator(value, refs) || memberIsNullable(value, context, refs);
    case 'AGGREF':
      return aggregateIsNullable(value, context, refs);
    case 'WINDOWFUNC':
      return windowIsNullable(value, context, refs);
    case 'SUBLINK':
      return sublinkIsNullable(value, context, refs);
    default:
      return true;
  }
}

function isKnownOperator(node: TreeNode, refs: References): boolean {
  const facts = refs.functionOf(node, 'opfuncid');
  return facts !== undefined && isTotal(refs.operatorOf(node), facts);
}

function callIsNullable(call: TreeNode, context: Context, refs: References): boolean {
  const facts = refs.functionOf(call, 'funcid');
  if (facts === undefined) return true;
  if (call.flag('funcretset')) {
    // Of several set-returning functions the shorter ones are filled with NULL.
    return filledColumns(facts) === 0 || setsIn(context.scope.query.list('targetList')) !== 1;
  }
  const strictness = neverNull(facts, call.flag('funcvariadic'));
  return (
    strictness === undefined ||
    strictArguments(call, strictness).some((argument) => isNullable(argument, context, refs))
  );
}

function strictArguments(call: TreeNode, strictness: Strictness): readonly TreeValue[] {
  if (strictness === 'none') return [];
  const list = call.list('args');
  return strictness === 'first' ? list.slice(0, 1) : list;
}

function setsIn(list: readonly TreeValue[]): number {
  let sets = 0;
  walk(list, (node) => {
    if (node.flag('funcretset') || node.flag('opretset')) sets++;
  });
  return sets;
}

/** `x = ANY (array)`: NULL when no element is equal and one is NULL. Only the elements of an ARRAY[…] are known. */
function memberIsNullable(node: TreeNode, context: Context, refs: References): boolean {
  const [element, array] = node.list('args');
  if (!(array instanceof TreeNode) || array.tag !== 'ARRAYEXPR' || array.flag('multidims'))
    return true;
  return [element ?? null, ...array.list('elements')].some((part) =>
    isNullable(part, context, refs),
  );
}

function aggregateIsNullable(node: TreeNode, context: Context, refs: References): boolean {
  const facts = refs.functionOf(node, 'aggfnoid');
  const kind = facts && aggregateKind(facts);
  if (kind === undefined) return true;
  if (kind === 'count') return false;
  const { scope } = context;
  // Without GROUP BY there may be no row; with grouping sets one of the sets may be empty.
  if (!scope.groups || scope.hasGroupingSets || node.number('agglevelsup') > 0) return true;
  if (node.node('aggfilter') !== undefined) return true;
  return kind === 'summing' && argumentsAreNullable(node, context, refs);
}

function argumentsAreNullable(node: TreeNode, context: Context, refs: References): boolean {
  const inside = { ...context, aggregated: true };
  return node.list('args').some((argument) => {
    const isEntry = argument instanceof TreeNode && argument.tag === 'TARGETENTRY';
    if (isEntry && argument.flag('resjunk')) return false; // of its ORDER BY
    return isNullable(isEntry ? argument.get('expr') : argument, inside, refs);
  });
}

function windowIsNullable(node: TreeNode, context: Context, refs: References): boolean {
  const facts = refs.functionOf(node, 'winfnoid');
  if (facts === undefined) return true;
  if (isRank(facts)) return false;
  const kind = aggregateKind(facts);
  if (kind === undefined) return true;
  if (kind === 'count') return false;
  const window = context.scope.query
    .nodes('windowClause')
    .find((clause) => clause.number('winref') === node.number('winref'));
  if (window?.number('frameOptions') !== DEFAULT_FRAME) return true;
  if (node.node('aggfilter') !== undefined) return true;
  if (kind === 'gathering') return false;
  return node.list('args').some((argument) => isNullable(argument, context, refs));
}

function sublinkIsNullable(node: TreeNode, context: Context, refs: References): boolean {
  const query = node.node('subselect');
  if (query === undefined) return true;
  switch (node.number('subLinkType')) {
    case EXISTS:
    case ARRAY:
      return false;
    case EXPRESSION:
      return !givesOneRow(query) || refs.outputIsNullable(context.scope.child(query), 1);
    case ALL:
    case ANY: {
      const test = node.node('testexpr');
      if (test?.tag !== 'OPEXPR' || !isKnownOperator(test, refs)) return true;
      if (isNullable(test.list('args')[0] ?? null, context, refs)) return true;
      return refs.outputIsNullable(context.scope.child(query), 1);
    }
    default:
      return true;
  }
}

/** Whether a query has exactly one row: aggregates without groups, or expressions without tables. */
function givesOneRow(query: TreeNode): boolean {
  if (query.number('commandType') !== SELECT || query.flag('hasTargetSRFs')) return false;
  if (['groupClause', 'groupingSets'].some((field) => query.list(field).length > 0)) return false;
  if (
    ['havingQual', 'limitCount', 'limitOffset', 'setOperations'].some(
      (field) => query.get(field) !== null,
    )
  )
    return false;
  if (query.flag('hasAggs')) return true;
  const from = query.node('jointree');
  return from?.list('fromlist').length === 0 && from.get('quals') === null;
}
