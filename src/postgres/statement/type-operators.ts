/**
 * The schema with the operators of a type. An operator that is named without it may be one that another user has created in a
 * schema of the search path; with `pg_catalog` alone, a type of an extension would be compared as another type. Only
 * superusers create operator classes.
 */

/**
 * operatorSchema is SQL for the schema of the operators of the type `t`, a row of pg_type: of its operator class for B-trees,
 * else for hashes. NULL for pg_catalog, which has the operators of enums, arrays, ranges and composite types too.
 */
export function operatorSchema(t: string): string {
  return (
    `CASE WHEN ${t}.typtype = 'b' AND ${t}.typnamespace <> 'pg_catalog'::regnamespace THEN (SELECT s.nspname ` +
    'FROM pg_catalog.pg_opclass k JOIN pg_catalog.pg_am m ON m.oid = k.opcmethod JOIN pg_catalog.pg_amop p ' +
    'ON p.amopfamily = k.opcfamily AND p.amoplefttype = k.opcintype AND p.amoprighttype = k.opcintype ' +
    "AND p.amopstrategy = CASE m.amname WHEN 'btree' THEN 3 ELSE 1 END JOIN pg_catalog.pg_operator o ON o.oid = p.amopopr " +
    'JOIN pg_catalog.pg_namespace s ON s.oid = o.oprnamespace ' +
    `WHERE k.opcintype = ${t}.oid AND k.opcdefault AND m.amname IN ('btree', 'hash') ORDER BY m.amname LIMIT 1) END`
  );
}
