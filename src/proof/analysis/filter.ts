/**
 * The columns that the condition of a query leaves NOT NULL: those that WHERE, or ON of an inner join, compares or tests. A row
 * for which a comparison is NULL is not in the result.
 */
import type { References } from './expression.js';
import { isTotal } from './known-functions.js';
import { isNode, type TreeNode, type TreeValue } from './node-tree.js';

/** Value of JoinType. */
const INNER = 0;
/** Value of NullTestType. */
const IS_NOT_NULL = 1;
/** Values of BoolTestType that do not hold for NULL: IS TRUE, IS FALSE, IS NOT UNKNOWN. */
const BOOLEAN_TESTS = [0, 2, 5];
/** The type of a condition: bool. */
const BOOL = 16;

/** filledByCondition lists the Vars of a query that cannot be NULL in its rows. */
export function filledByCondition(query: TreeNode, refs: References): readonly TreeNode[] {
  const filled: TreeNode[] = [];
  const from = query.node('jointree');
  if (from === undefined) return filled;
  addFilled(from.get('quals'), refs, filled);
  const visit = (item: TreeNode): void => {
    if (item.tag !== 'JOINEXPR' || item.number('jointype') !== INNER) return;
    addFilled(item.get('quals'), refs, filled);
    for (const side of [item.node('larg'), item.node('rarg')]) if (side !== undefined) visit(side);
  };
  from.nodes('fromlist').forEach(visit);
  return filled;
}

/** Adds the Vars that are not NULL when a condition is true. */
function addFilled(condition: TreeValue, refs: References, filled: TreeNode[]): void {
  if (!isNode(condition)) return;
  const args = condition.list('args');
  switch (condition.tag) {
    case 'BOOLEXPR':
      if (condition.text('boolop') === 'and')
        for (const part of args) addFilled(part, refs, filled);
      else if (condition.text('boolop') === 'not') addUsed(args[0], refs, filled);
      break;
    case 'NULLTEST':
      // A row is NOT NULL when its fields are.
      if (condition.number('nulltesttype') === IS_NOT_NULL && !condition.flag('argisrow'))
        addUsed(condition.get('arg'), refs, filled);
      break;
    case 'BOOLEANTEST':
      if (BOOLEAN_TESTS.includes(condition.number('booltesttype')))
        addUsed(condition.get('arg'), refs, filled);
      break;
    case 'SCALARARRAYOPEXPR':
      // ALL is true for anything when the array is empty.
      if (condition.flag('useOr') && isComparison(condition, refs)) addUsed(args[0], refs, filled);
      break;
    default:
      addUsed(condition, refs, filled);
  }
}

/** Adds the Vars that are not NULL when the value of an expression is not. */
function addUsed(value: TreeValue | undefined, refs: References, filled: TreeNode[]): void {
  if (!isNode(value)) return;
  if (value.tag === 'RELABELTYPE') addUsed(value.get('arg'), refs, filled);
  else if (
    value.tag === 'OPEXPR' &&
    value.number('opresulttype') === BOOL &&
    isComparison(value, refs)
  )
    for (const operand of value.list('args')) addUsed(operand, refs, filled);
  else if (
    value.tag === 'VAR' &&
    value.number('varlevelsup') === 0 &&
    value.number('varattno') !== 0
  )
    filled.push(value);
}

/** Whether the operator is one of PostgreSQL's own, which are all strict when their result is a bool. */
function isComparison(node: TreeNode, refs: References): boolean {
  const facts = refs.functionOf(node, 'opfuncid');
  return facts !== undefined && isTotal(refs.operatorOf(node), facts);
}
