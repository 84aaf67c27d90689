/**
 * Versions of a database's catalogs, which change with every definition that a statement may depend on. The one of what has
 * a name in statements (relations with their columns, constraints and rules; functions) is apart from the general one (types,
 * operators, casts, schemas, members of roles, the user and the search path), which concerns all of them. Temporary objects
 * and PostgreSQL's own do not count. Another engine has one version: nothing is proved on it.
 */
import { SEARCH_PATH_OF_SCRIPTS } from '../../postgres/statement/identity.js';
import {
  rowsOf,
  type Queryable,
  type ServiceDatabase,
} from '../../postgres/statement/queryable.js';

export interface CatalogVersion {
  readonly general: string;
  readonly named: string;
}

/** The first OID of objects that are not PostgreSQL's own; of those only the schema `public` is likely to be changed. */
export const FIRST_OWN = 16_384;

/** The condition for a schema of temporary objects. */
export const IS_TEMPORARY = `nspname OPERATOR(pg_catalog.~) '^pg_(toast_)?temp_'`;

/** The schemas of temporary objects, and the relations in them. */
const TEMPORARY = `ARRAY(SELECT oid FROM pg_catalog.pg_namespace WHERE ${IS_TEMPORARY})`;
const TEMPORARY_RELATIONS = `(SELECT oid FROM pg_catalog.pg_class WHERE relpersistence = 't')`;

const TEMPORARY_TYPES = `(SELECT oid FROM pg_catalog.pg_type WHERE typnamespace = ANY (${TEMPORARY}))`;

/**
 * A change gives a row the number of its transaction, and transactions may end in another order than they began: with the
 * sum none is missed.
 */
const VERSION_OF_ROWS = `pg_catalog.concat(pg_catalog.count(*), '/', pg_catalog.sum(xmin::pg_catalog.text::pg_catalog.int8))`;

function versionOf(catalog: string, condition: string): string {
  return `(SELECT ${VERSION_OF_ROWS} FROM pg_catalog.${catalog} WHERE ${condition})`;
}

const NAMED = [
  versionOf('pg_class', `oid >= ${FIRST_OWN} AND relpersistence <> 't'`),
  versionOf('pg_attribute', `attrelid >= ${FIRST_OWN} AND attrelid NOT IN ${TEMPORARY_RELATIONS}`),
  versionOf(
    'pg_constraint',
    `oid >= ${FIRST_OWN} AND conrelid <> 0 AND connamespace <> ALL (${TEMPORARY})`,
  ),
  versionOf('pg_rewrite', `oid >= ${FIRST_OWN} AND ev_class NOT IN ${TEMPORARY_RELATIONS}`),
  versionOf('pg_proc', `oid >= ${FIRST_OWN} AND pronamespace <> ALL (${TEMPORARY})`),
];

/** The types of relations and of arrays come and go with others. */
const OWN_TYPE = `typrelid = 0 AND NOT (typtype = 'b' AND typcategory = 'A')`;

const GENERAL = [
  versionOf(
    'pg_type',
    `oid >= ${FIRST_OWN} AND ${OWN_TYPE} AND typnamespace <> ALL (${TEMPORARY})`,
  ),
  versionOf(
    'pg_constraint',
    `oid >= ${FIRST_OWN} AND contypid <> 0 AND connamespace <> ALL (${TEMPORARY})`,
  ),
  versionOf('pg_enum', `oid >= ${FIRST_OWN} AND enumtypid NOT IN ${TEMPORARY_TYPES}`),
  versionOf('pg_operator', `oid >= ${FIRST_OWN}`),
  versionOf('pg_cast', `oid >= ${FIRST_OWN}`),
  versionOf('pg_collation', `oid >= ${FIRST_OWN}`),
  versionOf('pg_namespace', `NOT ${IS_TEMPORARY}`),
  versionOf('pg_auth_members', `member >= ${FIRST_OWN}`),
  `(SELECT pg_catalog.concat_ws('/', oid, datname) FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())`,
  'CURRENT_USER',
  SEARCH_PATH_OF_SCRIPTS,
  `pg_catalog.current_setting('server_version_num')`,
];

const STATEMENT = `SELECT pg_catalog.concat_ws(' ', ${GENERAL.join(',\n')}),
pg_catalog.concat_ws(' ', ${NAMED.join(',\n')})`;

/** catalogVersion reads the versions through `catalogs`, a connection to `database`. Rejects with StatementFailure. */
export async function catalogVersion(
  database: Pick<ServiceDatabase, 'engine' | 'query'>,
  catalogs: Queryable = database,
): Promise<CatalogVersion> {
  const { isPostgres, title } = await database.engine();
  if (!isPostgres) return { general: title, named: '' };
  const [row] = await rowsOf(catalogs, STATEMENT);
  const [general, named] = row!;
  return { general: general!, named: named! };
}
