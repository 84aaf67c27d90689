/**
 * The schemas of values in results: PostgreSQL's types as its JSON functions, and the service for the rows of changes, write
 * them. Types by the names of format_type.
 */
import { sqlType } from '../../base/sql-types.js';
import { ANY, described, nullable, typed, type Schema } from './schema.js';

/** Types that their schema does not describe; all others with such a schema are named. */
const NOTES: ReadonlyMap<string, string> = new Map([
  ['bigint', 'JavaScript rounds it beyond ±9007199254740991.'],
  ['numeric', 'JavaScript keeps 15 digits. NaN and infinite values are strings.'],
  ['real', 'NaN and infinite values are strings.'],
  ['double precision', 'NaN and infinite values are strings.'],
  ['timestamp without time zone', 'A timestamp without time zone: YYYY-MM-DDTHH:MM:SS.'],
  ['bytea', 'Bytes in hexadecimal, after \\x.'],
  ...['text', 'character varying', 'character', '"char"', 'name'].map(
    (name) => [name, ''] as const,
  ),
]);

/** resultSchema is the schema of a value that is not null. A type of the database's own may have any JSON. */
export function resultSchema(type: string): Schema {
  if (type.endsWith('[]'))
    return { type: 'array', items: nullable(resultSchema(type.slice(0, -2))) };
  const known = sqlType(type);
  if (known === undefined) return described(ANY, `SQL type ${type}`);
  const { json, format } = known;
  const name = json === 'string' && format === undefined ? `SQL type ${type}` : '';
  // NaN is rare in a numeric: its type stays one that clients can calculate with.
  const mayBeText = json === 'number' && type !== 'numeric';
  return described(typed(mayBeText ? [json, 'string'] : json, format), NOTES.get(type) ?? name);
}
