/**
 * Queries of PostgreSQL's system catalogs. They run under the role that reads the tables, so PostgreSQL decides what is
 * visible. Changes are detected by row versions (`xmin`), so none is missed, whatever its origin. They wait for no
 * lock: for a table under an AccessExclusiveLock, properties that need a lock are left out, and the row is marked.
 */
import type { Statement } from '../pg/job.js';

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
);

/**
 * DIGEST returns three texts: the snapshot id of the database, NULL on a replica; the version of the objects that
 * tables share (schemas, types, roles); the version of the tables. Both versions are NULL if the snapshot id equals
 * `$1`, because then nothing has changed.
 */
export const DIGEST: Statement = {
  sql:
    `WITH relation AS (SELECT c.oid, c.xmin::text::bigint AS version FROM ${CLASSES} WHERE ${RELATIONS}) ` +
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

// As in information_schema.columns; of foreign tables only if their wrapper has a handler.
const UPDATABLE =
  "c.relkind IN ('r', 'p') OR c.relkind IN ('v', 'f') AND NOT k.locked AND " +
  "(c.relkind = 'v' OR EXISTS (SELECT FROM pg_catalog.pg_foreign_table f " +
  'JOIN pg_catalog.pg_foreign_server s ON s.oid = f.ftserver ' +
  'JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid = s.srvfdw WHERE f.ftrelid = c.oid AND w.fdwhandler <> 0)) ' +
  'AND pg_catalog.pg_column_is_updatable(c.oid, a.attnum, false)';

const DEFAULT =
  "CASE WHEN a.atthasdef AND a.attgenerated = '' AND NOT k.locked THEN " +
  '(SELECT pg_catalog.pg_get_expr(f.adbin, f.adrelid) FROM pg_catalog.pg_attrdef f ' +
  'WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum) END';

/** Most characters of a comment. */
const LONGEST_COMMENT = 2_000;

/** The values of a column, in the order of ColumnRow (loaded-table.ts). */
const COLUMN = [
  'a.attname',
  'pg_catalog.format_type(a.atttypid, a.atttypmod)',
  't.oid::bigint',
  't.typtype',
  't.typcategory',
  'CASE WHEN a.atttypmod < 0 THEN coalesce(d.modifier, -1) ELSE a.atttypmod END',
  LABELS,
  'a.attnum',
  'NOT (a.attnotnull OR coalesce(d.required, false))',
  "a.attgenerated <> ''",
  UPDATABLE,
  DEFAULT,
  `pg_catalog.left(pg_catalog.col_description(c.oid, a.attnum), ${LONGEST_COMMENT})`,
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

/**
 * READ returns the tables with the OIDs `$1`: OID, whether it is locked, schema, name, kind, owner, comment, keys and
 * columns, both as JSON.
 */
export const READ: Statement = {
  sql:
    `WITH ${DOMAINS}, ${LOCKED} SELECT c.oid, k.locked, n.nspname, c.relname, c.relkind, ` +
    'pg_catalog.pg_get_userbyid(c.relowner), ' +
    `pg_catalog.left(pg_catalog.obj_description(c.oid, 'pg_class'), ${LONGEST_COMMENT}), ` +
    `${KEYS}, (${COLUMNS}) FROM ${CLASSES} CROSS JOIN LATERAL ` +
    '(SELECT c.oid IN (SELECT l.relation FROM locked l WHERE l.relation IS NOT NULL) AS locked, ' +
    "pg_catalog.has_table_privilege(c.oid, 'SELECT') AS whole) k " +
    `WHERE c.oid = ANY ($1::oid[]) AND ${VISIBLE}`,
  recurs: true,
};
