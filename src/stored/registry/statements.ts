/**
 * The SQL of stored scripts: reads of records and their history, and changes of a record in one statement that includes
 * the condition, so that only one of two concurrent changes of the same state succeeds. Names come from the configuration
 * and are always quoted; values are always bound. NULL and an empty text are the same.
 */
import type { ScriptsTable } from '../../messages/database-settings.js';
import { CONTENT, KEY } from '../scripts/scripts-table.js';
import { list, namesOf } from '../scripts/table-names.js';
import type { RowVersion } from '../scripts/row-versions.js';

/** The setting with the name of the editor, for the history. */
export const EDITOR = 'service.editor';

/** The condition of a change; members are in the order of their values. */
export interface Terms {
  /** The state of the record is one of the tags. */
  readonly match: boolean;
  /** The state of the record is not among the tags. */
  readonly noneMatch: boolean;
  /** Whether the record must exist before the change. */
  readonly before: 'there' | 'missing' | 'either';
}

/** The filters of a list; members are in the order of their values. */
export interface Filters {
  readonly database: boolean;
  readonly location: boolean;
  readonly page: boolean;
}

/** The statements of one table. A key is $1 database, $2 location, $3 name. */
export interface RegistryStatements {
  /** Rows of RECORD; database and location if they are filters, then limit and offset of a page. */
  readonly list: (filters: Filters) => string;
  /** A key: a row of RECORD. */
  readonly get: string;
  /** A key, $4 to $8 content, $9 editor, then tags: a row of RECORD and whether it was created. */
  readonly put: (terms: Terms) => string;
  /** A key, $4 editor, then tags: whether the record was removed, and whether it existed. */
  readonly remove: (terms: Terms) => string;
  /** A key, then limit and offset of a page: rows of VERSION, newest first. */
  readonly history: (paged: boolean) => string;
  /** A key, $4 version: a row of VERSION. */
  readonly version: string;
}

/** The columns of a record's row, in this order. */
export const RECORD = [
  'id',
  'version',
  'database',
  'location',
  'name',
  ...CONTENT,
  'created_by',
  'created_at',
  'updated_at',
] as const;

/** The columns of a version's row, in this order. */
export const VERSION = [
  'version',
  'operation',
  ...CONTENT,
  'created_by',
  'changed_by',
  'changed_at',
] as const;

/** statementsOf makes the statements of a table whose rows have such versions. */
export function statementsOf(scripts: ScriptsTable, rows: RowVersion): RegistryStatements {
  const { table, history } = namesOf(scripts);
  const record = `t.id::text, ${rows.of('t')}, t.database_alias::text, t.location::text, t.name::text,
  ${list(CONTENT, 't.')}, t.created_by, ${timeOf('t.created_at')}, ${timeOf('t.updated_at')}`;
  const tag = `t.id::text || '-' || ${rows.of('t')}`;
  const version = `h.version::text, h.operation, ${list(CONTENT, 'h.')}, h.created_by, h.changed_by,
  ${timeOf('h.changed_at')}`;
  const isKey = (row: string): string =>
    `${row}.database_alias = $1::text AND ${row}.location = $2::text AND ${row}.name = $3::text`;
  const versions = `SELECT ${version} FROM ${history} h WHERE ${isKey('h')}`;
  return {
    list: ({ database, location, page }) => {
      const filters = [];
      if (database) filters.push('t.database_alias = $1::text');
      if (location) filters.push(`t.location = $${filters.length + 1}::text`);
      return `SELECT ${record} FROM ${table} t ${filters.length === 0 ? '' : `WHERE ${filters.join(' AND ')}`}
ORDER BY ${KEY.map((name) => `t.${name} COLLATE "C"`).join(', ')}${pageFrom(page, filters.length + 1)}`;
    },
    get: `SELECT ${record} FROM ${table} t WHERE ${isKey('t')}`,
    put: ({ before, ...tags }) => {
      const change = `${CONTENT.map((name, i) => `${name} = nullif($${4 + i}::text, '')`).join(', ')},
  updated_at = now()`;
      const wanted = wantedOf(tag, tags, 10);
      const written = `RETURNING ${record}`;
      if (before === 'there')
        return `${editorOf('$9')}
UPDATE ${table} t SET ${change} FROM editor
WHERE ${isKey('t')} AND editor.name IS NOT NULL${wanted} ${written}, false`;
      return `${editorOf('$9')}
INSERT INTO ${table} AS t (${list([...KEY, ...CONTENT, 'created_by'])})
SELECT $1::text, $2::text, $3::text, ${CONTENT.map((_, i) => `nullif($${4 + i}::text, '')`).join(', ')}, editor.name FROM editor
ON CONFLICT (${list(KEY)}) DO ${
        before === 'missing' ? 'NOTHING' : `UPDATE SET ${change} WHERE true${wanted}`
      } ${written}, ${rows.isNew('t')}`;
    },
    remove: (tags) => `${editorOf('$4')},
removed AS (
  DELETE FROM ${table} t USING editor
  WHERE ${isKey('t')} AND editor.name IS NOT NULL${wantedOf(tag, tags, 5)} RETURNING 1)
SELECT EXISTS (SELECT FROM removed), EXISTS (SELECT FROM ${table} t WHERE ${isKey('t')})`,
    history: (paged) => `${versions} ORDER BY h.version DESC${pageFrom(paged, 4)}`,
    version: `${versions} AND h.version = $4::bigint`,
  };
}

function pageFrom(paged: boolean, value: number): string {
  return paged ? ` LIMIT $${value}::bigint OFFSET $${value + 1}::bigint` : '';
}

/**
 * editorOf sets the editor in the transaction of the change; statements that read from it run after that. PostgreSQL does not
 * inline it, because set_config is volatile; YugabyteDB with PostgreSQL 11 does not know MATERIALIZED.
 */
export function editorOf(value: string): string {
  return `WITH editor AS (SELECT set_config('${EDITOR}', ${value}::text, true) AS name)`;
}

/** The condition on a row's tag; `from` is the parameter of the first tags. */
function wantedOf(tag: string, { match, noneMatch }: Omit<Terms, 'before'>, from: number): string {
  const conditions = [];
  if (match) conditions.push(` AND ${tag} = ANY ($${from}::text[])`);
  if (noneMatch) conditions.push(` AND ${tag} <> ALL ($${from + conditions.length}::text[])`);
  return conditions.join('');
}

/** A time in the format of RFC 3339, in UTC. */
function timeOf(column: string): string {
  return `to_char(${column}::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
