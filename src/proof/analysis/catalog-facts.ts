/**
 * What the catalogs say about the objects in the trees of statements: relations with their columns, the trees of the views
 * among them and of the views below those, functions and operators, and the names of what statements depend on.
 */
import { asScriptsSee } from '../../postgres/statement/identity.js';

export interface ColumnFacts {
  /** Its number in the relation, from 1. */
  readonly number: number;
  readonly name: string;
  /** Whether no row can hold a NULL in it: also no row of a child, or that was there before the constraint. */
  readonly notNull: boolean;
}

export interface RelationFacts {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** As pg_class.relkind. */
  readonly kind: string;
  /** OID of its owner. */
  readonly owner: number;
  /** Whether it has rules (a view has one always). */
  readonly rules: boolean;
  /** Whether it is a view that is read with the rights of its caller. */
  readonly invoker: boolean;
  readonly columns: readonly ColumnFacts[];
}

export interface FunctionFacts {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** Types of its arguments, as in DROP FUNCTION. */
  readonly arguments: string;
  /** As pg_proc.prokind. */
  readonly kind: string;
  readonly volatility: 'i' | 's' | 'v';
  /** The C function of one that came with PostgreSQL. */
  readonly source: string;
  /** Whether it came with PostgreSQL and is in pg_catalog. */
  readonly builtIn: boolean;
}

/** An object that the statement depends on, apart from those that came with PostgreSQL. */
export interface ObjectFacts {
  /** As pg_identify_object writes it: table, `table column`, type, function, … */
  readonly type: string;
  readonly identity: string;
}

/** What CATALOG_FACTS returns, as JSON. */
interface CatalogRows {
  readonly views: readonly { readonly oid: number; readonly tree: string }[] | null;
  readonly relations: readonly RelationFacts[] | null;
  readonly functions: readonly FunctionFacts[] | null;
  readonly operators: readonly { readonly oid: number; readonly name: string }[] | null;
  readonly objects: readonly (ObjectFacts & { readonly reference: string })[] | null;
}

export interface CatalogFacts {
  /** The trees of views, by OID. */
  readonly views: ReadonlyMap<number, string>;
  readonly relations: ReadonlyMap<number, RelationFacts>;
  readonly functions: ReadonlyMap<number, FunctionFacts>;
  /** The names of operators that came with PostgreSQL, by OID. */
  readonly operators: ReadonlyMap<number, string>;
  /** By reference, see CATALOG_FACTS. */
  readonly objects: ReadonlyMap<string, ObjectFacts>;
}

/** The facts about one statement. */
export interface StatementFacts extends Omit<CatalogFacts, 'objects'> {
  /** The statement, as parseTree reads it. */
  readonly tree: string;
  /** What PostgreSQL records as its dependencies, sorted. */
  readonly objects: readonly ObjectFacts[];
}

/** The first OID of objects that did not come with PostgreSQL: FirstNormalObjectId of access/transam.h. */
const FIRST_NORMAL = 16384;

/** Fields of the trees with the OID of a relation, a function or an operator. */
const RELATION_FIELDS = 'relid';
const FUNCTION_FIELDS = 'funcid|opfuncid|aggfnoid|winfnoid';
const OPERATOR_FIELDS = 'opno';

/** An array of the OIDs behind a field in a tree. Of an array PostgreSQL expects ten elements, of a set a thousand. */
function oidsBehind(fields: string, tree: string): string {
  return (
    'ARRAY(SELECT DISTINCT m[1]::pg_catalog.oid FROM ' +
    `pg_catalog.regexp_matches(${tree}, ':(?:${fields}) ([0-9]+)', 'g') m)`
  );
}

/** The condition that an OID is in a parameter, or behind a field in the trees of views. */
function isIn(oid: string, parameter: string, fields: string): string {
  const below = oidsBehind(fields, '(SELECT pg_catalog.string_agg(v.tree, NULL) FROM views v)');
  return `${oid} = ANY (${parameter}::pg_catalog.oid[] || ${below})`;
}

/** Whether a column has a constraint that does not hold for the rows that were there (NOT VALID, 18). */
function isInvalid(column: string): string {
  return (
    "EXISTS (SELECT FROM pg_catalog.pg_constraint n WHERE n.contype = 'n' AND NOT n.convalidated " +
    `AND n.conrelid = ${column}.attrelid AND n.conkey = ARRAY[${column}.attnum])`
  );
}

// A foreign table does not enforce its constraints, and a child may have dropped its parent's (before 18), unless it is
// a partition.
const NOT_NULL =
  `a.attnotnull AND NOT d.remote AND NOT ${isInvalid('a')} AND (c.relkind = 'p' OR NOT EXISTS (` +
  'SELECT FROM pg_catalog.pg_attribute b WHERE b.attrelid = ANY (d.children) AND b.attname = a.attname ' +
  `AND (NOT b.attnotnull OR ${isInvalid('b')})))`;

const COLUMNS =
  "SELECT pg_catalog.json_agg(pg_catalog.json_build_object('number', a.attnum, 'name', a.attname, " +
  `'notNull', ${NOT_NULL}) ORDER BY a.attnum) ` +
  'FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped';

/** The children of a relation, theirs included, and whether it or one of them is a foreign table. */
const DESCENDANTS =
  "(SELECT x.children, c.relkind = 'f' OR EXISTS (SELECT FROM pg_catalog.pg_class k " +
  "WHERE k.oid = ANY (x.children) AND k.relkind = 'f') AS remote FROM (" +
  'SELECT CASE WHEN c.relhassubclass THEN ARRAY(WITH RECURSIVE child(oid) AS (SELECT i.inhrelid ' +
  'FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid UNION SELECT i.inhrelid FROM child p ' +
  "JOIN pg_catalog.pg_inherits i ON i.inhparent = p.oid) SELECT p.oid FROM child p) ELSE '{}'::oid[] END AS children) x)";

/** Whether a relation `c` is a view that is read with the rights of its caller. */
const INVOKER =
  'EXISTS (SELECT FROM pg_catalog.pg_options_to_table(c.reloptions) o ' +
  "WHERE o.option_name = 'security_invoker' AND o.option_value::bool)";

const RELATIONS =
  "SELECT pg_catalog.json_agg(pg_catalog.json_build_object('oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname, " +
  "'kind', c.relkind, 'owner', c.relowner::int8, 'rules', c.relhasrules, " +
  `'invoker', ${INVOKER}, ` +
  `'columns', COALESCE((${COLUMNS}), '[]'))) ` +
  'FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace ' +
  `CROSS JOIN LATERAL ${DESCENDANTS} d WHERE ${isIn('c.oid', '$1', RELATION_FIELDS)}`;

const FUNCTIONS =
  "SELECT pg_catalog.json_agg(pg_catalog.json_build_object('oid', p.oid::int8, 'schema', n.nspname, 'name', p.proname, " +
  `'arguments', ${asScriptsSee('pg_catalog.pg_get_function_identity_arguments(p.oid)')}, ` +
  "'kind', p.prokind, 'volatility', p.provolatile, 'source', p.prosrc, " +
  `'builtIn', p.oid < ${FIRST_NORMAL} AND n.nspname = 'pg_catalog')) ` +
  'FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace ' +
  `WHERE ${isIn('p.oid', '$2', FUNCTION_FIELDS)}`;

const OPERATORS =
  "SELECT pg_catalog.json_agg(pg_catalog.json_build_object('oid', o.oid::int8, 'name', o.oprname)) " +
  `FROM pg_catalog.pg_operator o WHERE o.oid < ${FIRST_NORMAL} AND ${isIn('o.oid', '$3', OPERATOR_FIELDS)}`;

const VIEWS =
  "SELECT pg_catalog.json_agg(pg_catalog.json_build_object('oid', v.oid::int8, 'tree', v.tree)) FROM views v";

const OBJECTS =
  "SELECT pg_catalog.json_agg(pg_catalog.json_build_object('reference', r.reference, 'type', i.type, 'identity', i.identity)) " +
  'FROM pg_catalog.unnest($4::pg_catalog.text[]) r(reference), ' +
  "LATERAL pg_catalog.string_to_array(r.reference, ' ') p(part), " +
  'LATERAL pg_catalog.pg_identify_object(part[1]::pg_catalog.oid, part[2]::pg_catalog.oid, part[3]::pg_catalog.int4) i ' +
  'WHERE i.identity IS NOT NULL';

/**
 * CATALOG_FACTS reads facts as one JSON text. $1: OIDs of relations, $2 of functions, $3 of operators; $4: references to
 * objects, each the numbers classid, objid and objsubid as in pg_depend. Its estimated cost is far below `jit_above_cost`.
 */
export const CATALOG_FACTS =
  'WITH RECURSIVE views(oid, tree) AS (SELECT r.ev_class, r.ev_action::text FROM pg_catalog.pg_rewrite r, pg_catalog.pg_class c ' +
  "WHERE r.ev_class = ANY ($1::pg_catalog.oid[]) AND r.ev_type = '1' AND c.oid = r.ev_class AND c.relkind = 'v' UNION " +
  'SELECT r.ev_class, r.ev_action::text FROM views v, pg_catalog.pg_rewrite r, pg_catalog.pg_class c ' +
  `WHERE r.ev_class = ANY (${oidsBehind(RELATION_FIELDS, 'v.tree')}) AND r.ev_type = '1' ` +
  "AND c.oid = r.ev_class AND c.relkind = 'v') " +
  `SELECT pg_catalog.json_build_object('views', (${VIEWS}), 'relations', (${RELATIONS}), ` +
  `'functions', (${FUNCTIONS}), 'operators', (${OPERATORS}), 'objects', (${OBJECTS}))`;

/** readFacts reads the result of CATALOG_FACTS. */
export function readFacts(json: string): CatalogFacts {
  const { views, relations, functions, operators, objects } = JSON.parse(json) as CatalogRows;
  return {
    views: new Map(views?.map(({ oid, tree }) => [oid, tree])),
    relations: byOid(relations),
    functions: byOid(functions),
    operators: new Map(operators?.map(({ oid, name }) => [oid, name])),
    objects: new Map(
      objects?.map(({ reference, type, identity }) => [reference, { type, identity }]),
    ),
  };
}

/** The OIDs in the trees of statements or views. */
export interface TreeOids {
  readonly relations: ReadonlySet<number>;
  readonly functions: ReadonlySet<number>;
  readonly operators: ReadonlySet<number>;
}

/** oidsIn collects the OIDs of a tree. Identifiers cannot look like fields, because their spaces are escaped. */
export function oidsIn(tree: string): TreeOids {
  const all = (fields: string): ReadonlySet<number> =>
    new Set(
      [...tree.matchAll(new RegExp(`:(?:${fields}) (\\d+)`, 'g'))].map(([, oid]) => Number(oid)),
    );
  return {
    relations: all(RELATION_FIELDS),
    functions: all(FUNCTION_FIELDS),
    operators: all(OPERATOR_FIELDS),
  };
}

function byOid<Row extends { readonly oid: number }>(
  rows: readonly Row[] | null,
): ReadonlyMap<number, Row> {
  return new Map(rows?.map((row) => [row.oid, row]));
}
