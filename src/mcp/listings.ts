/**
 * What there is to be read: databases, schemas, tables, and the columns of a table, each as the caller may see it. Knows
 * no SQL: all of it comes from the catalog.
 */
import { checkNames, integerOf, textOf } from './checked-arguments.js';
import { TABLE_ARGUMENTS } from './select-arguments.js';
import { placeJson } from './select-statement.js';
import type { Catalog, Column, Table, VisibleTables } from './table.js';
import type { Arguments } from './tool.js';

/** Most entries of one answer. */
const MAX_ENTRIES = 1_000;

const PAGE = ['limit', 'offset'] as const;

/** Arguments of each. */
export const SCHEMAS_ARGUMENTS = ['database', ...PAGE];
export const TABLES_ARGUMENTS = ['database', 'schema', ...PAGE];

/** databasesJson lists the databases: the names that clients know them by, and those that servers do. */
export function databasesJson(args: Arguments, { databases }: Catalog): string {
  checkNames(args, []);
  const entries = databases.map(({ alias, database }) => ({
    name: alias,
    datname: alias,
    physical_name: database,
  }));
  return JSON.stringify({ databases: entries });
}

/** schemasJson lists the schemas in which there is something to be read. */
export function schemasJson(args: Arguments, { tables }: VisibleTables): string {
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  return page(args, 'schemas', schemas, (schema) => ({ schema_name: schema }));
}

/** tablesJson lists the tables, of one schema where one is given. */
export function tablesJson(args: Arguments, { tables }: VisibleTables): string {
  const wanted = textOf(args, 'schema');
  const all = wanted === undefined ? tables : tables.filter(({ schema }) => schema === wanted);
  return page(args, 'tables', all, ({ name, owner, schema, type }) => ({
    name,
    owner,
    schema,
    type,
  }));
}

/** A part of a list: all of it, as long as that is not too much. */
function page<Entry>(
  args: Arguments,
  member: string,
  all: readonly Entry[],
  written: (entry: Entry) => object,
): string {
  const note = ` (more than ${MAX_ENTRIES} is ${MAX_ENTRIES})`;
  const limit = Math.min(integerOf(args, 'limit', 1, MAX_ENTRIES, note), MAX_ENTRIES);
  const offset = integerOf(args, 'offset', 0, 0);
  const some = all.slice(offset, offset + limit);
  const next = offset + some.length;
  const more = next < all.length && some.length > 0;
  return JSON.stringify({
    [member]: some.map(written),
    ...(more ? { count: some.length, truncated: true, next_offset: next } : {}),
  });
}

/** checkDescribe refuses arguments that a description does not have. */
export function checkDescribe(args: Arguments): void {
  checkNames(args, TABLE_ARGUMENTS);
}

/** descriptionJson tells of a table and its columns. */
export function descriptionJson(table: Table): string {
  const { columns, description } = table;
  const comment = description === undefined ? '' : `,"description":${JSON.stringify(description)}`;
  const list = JSON.stringify(columns.map(describeColumn));
  return `{${placeJson(table)}${comment},"columns":${list},"count":${columns.length}}`;
}

/** JSON leaves out what is undefined. */
function describeColumn(column: Column): object {
  return {
    name: column.name,
    data_type: column.type,
    nullable: column.nullable,
    max_length: column.maxLength,
    generated: column.generated || undefined,
    updatable: column.updatable || undefined,
    default_value: column.defaultValue,
    position: column.position,
    description: column.description,
    values: column.labels,
  };
}
