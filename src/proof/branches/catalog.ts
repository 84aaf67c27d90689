/** What a proof needs from PostgreSQL's catalogs: names of tables to try, types, and which roles exist. */
import { asScriptsSee } from '../../postgres/statement/identity.js';
import { rowsOf, type Queryable } from '../../postgres/statement/queryable.js';
import { arrayLiteral } from '../../base/quote.js';

/** Most tables that are tried where a script lets the caller name one. */
const MOST_TABLES = 5;

/** Tables and views that a statement can name without a schema. */
const TABLES = `SELECT c.relname FROM pg_catalog.pg_class c
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relnamespace <> 'pg_catalog'::pg_catalog.regnamespace
  AND ${asScriptsSee('pg_catalog.pg_table_is_visible(c.oid)')}
ORDER BY c.relkind <> 'r', c.relname LIMIT ${MOST_TABLES}`;

/** With the labels of an enum, or of the enum that an array is of, as a JSON list. */
const TYPES = `SELECT o.oid, ${asScriptsSee('pg_catalog.format_type(o.oid, NULL)')}, (
  SELECT pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e
  WHERE e.enumtypid = COALESCE(NULLIF(t.typelem, 0), t.oid))
FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS o(oid) LEFT JOIN pg_catalog.pg_type t ON t.oid = o.oid`;

const MISSING = `SELECT name FROM pg_catalog.unnest($1::pg_catalog.text[]) AS name
WHERE name NOT IN (SELECT rolname FROM pg_catalog.pg_roles)`;

/** tablesOf lists a few tables of a database; rejects with StatementFailure. */
export async function tablesOf(database: Queryable): Promise<readonly string[]> {
  return (await rowsOf(database, TABLES)).map(([name]) => name!);
}

export interface SqlType {
  /** As in SQL. */
  readonly name: string;
  /** Those of an enum, or of the enum that an array is of, in their order. */
  readonly labels?: readonly string[];
}

/** sqlTypes looks types up by OID; rejects with StatementFailure. */
export async function sqlTypes(
  database: Queryable,
  types: ReadonlySet<number>,
): Promise<ReadonlyMap<number, SqlType>> {
  if (types.size === 0) return new Map();
  const rows = await rowsOf(database, TYPES, [arrayLiteral([...types].map(String))]);
  return new Map(
    rows.map(([oid, name, labels]) => {
      const type = labels == null ? {} : { labels: JSON.parse(labels) as string[] };
      return [Number(oid), { name: name!, ...type }];
    }),
  );
}

/** missingRoles gives the roles that do not exist; rejects with StatementFailure. */
export async function missingRoles(
  database: Queryable,
  roles: readonly string[],
): Promise<readonly string[]> {
  return (await rowsOf(database, MISSING, [arrayLiteral(roles)])).map(([name]) => name!);
}
