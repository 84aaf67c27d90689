/**
 * The entry in `tools/list` of the tool that reads one table: its arguments are typed by the columns. For a table with
 * very many columns the schema names none, to keep the list of tools short for language models.
 */
import {
  annotations,
  ANY_ITEM,
  ANY_VALUE,
  COLUMNS,
  FILTERS,
  LIMIT,
  listOf,
  objectOf,
  OFFSET,
  OPERATORS,
  ORDER,
  plainText,
  type Schema,
} from './input-schema.js';
import type { Column, Table } from './table.js';

/** Maximum of columns in a description, and in a schema. */
const DESCRIBED = 40;
const TYPED = 100;

/** Maximum of characters of an entry whose schema names columns. */
const LONGEST = 32 << 10;

/** Maximum of characters of a table's comment, and of a column's. */
const COMMENT = 500;
const COLUMN_COMMENT = 200;

/** Maximum of listed labels of an enumeration, and of their characters in all. */
const LABELS = 50;
const LABELS_LENGTH = 1_000;

/** Types with numbers that JSON parsers would round. */
const LARGE_NUMBERS = /^(?:bigint|numeric)\b/;

const TYPES: Readonly<Record<Table['type'], string>> = {
  table: 'table',
  partitioned_table: 'table',
  view: 'view',
  materialized_view: 'materialized view',
  foreign_table: 'foreign table',
};

/** tableTool writes the entry as JSON; `describe` is the name of the tool that describes tables. */
export function tableTool(name: string, table: Table, describe: string): string {
  const { columns } = table;
  const title = plainText(`Read ${table.schema}.${table.name}`, COMMENT);
  const entry = (inputSchema: Schema): string =>
    JSON.stringify({
      name,
      title,
      description: description(table, describe),
      inputSchema,
      annotations: annotations(title),
    });
  const json = columns.length > TYPED ? undefined : entry(typedInput(columns));
  return json === undefined || json.length > LONGEST ? entry(UNTYPED) : json;
}

function description(table: Table, describe: string): string {
  const { alias, schema, name, type, columns } = table;
  const place = plainText(`${schema}.${name} in the database ${alias}`, COMMENT);
  const comment = plainText(table.description ?? '', COMMENT);
  const what = comment === '' ? '' : ` ${sentence(comment)}`;
  const named = columns.slice(0, DESCRIBED).map((c) => `${inText(c.name)} (${inText(c.type)})`);
  const more = columns.length - named.length;
  const rest = more > 0 ? ` and ${more} more: see ${describe}` : '';
  return `Reads rows of the ${TYPES[type]} ${place}.${what} Columns: ${named.join(', ')}${rest}.`;
}

/** A name has at most 63 bytes, a type may be longer. */
function inText(name: string): string {
  return plainText(name, 130);
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The schema that names no columns. */
const UNTYPED = objectOf({
  columns: listOf({ type: 'string' }, COLUMNS),
  filters: { type: 'object', additionalProperties: ANY_VALUE, description: FILTERS },
  order_by: listOf({ type: 'string' }, ORDER),
  limit: LIMIT,
  offset: OFFSET,
});

function typedInput(columns: readonly Column[]): Schema {
  const names = columns.map(({ name }) => name);
  // The Set matters if a column has the name of another one with a minus sign before it.
  const orders = [...new Set(names.flatMap((name) => [name, `-${name}`]))];
  return objectOf({
    columns: listOf({ type: 'string', enum: names }, COLUMNS),
    filters: { ...filters(columns), description: FILTERS },
    order_by: listOf({ type: 'string', enum: orders }, ORDER),
    limit: LIMIT,
    offset: OFFSET,
  });
}

function filters(columns: readonly Column[]): Schema {
  // Object.fromEntries, because a column may be called `__proto__`.
  const properties = Object.fromEntries(columns.map((column) => [column.name, filter(column)]));
  return { type: 'object', properties, additionalProperties: false };
}

function filter(column: Column): Schema {
  const nothing = { type: 'null' };
  const values = valuesOf(column);
  const list =
    column.kind === 'array'
      ? { type: 'array', items: ANY_ITEM }
      : { type: 'array', items: values.length === 1 ? values[0] : { anyOf: values }, minItems: 1 };
  return { anyOf: [...values, list, nothing, OPERATORS], description: columnText(column) };
}

function columnText({ type, nullable, description: comment }: Column): string {
  const what = `${inText(type)}${nullable ? '' : ', never null'}`;
  const said = comment === undefined ? '' : plainText(comment, COLUMN_COMMENT);
  return said === '' ? what : `${what}: ${said}`;
}

/** Schemas of one value of a column. For an array that is the text that PostgreSQL writes. */
function valuesOf({ kind, type, labels }: Column): readonly Schema[] {
  const text = { type: 'string' };
  switch (kind) {
    case 'integer':
    case 'number':
      return LARGE_NUMBERS.test(type) ? [{ type: kind }, text] : [{ type: kind }];
    case 'boolean':
      return [{ type: 'boolean' }];
    case 'enum':
      return [labels !== undefined && isShort(labels) ? { ...text, enum: labels } : text];
    case 'date-time':
      // The format requires a time zone.
      return [type.endsWith('with time zone') ? { ...text, format: 'date-time' } : text];
    default:
      return [text];
  }
}

function isShort(labels: readonly string[]): boolean {
  if (labels.length === 0 || labels.length > LABELS) return false;
  return labels.reduce((sum, label) => sum + label.length, 0) <= LABELS_LENGTH;
}
