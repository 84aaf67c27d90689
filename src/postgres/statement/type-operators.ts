/**
 * The operators of a type that is not PostgreSQL's own. One that is named without its schema may be one that another user has
 * created in a schema of the search path; with `pg_catalog` alone, a type of an extension would be compared as another type.
 * In the schema of an extension others may create operators too, for domains over the type and for pairs of types: only the
 * operator for exactly this type on both sides cannot be created again, so both operands must have it.
 */
import { identifier } from '../../base/quote.js';

export interface TypeOperators {
  /** The type as SQL, to which both operands are cast. */
  readonly type: string;
  /** The schema of each operator. */
  readonly schemas: Readonly<Record<string, string>>;
}

/**
 * typeOperators is SQL for the TypeOperators of the type `t`, a row of pg_type and no domain, as JSON: those of its owner (only
 * superusers create base types), and of operator families, which only superusers create. NULL for PostgreSQL's own
 * types, and for enums, arrays, ranges and composite types, whose operators are in pg_catalog too.
 */
export function typeOperators(t: string): string {
  const known = 'EXISTS (SELECT FROM pg_catalog.pg_amop p WHERE p.amopopr = o.oid)';
  return (
    `CASE WHEN ${t}.typtype = 'b' AND ${t}.typcategory <> 'A' AND ${t}.typnamespace <> 'pg_catalog'::regnamespace THEN (SELECT ` +
    `pg_catalog.json_build_object('type', pg_catalog.format('%I.%I', (SELECT s.nspname FROM pg_catalog.pg_namespace s ` +
    `WHERE s.oid = ${t}.typnamespace), ${t}.typname), 'schemas', ` +
    `pg_catalog.json_object_agg(o.oprname, n.nspname ORDER BY ${known})) FROM pg_catalog.pg_operator o ` +
    'JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace ' +
    `WHERE o.oprleft = ${t}.oid AND o.oprright = ${t}.oid AND (o.oprowner = ${t}.typowner OR ${known}) HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0) END`
  );
}

/** ofType is an operand as SQL, as the operators want it: a column of a domain is cast to the type below. */
export function ofType(operand: string, operators: TypeOperators | undefined): string {
  return operators === undefined ? operand : `${operand}::${operators.type}`;
}

/** operatorSql names an operator for two such operands; without `operators`, or where they lack it, PostgreSQL's own. */
export function operatorSql(symbol: string, operators?: TypeOperators): string {
  return `OPERATOR(${identifier(operators?.schemas[symbol] ?? 'pg_catalog')}.${symbol})`;
}
