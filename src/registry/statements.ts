/**
 * The SQL of stored scripts: reading records and their history, and changing a record in one statement, with the
 * condition in it, so that of two who change the same state one wins. Names come from the configuration and are always
 * quoted; values are always bound. NULL and an empty text are the same.
 */
import type { ScriptsTable } from '../protocol.js';
import { CONTENT, KEY } from './columns.js';
import { list, namesOf } from './names.js';

/** EDITOR is the setting that names who changes something, for the history. */
export const EDITOR = 'service.editor';

/** What a change of a record depends on; members are in the order of their values. */
export interface Terms {
  /** Its state is one of the tags that are given. */
  readonly match: boolean;
  /** Its state is none of the tags that are given. */
  readonly noneMatch: boolean;
  /** What the record must be before: there, not there, either. */
  readonly before: 'there' | 'missing' | 'either';
}

/** What a list is to be narrowed by; members are in the order of their values. */
export interface Given {
  readonly database: boolean;
  readonly location: boolean;
  readonly page: boolean;
}

/** Statements are those of one table. A key is $1 database, $2 location, $3 name. */
export interface Statements {
  /** Rows of RECORD; $1 database and $2 location where they are to be filtered by, then limit and offset of a page. */
  readonly list: (given: Given) => string;
  /** A key: a row of RECORD. */
  readonly get: string;
  /** A key, $4 to $8 content, $9 who, then tags: a row of RECORD and whether it was made. */
  readonly put: (terms: Terms) => string;
  /** A key, $4 who, then tags: whether it was removed, and whether it was there. */
  readonly remove: (terms: Terms) => string;
  /** A key, then limit and offset of a page: rows of VERSION, newest first. */
  readonly history: (paged: boolean) => string;
  /** A key, $4 version: a row of VERSION. */
  readonly version: string;
}

/** RECORD are the columns of a record's row, in this order. */
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

/** VERSION are the columns of a version's row, in this order. */
export const VERSION = [
  'version',
  'operation',
  ...CONTENT,
  'created_by',
  'changed_by',
  'changed_at',
] as const;

/** statementsOf writes the statements for a table. */
export function statementsOf(scripts: ScriptsTable): Statements {
  const { table, history } = namesOf(scripts);
  const record = `t.id::text, t.xmin::text, t.database_alias::text, t.location::text, t.name::text,
  ${list(CONTENT, 't.')}, t.created_by, ${timeOf('t.created_at')}, ${timeOf('t.updated_at')}`;
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
      const wanted = wantedOf(tags, 10);
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
      } ${written}, t.xmax::text = '0'`;
    },
    remove: (tags) => `${editorOf('$4')},
removed AS (
  DELETE FROM ${table} t USING editor
  WHERE ${isKey('t')} AND editor.name IS NOT NULL${wantedOf(tags, 5)} RETURNING 1)
SELECT EXISTS (SELECT FROM removed), EXISTS (SELECT FROM ${table} t WHERE ${isKey('t')})`,
    history: (paged) => `${versions} ORDER BY h.version DESC${pageFrom(paged, 4)}`,
    version: `${versions} AND h.version = $4::bigint`,
  };
}

function pageFrom(paged: boolean, value: number): string {
  return paged ? ` LIMIT $${value}::bigint OFFSET $${value + 1}::bigint` : '';
}

/** editorOf names who changes something, in the transaction of the change: whatever reads from it comes after that. */
export function editorOf(value: string): string {
  return `WITH editor AS MATERIALIZED (SELECT set_config('${EDITOR}', ${value}::text, true) AS name)`;
}

/** The condition on a row's state, with tags from that parameter on. */
function wantedOf({ match, noneMatch }: Omit<Terms, 'before'>, from: number): string {
  const tag = `t.id::text || '-' || t.xmin::text`;
  const conditions = [];
  if (match) conditions.push(` AND ${tag} = ANY ($${from}::text[])`);
  if (noneMatch) conditions.push(` AND ${tag} <> ALL ($${from + conditions.length}::text[])`);
  return conditions.join('');
}

/** A time as RFC 3339 has it, in UTC. */
function timeOf(column: string): string {
  return `to_char(${column}::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
