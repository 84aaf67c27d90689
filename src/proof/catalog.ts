/** What a proof needs from PostgreSQL's catalogs: names of tables to try, the names of types, and which roles exist. */
import { rowsOf, type Queryable } from '../pg/queryable.js';
import { arrayLiteral } from '../quote.js';

/** Most tables that are tried where a script lets the caller name one. */
const MOST_TABLES = 5;

/** Tables and views that a statement can name without a schema. */
const TABLES = `SELECT c.relname FROM pg_catalog.pg_class c
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relnamespace <> 'pg_catalog'::pg_catalog.regnamespace
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY c.relkind <> 'r', c.relname LIMIT ${MOST_TABLES}`;

const TYPES = `SELECT oid, pg_catalog.format_type(oid, NULL)
FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS oid`;

const MISSING = `SELECT name FROM pg_catalog.unnest($1::pg_catalog.text[]) AS name
WHERE name NOT IN (SELECT rolname FROM pg_catalog.pg_roles)`;

/** tablesOf lists a few tables of a database; rejects with StatementFailure. */
export async function tablesOf(database: Queryable): Promise<readonly string[]> {
  return (await rowsOf(database, TABLES)).map(([name]) => name!);
}

/** typeNames gives the names of types as in SQL, by OID; rejects with StatementFailure. */
export async function typeNames(
  database: Queryable,
  types: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  if (types.size === 0) return new Map();
  const rows = await rowsOf(database, TYPES, [arrayLiteral([...types].map(String))]);
  return new Map(rows.map(([oid, name]) => [Number(oid), name!]));
}

/** missingRoles gives those of the roles that do not exist; rejects with StatementFailure. */
export async function missingRoles(
  database: Queryable,
  roles: readonly string[],
): Promise<readonly string[]> {
  return (await rowsOf(database, MISSING, [arrayLiteral(roles)])).map(([name]) => name!);
}
