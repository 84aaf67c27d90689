/**
 * What PostgreSQL's own analysis of a statement says about it, without running it: which columns of its result can be NULL,
 * what it uses, and its volatility. The statement is made the body of a temporary function in a transaction that is rolled
 * back, whose tree is read there. Needs version 14, a server that takes writes, and the rights to use temporary objects.
 */
import { ServiceError } from '../../base/errors.js';
import { OWN, withTimeout } from '../../postgres/statement/identity.js';
import type { EarlierStatement } from '../../postgres/statement/job.js';
import { StatementFailure, type ServiceDatabase } from '../../postgres/statement/queryable.js';
import type { SqlFailure } from '../../postgres/statement/sql-failure.js';
import type { ObjectFacts, StatementFacts } from './catalog-facts.js';
import { KnownFacts, type StatementTree } from './known-facts.js';
import { dependenciesOf, type Dependencies } from './dependencies.js';
import {
  isList,
  nodesOf,
  parseTree,
  TreeError,
  type TreeNode,
  type TreeValue,
} from './node-tree.js';
import { Nullability } from './nullability.js';
import { Scope } from './scope.js';

/** A statement as it is given to PostgreSQL. */
export interface AnalysedStatement {
  readonly sql: string;
  /** The types of `$1`, `$2` and so on, as format_type writes them. */
  readonly parameters: readonly string[];
}

export interface AnalysedColumn {
  readonly name: string;
  readonly nullable: boolean;
}

export interface Analysis extends Dependencies {
  /** The columns of its result, in their order; none for a statement that returns no rows. */
  readonly columns: readonly AnalysedColumn[];
  /** What PostgreSQL records as its dependencies, except below views: also types, operators, sequences that it names. */
  readonly objects: readonly ObjectFacts[];
}

/** Types of parameters that a function cannot have; a text can be given for them. */
const PSEUDO =
  /^(?:"any"|any(?:element|array|nonarray|enum|range|multirange|compatible\w*)|unknown|record|record\[\]|void|cstring|internal|trigger)$/;

/** The body is stored as it was parsed; otherwise it had to return rows, and the views in it would be locked. */
const UNCHECKED: EarlierStatement = {
  statement: {
    sql: "SELECT WHERE pg_catalog.set_config('check_function_bodies', 'off', true) IS NULL",
    recurs: true,
  },
  values: [],
};

/** Name of the temporary function. */
const FUNCTION = 'analysed_statement';

/** No row when there is no such function; each reference is a word of three numbers as CATALOG_FACTS takes it. */
const TREE =
  "SELECT p.prosqlbody::text, (SELECT pg_catalog.string_agg(DISTINCT pg_catalog.concat_ws(' ', d.refclassid, " +
  "d.refobjid, d.refobjsubid), ',') FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::regclass " +
  "AND d.objid = p.oid AND d.refclassid <> 'pg_catalog.pg_namespace'::regclass) FROM pg_catalog.pg_proc p " +
  `WHERE p.pronamespace = pg_catalog.pg_my_temp_schema() AND p.proname = '${FUNCTION}'`;

/**
 * analyse resolves to what is known of a statement; undefined when PostgreSQL does not take it as the body of a function
 * (utility statements), or there is no right, version or server for it. It waits for locks up to `limit` ms. Rejects with
 * StatementFailure when the same may succeed later. `known` is of the same database.
 */
export async function analyse(
  database: ServiceDatabase,
  statement: AnalysedStatement,
  limit: number,
  known = new KnownFacts(database),
): Promise<Analysis | undefined> {
  const tree = await treeOf(database, statement, limit);
  return tree && analysisOf(await known.of(tree, limit));
}

async function treeOf(
  database: ServiceDatabase,
  statement: AnalysedStatement,
  limit: number,
): Promise<StatementTree | undefined> {
  const { result, failure } = await database.query(TREE, [], {
    identity: withTimeout(undefined, limit),
    // Names in the statement are looked up as in scripts, names in TREE as in the service's own.
    asScript: true,
    before: [
      UNCHECKED,
      { statement: { sql: definition(statement), recurs: false }, values: [] },
      OWN,
    ],
    rolledBack: 'READ WRITE',
    recurs: true,
    alone: true,
  });
  if (failure !== undefined) {
    if (isPassing(failure)) throw new StatementFailure(failure);
    return undefined;
  }
  const [tree, references] = result.rows?.[0] ?? [];
  return tree == null ? undefined : { tree, references: references?.split(',') ?? [] };
}

/** canAnalyse resolves to whether there is the right, version and server for analyse; it rejects as that does. */
export async function canAnalyse(database: ServiceDatabase, limit: number): Promise<boolean> {
  return (await analyse(database, { sql: 'SELECT 1', parameters: [] }, limit)) !== undefined;
}

function definition({ sql, parameters }: AnalysedStatement): string {
  const types = parameters.map((type) => (PSEUDO.test(type) ? 'pg_catalog.text' : type)).join(', ');
  // The line break ends a comment at the end of the statement.
  return `CREATE FUNCTION pg_temp.${FUNCTION}(${types}) RETURNS SETOF pg_catalog.record LANGUAGE sql BEGIN ATOMIC ${sql}\n; END`;
}

/** SQLSTATEs of an attempt that may end otherwise next time: connections, resources, time limits, locks, deadlocks. */
const PASSING = /^(?:08|40|53|55P03|57|58)/;

function isPassing(failure: SqlFailure | ServiceError): boolean {
  if (failure instanceof ServiceError) return failure.status >= 503;
  return failure.fatal || PASSING.test(failure.state);
}

/** analysisOf gives undefined for a tree that is not one statement, or cannot be read. */
export function analysisOf(facts: StatementFacts): Analysis | undefined {
  try {
    const tree = parseTree(facts.tree);
    const query = onlyQuery(tree);
    if (query === undefined) return undefined;
    const scope = new Scope(query);
    const nullability = new Nullability(facts);
    const columns = scope.outputs().map((output) => ({
      name: output.text('resname'),
      nullable: nullability.outputIsNullable(scope, output.number('resno')),
    }));
    return { columns, objects: facts.objects, ...dependenciesOf(tree, facts) };
  } catch (error) {
    if (error instanceof TreeError) return undefined;
    throw error;
  }
}

/** The query of a body, which is a list of lists: for each statement the queries that it is rewritten to. */
function onlyQuery(tree: TreeValue): TreeNode | undefined {
  if (!isList(tree) || tree.length !== 1 || !isList(tree[0]!)) return undefined;
  const queries = nodesOf(tree[0]);
  const [query] = queries;
  return queries.length === 1 && query?.get('utilityStmt') === null ? query : undefined;
}
