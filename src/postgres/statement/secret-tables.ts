/**
 * The relations that hold rows of tables that are never shown: users, stored scripts, their history. Such a table may be a
 * view, a partitioned table or a parent, whose rows are in other relations, and further ones may hold copies. PostgreSQL's
 * catalogs list these for every role alike, but not what functions read or what was copied by hand.
 */
import { arrayLiteral } from '../../base/quote.js';
import type { Statement } from './job.js';
import type { ScriptsTable } from '../../messages/database-settings.js';

/**
 * The relation to secret tables: it is one of them (named), it holds their rows (source: below a view, or inherited), it
 * shows them as a parent or stores them as a materialized view (copy), or it is a view that reads them (view).
 */
export type Secrecy = 'named' | 'source' | 'copy' | 'view';

export type SecretRow = readonly [id: string, schema: string, name: string, secrecy: Secrecy];

// Rules of tables (ON INSERT …) are not followed: they do not show rows.
const SELECTS = "w.ev_type = '1'";
const READS =
  "d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass";

/**
 * SECRET lists the relations that hold or show rows of the tables with the schemas `$1` and the names `$2`. Views over them
 * are listed too, but their privileges decide whether they are shown. The steps go down to sources, and up from these. One walk
 * for both, and the array, keep PostgreSQL's estimate of the cost far below `jit_above_cost`.
 */
export const SECRET: Statement = {
  sql:
    'WITH RECURSIVE named(oid) AS (SELECT c.oid ' +
    'FROM ROWS FROM (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) s(schema, name) ' +
    'JOIN pg_catalog.pg_namespace n ON n.nspname = s.schema ' +
    'JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = s.name), ' +
    'step(oid, up) AS (SELECT oid, false FROM named UNION SELECT r.oid, r.up FROM step s CROSS JOIN LATERAL (' +
    'SELECT i.inhrelid AS oid, false AS up FROM pg_catalog.pg_inherits i WHERE i.inhparent = s.oid AND NOT s.up UNION ALL ' +
    'SELECT d.refobjid, false FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_depend d ON d.objid = w.oid ' +
    `WHERE w.ev_class = s.oid AND ${SELECTS} AND ${READS} AND NOT s.up UNION ALL ` +
    'SELECT i.inhparent, true FROM pg_catalog.pg_inherits i WHERE i.inhrelid = s.oid UNION ALL ' +
    'SELECT w.ev_class, true FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite w ON w.oid = d.objid ' +
    `WHERE d.refobjid = s.oid AND ${SELECTS} AND ${READS}) r) ` +
    'SELECT c.oid, n.nspname, c.relname, CASE WHEN c.oid IN (SELECT oid FROM named) THEN ' +
    "'named' WHEN c.oid IN (SELECT oid FROM step WHERE NOT up) THEN 'source' WHEN c.relkind = 'v' THEN 'view' ELSE 'copy' END " +
    'FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace ' +
    'WHERE c.oid = ANY (ARRAY(SELECT oid FROM step)) ORDER BY n.nspname, c.relname',
  recurs: true,
};

export function secretValues(tables: readonly ScriptsTable[]): [schemas: string, names: string] {
  return [
    arrayLiteral(tables.map(({ schema }) => schema)),
    arrayLiteral(tables.map(({ table }) => table)),
  ];
}
