/**
 * Queries of PostgreSQL's system catalogs. They run under the role that reads the tables, so PostgreSQL decides what is
 * visible. Changes are detected by row versions (`xmin`), so none is missed, whatever its origin. They wait for no
 * lock: for a table under an AccessExclusiveLock, properties that need a lock are left out, and the row is marked.
 */
import { asScriptsSee } from '../../postgres/statement/identity.js';
import type { Statement } from '../../postgres/statement/job.js';
import { typeOperators } from '../../postgres/statement/type-operators.js';

const OURS = "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'";
const RELATIONS = `c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${OURS}`;
const READABLE =
  "pg_catalog.has_table_privilege(c.oid, 'SELECT') OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT')";
const VISIBLE = `${RELATIONS} AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND (${READABLE})`;
const CLASSES = 'pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace';

/** SQL for the version of all rows of a catalog that meet a condition, with their count. */
function digest(catalog: string, key: string, condition: string): string {
  return (
    `(SELECT pg_catalog.concat(count(*), ' ', sum(pg_catalog.hashint8extended(${key}::bigint << 32 | x.xmin::text::bigint, 0))) ` +
    `FROM pg_catalog.${catalog} x WHERE ${condition})`
  );
}

/** The same without the count, for the rows of one table. */
function version(catalog: string, key: string, condition: string): string {
  return (
    `(SELECT sum(pg_catalog.hashint8extended(${key}::bigint << 32 | x.xmin::text::bigint, 0)) ` +
    `FROM pg_catalog.${catalog} x WHERE ${condition})`
  );
}

function list(...texts: string[]): string {
  return `pg_catalog.concat_ws(';', ${texts.join(', ')})`;
}

/**
 * SQL for the estimated rows of a relation, rounded to two digits, so that not each ANALYZE changes a table. NULL when
 * they are not known, or not for everybody to know: with row-level security, a caller may read some of them only.
 */
function estimate(relation: string): string {
  const rows = `${relation}.reltuples`;
  return (
    `CASE WHEN ${relation}.relkind IN ('r', 'm') AND NOT ${relation}.relrowsecurity AND ${rows} > 0 THEN CASE WHEN ${rows} < 100 ` +
    `THEN ${rows}::bigint ELSE pg_catalog.round(${rows}::numeric, 1 - pg_catalog.floor(pg_catalog.log(${rows}::numeric))::int)::bigint END END`
  );
}

// Of a partitioned table, the sum over its partitions at any depth.
const ESTIMATE =
  `CASE WHEN c.relkind <> 'p' THEN ${estimate('c')} WHEN NOT c.relrowsecurity THEN (WITH RECURSIVE part(id) AS (SELECT c.oid ` +
  'UNION ALL SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN part p ON p.id = i.inhparent) ' +
  `SELECT sum(${estimate('l')})::bigint FROM part p JOIN pg_catalog.pg_class l ON l.oid = p.id) END`;

const OF_TABLE = "x.classoid = 'pg_catalog.pg_class'::regclass AND x.objoid";
const AMONG = 'IN (SELECT r.oid FROM relation r)';

// Row types and array types are left out: they change with each table.
const SHARED = list(
  digest('pg_namespace', 'x.oid', "x.nspname !~ '^pg_'"),
  digest('pg_type', 'x.oid', "x.typtype <> 'c' AND x.typcategory <> 'A'"),
  digest('pg_enum', 'x.oid', 'true'),
  digest('pg_auth_members', 'x.roleid', 'true'),
  '(SELECT sum(pg_catalog.hashtextextended(x.rolname::text, x.oid::bigint * 4 + x.rolsuper::int * 2 + x.rolinherit::int)) FROM pg_catalog.pg_roles x)',
);

const TABLES = list(
  "(SELECT pg_catalog.concat(count(*), ' ', sum(pg_catalog.hashint8extended(r.oid::bigint << 32 | r.version, 0))) FROM relation r)",
  digest('pg_attribute', 'x.attrelid', `x.attnum > 0 AND x.attrelid ${AMONG}`),
  digest('pg_attrdef', 'x.adrelid', `x.adrelid ${AMONG}`),
  digest('pg_description', 'x.objoid', `${OF_TABLE} ${AMONG}`),
  digest('pg_rewrite', 'x.ev_class', `x.ev_class ${AMONG}`),
  digest('pg_constraint', 'x.conrelid', `x.conrelid ${AMONG}`),
  digest('pg_index', 'x.indexrelid', `x.indrelid ${AMONG}`),
  digest('pg_inherits', 'x.inhrelid', `x.inhrelid ${AMONG}`),
);

/**
 * DIGEST returns three texts: the snapshot id of the database, NULL on a replica; the version of the objects that
 * tables share (schemas, types, roles); the version of the tables. Both versions are NULL if the snapshot id equals
 * `$1`, because then nothing has changed.
 */
export const DIGEST: Statement = {
  sql:
    `WITH relation AS (SELECT c.oid, c.xmin::text::bigint # (coalesce(${estimate('c')}, 0) << 20) AS version FROM ${CLASSES} WHERE ${RELATIONS}) ` +
    `SELECT m.id, CASE WHEN m.id IS DISTINCT FROM $1::text THEN ${SHARED} END, ` +
    `CASE WHEN m.id IS DISTINCT FROM $1::text THEN ${TABLES} END ` +
    'FROM (SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN ' +
    "pg_catalog.concat(pg_catalog.pg_postmaster_start_time(), ' ', pg_catalog.txid_current_snapshot()) END AS id) m",
  recurs: true,
};

/** LIST returns at most `$2` tables with an OID above `$1`, ordered by OID: OID, number of columns, version. */
export const LIST: Statement = {
  sql: `SELECT c.oid, c.relnatts, ${list(
    'c.xmin',
    version('pg_attribute', 'x.attnum', 'x.attrelid = c.oid AND x.attnum > 0'),
    version('pg_attrdef', 'x.adnum', 'x.adrelid = c.oid'),
    version('pg_description', 'x.objsubid', `${OF_TABLE} = c.oid`),
    version('pg_rewrite', 'x.oid', 'x.ev_class = c.oid'),
    version('pg_constraint', 'x.oid', 'x.conrelid = c.oid'),
    version('pg_index', 'x.indexrelid', 'x.indrelid = c.oid'),
    version('pg_inherits', 'x.inhparent', 'x.inhrelid = c.oid'),
    ESTIMATE,
  )} FROM ${CLASSES} WHERE c.oid > $1::oid AND ${VISIBLE} ORDER BY c.oid LIMIT $2::int`,
  recurs: true,
};

const DOMAINS =
  'RECURSIVE step(oid, base, modifier, required) AS (' +
  "SELECT t.oid, t.typbasetype, t.typtypmod, t.typnotnull FROM pg_catalog.pg_type t WHERE t.typtype = 'd' UNION ALL " +
  'SELECT s.oid, t.typbasetype, CASE WHEN s.modifier < 0 THEN t.typtypmod ELSE s.modifier END, s.required OR t.typnotnull ' +
  "FROM step s JOIN pg_catalog.pg_type t ON t.oid = s.base AND t.typtype = 'd'), " +
  'domain AS MATERIALIZED (SELECT s.* FROM step s JOIN pg_catalog.pg_type t ON t.oid = s.base ' +
  "AND t.typtype <> 'd')";

const LOCKED =
  "locked AS MATERIALIZED (SELECT l.relation FROM pg_catalog.pg_locks l WHERE l.locktype = 'relation' " +
  "AND l.mode = 'AccessExclusiveLock' AND l.database = " +
  '(SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()))';

/** Labels of larger enumerations are left out. */
const MOST_LABELS = 100;

const LABELS =
  "CASE WHEN t.typtype = 'e' THEN (SELECT CASE WHEN count(*) <= " +
  `${MOST_LABELS} THEN pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder) END ` +
  'FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid) END';

// The expression of a generated column is shown only to callers who may read all columns in it.
const EXPRESSION =
  'CASE WHEN a.atthasdef AND NOT k.locked THEN (SELECT ' +
  `${asScriptsSee('pg_catalog.pg_get_expr(f.adbin, f.adrelid)')} ` +
  'FROM pg_catalog.pg_attrdef f WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum) END';

const EXPRESSION_COLUMNS =
  "CASE WHEN a.attgenerated <> '' THEN (SELECT pg_catalog.json_agg(x.refobjsubid) FROM pg_catalog.pg_depend x " +
  'JOIN pg_catalog.pg_attrdef f ON f.adrelid = c.oid AND f.adnum = a.attnum ' +
  "WHERE x.refclassid = 'pg_catalog.pg_class'::regclass AND x.refobjid = c.oid AND x.refobjsubid <> a.attnum " +
  "AND (x.classid = 'pg_catalog.pg_attrdef'::regclass AND x.objid = f.oid " +
  "OR x.classid = 'pg_catalog.pg_class'::regclass AND x.objid = c.oid AND x.objsubid = a.attnum)) END";

/** Most characters of a comment. */
const LONGEST_COMMENT = 2_000;

/** The values of a column, in the order of ColumnRow (loaded-table.ts). */
const COLUMN = [
  'a.attname',
  asScriptsSee('pg_catalog.format_type(a.atttypid, a.atttypmod)'),
  't.oid::bigint',
  't.typtype',
  't.typcategory',
  'CASE WHEN a.atttypmod < 0 THEN coalesce(d.modifier, -1) ELSE a.atttypmod END',
  LABELS,
  'a.attnum',
  'NOT (a.attnotnull OR coalesce(d.required, false))',
  'a.attidentity',
  "a.attgenerated <> ''",
  EXPRESSION,
  EXPRESSION_COLUMNS,
  `pg_catalog.left(pg_catalog.col_description(c.oid, a.attnum), ${LONGEST_COMMENT})`,
  typeOperators('t'),
].join(', ');

const COLUMNS =
  `SELECT pg_catalog.json_agg(pg_catalog.json_build_array(${COLUMN}) ORDER BY a.attnum) ` +
  'FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type o ON o.oid = a.atttypid ' +
  "LEFT JOIN LATERAL (SELECT * FROM domain m WHERE o.typtype = 'd' AND m.oid = o.oid) d ON true " +
  'JOIN pg_catalog.pg_type t ON t.oid = coalesce(d.base, o.oid) ' +
  'WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ' +
  "AND (k.whole OR pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT'))";

// A foreign key that references a partitioned table has a copy for each partition, with the same referencing table.
const FOREIGN_KEYS =
  'SELECT pg_catalog.json_agg(pg_catalog.json_build_array(x.conkey, x.confrelid, x.confkey, x.conparentid <> 0) ORDER BY x.conname, x.oid) ' +
  'FROM pg_catalog.pg_constraint x LEFT JOIN pg_catalog.pg_constraint p ON p.oid = x.conparentid ' +
  "WHERE x.conrelid = c.oid AND x.contype = 'f' AND p.conrelid IS DISTINCT FROM c.oid";

/** The keys of a table, in the order of KeysRow (loaded-table.ts). */
const KEYS =
  'pg_catalog.json_build_array((SELECT x.conkey FROM pg_catalog.pg_constraint x ' +
  `WHERE x.conrelid = c.oid AND x.contype = 'p'), (${FOREIGN_KEYS}))`;

// Expressions and conditions of an index depend on their columns, also on those that the index does not have.
const INDEXES =
  'SELECT pg_catalog.json_agg(pg_catalog.json_build_array(x.indisunique, x.indisprimary, ' +
  '(SELECT pg_catalog.json_agg(CASE WHEN u.at <> 0 THEN pg_catalog.to_json(u.at) ' +
  'WHEN k.locked THEN NULL ELSE ' +
  `pg_catalog.to_json(${asScriptsSee('pg_catalog.pg_get_indexdef(x.indexrelid, u.i::int, true)')}) END ORDER BY u.i) ` +
  'FROM pg_catalog.unnest(x.indkey::int2[]) WITH ORDINALITY u(at, i) WHERE u.i <= x.indnkeyatts), ' +
  `CASE WHEN x.indpred IS NOT NULL AND NOT k.locked THEN ${asScriptsSee('pg_catalog.pg_get_expr(x.indpred, x.indrelid, true)')} END, ` +
  'x.indpred IS NOT NULL, ' +
  "(SELECT pg_catalog.json_agg(DISTINCT y.refobjsubid) FROM pg_catalog.pg_depend y WHERE y.classid = 'pg_catalog.pg_class'::regclass " +
  "AND y.objid = x.indexrelid AND y.refclassid = 'pg_catalog.pg_class'::regclass AND y.refobjid = c.oid AND y.refobjsubid > 0)) " +
  'ORDER BY x.indisprimary DESC, i.relname) ' +
  'FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = c.oid AND x.indisvalid AND x.indislive';

const CHECKS =
  `SELECT pg_catalog.json_agg(pg_catalog.json_build_array(${asScriptsSee('pg_catalog.pg_get_expr(x.conbin, x.conrelid, true)')}, x.conkey) ORDER BY x.conname) ` +
  "FROM pg_catalog.pg_constraint x WHERE x.conrelid = c.oid AND x.contype = 'c' AND NOT k.locked";

/** More about a table, in the order of FactsRow (loaded-table.ts). */
const FACTS = `pg_catalog.json_build_array((${INDEXES}), (${CHECKS}))`;

const PARENT =
  '(SELECT i.inhparent FROM pg_catalog.pg_inherits i WHERE c.relispartition AND i.inhrelid = c.oid LIMIT 1)';

/**
 * READ returns the tables with the OIDs `$1`: OID, whether it is locked, schema, name, kind, owner, comment, for a
 * partition the OID of its table, estimated rows, and as JSON more about it, its keys and its columns.
 */
export const READ: Statement = {
  sql:
    `WITH ${DOMAINS}, ${LOCKED} SELECT c.oid, k.locked, n.nspname, c.relname, c.relkind, ` +
    'pg_catalog.pg_get_userbyid(c.relowner), ' +
    `pg_catalog.left(pg_catalog.obj_description(c.oid, 'pg_class'), ${LONGEST_COMMENT}), ` +
    `${PARENT}, ${ESTIMATE}, ${FACTS}, ${KEYS}, (${COLUMNS}) FROM ${CLASSES} CROSS JOIN LATERAL ` +
    '(SELECT c.oid IN (SELECT l.relation FROM locked l WHERE l.relation IS NOT NULL) AS locked, ' +
    "pg_catalog.has_table_privilege(c.oid, 'SELECT') AS whole) k " +
    `WHERE c.oid = ANY ($1::oid[]) AND ${VISIBLE}`,
  recurs: true,
};
