/**
 * A version of a database's catalogs that changes with every definition that a statement may depend on: of relations,
 * columns, constraints, views, types, functions, operators, casts, members of roles and schemas. Objects of PostgreSQL itself do not count.
 */
import { rowsOf, type Queryable } from '../pg/queryable.js';

/** Catalogs, with a column that an index begins with. */
const CATALOGS: readonly (readonly [catalog: string, column: string])[] = [
  ['pg_class', 'oid'],
  ['pg_attribute', 'attrelid'],
  ['pg_constraint', 'oid'],
  ['pg_rewrite', 'oid'],
  ['pg_type', 'oid'],
  ['pg_enum', 'oid'],
  ['pg_proc', 'oid'],
  ['pg_operator', 'oid'],
  ['pg_cast', 'oid'],
  ['pg_auth_members', 'member'],
];

/** The first OID of objects that are not PostgreSQL's own; of those only the schema `public` is likely to be changed. */
const FIRST_OWN = 16_384;

/**
 * A change gives a row the number of its transaction, and transactions may end in another order than they began: with the
 * sum none is missed.
 */
const VERSION_OF_ROWS = `pg_catalog.concat(pg_catalog.count(*), '/', pg_catalog.sum(xmin::pg_catalog.text::pg_catalog.int8))`;

const VERSIONS = CATALOGS.map(
  ([catalog, column]) =>
    `(SELECT ${VERSION_OF_ROWS} FROM pg_catalog.${catalog} WHERE ${column} >= ${FIRST_OWN})`,
);

const STATEMENT = `SELECT ${VERSIONS.join(',\n')},
(SELECT ${VERSION_OF_ROWS} FROM pg_catalog.pg_namespace)`;

/** catalogVersion rejects with StatementFailure. */
export async function catalogVersion(database: Queryable): Promise<string> {
  const [versions] = await rowsOf(database, STATEMENT);
  return versions!.join(' ');
}
