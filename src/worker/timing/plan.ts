/**
 * A plan of PostgreSQL for the log: one line for each node, with its kind, the names of tables, indexes and functions, and
 * its estimates. Expressions are left out, because they contain constants of the script and values that it interpolates;
 * so are aliases and the names of CTEs, which a script may interpolate too.
 */

export interface Plan {
  /** A line for each node, indented by its depth. */
  readonly plan: readonly string[];
  /** As in pg_stat_statements, a number of 64 bits; undefined where PostgreSQL computes none. */
  readonly queryid: string | undefined;
}

/** A node in the output of EXPLAIN (FORMAT JSON). */
type Node = Readonly<Record<string, unknown>>;

/** Most nodes in the log. */
const MOST_NODES = 40;

/** readPlan reads the output of EXPLAIN (VERBOSE, FORMAT JSON); undefined when it is no plan. */
export function readPlan(json: string): Plan | undefined {
  const [first] = JSON.parse(json) as readonly Node[];
  const root = first?.['Plan'];
  if (!isNode(root)) return undefined;
  const plan: string[] = [];
  let more = 0;
  const pending: [Node, number][] = [[root, 0]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, depth] = next;
    if (plan.length < MOST_NODES) plan.push('  '.repeat(depth) + nodeText(node));
    else more++;
    const { Plans: below } = node;
    if (Array.isArray(below))
      for (const one of below.toReversed()) if (isNode(one)) pending.push([one, depth + 1]);
  }
  if (more > 0) plan.push(`… ${more} more`);
  // As a number of JavaScript it would be rounded. Within a text of the plan the quotes are escaped.
  return { plan, queryid: /"Query Identifier": (-?\d+)/.exec(json)?.[1] };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function nodeText(node: Node): string {
  const rows = node['Plan Rows'];
  const cost = `${fixed(node['Startup Cost'])}..${fixed(node['Total Cost'])}`;
  return `${kindOf(node)}${namesOf(node)} (rows=${String(rows)} cost=${cost})`;
}

function fixed(cost: unknown): string {
  return typeof cost === 'number' ? cost.toFixed(2) : '?';
}

function kindOf(node: Node): string {
  const type = text(node['Node Type']);
  const parallel = node['Parallel Aware'] === true ? 'Parallel ' : '';
  if (type === 'ModifyTable') return text(node['Operation']);
  if (type === 'Aggregate') {
    const strategy = text(node['Strategy']);
    return parallel + (strategy === 'Plain' ? type : `${strategy} ${type}`);
  }
  const join = text(node['Join Type']);
  if (join === '' || join === 'Inner') return parallel + type;
  return `${parallel}${type.replace(/ Join$/, '')} ${join} Join`;
}

function namesOf(node: Node): string {
  const index = text(node['Index Name']);
  const relation = text(node['Relation Name']) || text(node['Function Name']);
  const schema = text(node['Schema']);
  const using = index === '' ? '' : ` using ${index}`;
  if (relation === '') return using;
  return `${using} on ${schema === '' ? relation : `${schema}.${relation}`}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
