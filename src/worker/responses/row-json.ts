/**
 * Rows that a writing statement returns, as JSON in the forms of PostgreSQL's own to_json (see "JSON Functions and
 * Operators" in its manual). The plain types are written here; values of any other type (arrays, composites, a type with a
 * cast to json) are converted by the database afterwards (server-json.ts).
 */
import { sqlTypeOf } from '../../base/sql-types.js';
import type { ResultColumn } from '../../postgres/statement/job.js';

/** Writes one non-null value, given as PostgreSQL's text, as JSON. */
type Writer = (text: string) => string;

const NUMBER = /^-?[0-9]/;

const number: Writer = (text) => (NUMBER.test(text) ? text : JSON.stringify(text)); // NaN and infinities are strings
const plain: Writer = (text) => JSON.stringify(text);
const json: Writer = (text) => text;
const boolean: Writer = (text) => (text === 't' ? 'true' : 'false');
const timestamp: Writer = (text) => JSON.stringify(text.replace(' ', 'T'));
const timestamptz: Writer = (text) =>
  JSON.stringify(text.replace(' ', 'T').replace(SHORT_ZONE, '$1:00$2'));
const SHORT_ZONE = /([+-]\d\d)( BC)?$/;

/** How the values of a type are written; undefined when only the database can. */
function writerOf(oid: number): Writer | undefined {
  const type = sqlTypeOf(oid);
  if (type === undefined) return undefined;
  switch (type.kind) {
    case 'integer':
    case 'number':
      return number;
    case 'boolean':
      return boolean;
    case 'json':
      return json;
    case 'date-time':
      return type.format === undefined ? timestamp : timestamptz;
    default:
      return plain;
  }
}

/** The JSON of a value of another type, by row and column, or undefined. */
export type JsonOf = (row: number, column: number) => string | undefined;

/** serverTypes lists the OIDs among the columns whose values only the database can write as JSON. */
export function serverTypes(columns: readonly ResultColumn[]): number[] {
  return [...new Set(columns.filter((c) => writerOf(c.type) === undefined).map((c) => c.type))];
}

/** writeScalar gives the value of a result that is one row with one column as JSON. */
export function writeScalar({ type }: ResultColumn, text: string | null, jsonOf: JsonOf): string {
  return writeValue(writerOf(type), text, jsonOf, 0, 0);
}

/** writeRows gives rows as a JSON array of objects. */
export function writeRows(
  columns: readonly ResultColumn[],
  rows: readonly (readonly (string | null)[])[],
  jsonOf: JsonOf,
): string {
  const writers = columns.map((c) => writerOf(c.type));
  const names = columns.map((c) => `${JSON.stringify(c.name)}:`);
  const objects = rows.map((row, r) => {
    const members = row.map((text, c) => names[c]! + writeValue(writers[c], text, jsonOf, r, c));
    return `{${members.join(',')}}`;
  });
  return `[${objects.join(',')}]`;
}

/** Gives one value as JSON. A value without JSON is written as a string, with its text. */
function writeValue(
  writer: Writer | undefined,
  text: string | null,
  jsonOf: JsonOf,
  row: number,
  column: number,
): string {
  if (text === null) return 'null';
  return writer?.(text) ?? jsonOf(row, column) ?? JSON.stringify(text);
}
