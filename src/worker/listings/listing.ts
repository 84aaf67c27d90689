/**
 * The listings: what each selects from the catalog, and the columns that a request may name. Such a name never becomes
 * SQL: it is looked up here, and the SQL it stands for is written here. Columns without a plain value (access lists,
 * options, expressions) have no name.
 */
import { ServiceError } from '../../base/errors.js';

/** A listing: fixed SQL, except for the names that callers use. */
export interface Listing {
  readonly select: string;
  /** What `_count` selects; undefined if the listing cannot be counted. */
  readonly count: string | undefined;
  /** SELECT of the rows with all their columns, and their alias in all other SQL except `where` and `visible`. */
  readonly rows: string;
  readonly name: string;
  /** Conditions on `rows` that always hold. */
  readonly where: readonly string[];
  readonly order: string;
  /** The condition on `rows` that restricted access adds; undefined if nothing is hidden. */
  readonly visible: Visible | undefined;
  /** SQL of every column that filters and orders may name, by its name, with and without prefix. */
  readonly columns: ReadonlyMap<string, string>;
  /** The beginnings of pREST's error messages, for clients that look for them. */
  readonly filterError: string;
  readonly orderError: string;
}

/**
 * Writes the condition. `array` binds one of two arrays of the same length, the schemas and the names of the readable
 * tables, and returns its placeholder.
 */
export type Visible = (array: (of: 'schemas' | 'tables') => string) => string;

const DATABASE =
  'oid datname datdba encoding datlocprovider datistemplate datallowconn dathasloginevt datconnlimit datlastsysoid ' +
  'datfrozenxid datminmxid dattablespace datcollate datctype daticulocale datlocale daticurules datcollversion';

const SCHEMA =
  'catalog_name schema_name schema_owner default_character_set_catalog default_character_set_schema ' +
  'default_character_set_name sql_path';

const NAMESPACE = 'nspname nspowner';

const CLASS =
  'oid relname relnamespace reltype reloftype relowner relam relfilenode reltablespace relpages reltuples ' +
  'relallvisible relallfrozen reltoastrelid relhasindex relisshared relpersistence relkind relnatts relchecks ' +
  'relhasoids relhaspkey relhasrules relhastriggers relhassubclass relrowsecurity relforcerowsecurity ' +
  'relispopulated relreplident relispartition relrewrite relfrozenxid relminmxid';

/** The columns (separated by spaces) of a relation that is `alias` in the SQL, with each of the prefixes and without. */
function columns(
  names: string,
  alias: string,
  prefixes: readonly string[] = [alias],
): [name: string, sql: string][] {
  return names
    .split(' ')
    .flatMap((name) =>
      ['', ...prefixes.map((prefix) => `${prefix}.`)].map((prefix): [string, string] => [
        prefix + name,
        `${alias}.${name}`,
      ]),
    );
}

const TYPE =
  "CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned_table' WHEN 'v' THEN 'view' " +
  "WHEN 'm' THEN 'materialized_view' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign_table' END";
const OWNER = 'pg_catalog.pg_get_userbyid(c.relowner)';

export const LISTINGS: ReadonlyMap<string, Listing> = new Map<string, Listing>([
  [
    'databases',
    {
      select: 'pg_database.datname',
      count: 'count(pg_database.datname)',
      rows: 'SELECT * FROM pg_catalog.pg_database',
      name: 'pg_database',
      where: ['NOT pg_database.datistemplate'],
      order: 'pg_database.datname',
      visible: undefined,
      columns: new Map(columns(DATABASE, 'pg_database', ['pg_database', 'pg_catalog.pg_database'])),
      filterError: '',
      orderError: '',
    },
  ],
  [
    'schemas',
    {
      select: 'schemata.schema_name',
      count: 'count(schemata.schema_name)',
      rows: 'SELECT * FROM information_schema.schemata',
      name: 'schemata',
      where: [],
      order: 'schemata.schema_name',
      visible: (array) => `schemata.schema_name::text = ANY (${array('schemas')}::text[])`,
      columns: new Map(columns(SCHEMA, 'schemata', ['schemata', 'information_schema.schemata'])),
      filterError: '',
      orderError: '',
    },
  ],
  [
    'tables',
    {
      select: `c.relname AS name, ${TYPE} AS type, ${OWNER} AS owner, c.nspname AS schema`,
      count: undefined,
      rows:
        'SELECT c.*, n.oid AS nspoid, n.nspname, n.nspowner ' +
        'FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace',
      name: 'c',
      where: [
        "c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')",
        "n.nspname !~ '^pg_toast'",
        "n.nspname NOT IN ('information_schema', 'pg_catalog')",
        "has_schema_privilege(n.oid, 'USAGE')",
      ],
      order: 'c.nspname, c.relname',
      visible: (array) =>
        '(n.nspname::text, c.relname::text) IN ' +
        `(SELECT * FROM unnest(${array('schemas')}::text[], ${array('tables')}::text[]))`,
      columns: new Map([
        ...columns(NAMESPACE, 'c', ['n']),
        ['n.oid', 'c.nspoid'],
        ...columns(CLASS, 'c'),
        ['name', 'c.relname'],
        ['type', TYPE],
        ['owner', OWNER],
        ['schema', 'c.nspname'],
      ]),
      filterError: 'could not perform WhereByRequest: ',
      orderError: 'could not perform OrderByRequest: ',
    },
  ],
]);

/** columnSql returns the SQL of a column. Throws ServiceError `invalid_listing` if no column has that name. */
export function columnSql(columns: ReadonlyMap<string, string>, name: string): string {
  const sql = columns.get(name);
  if (sql === undefined)
    throw new ServiceError('invalid_listing', `column "${name}" does not exist`);
  return sql;
}
