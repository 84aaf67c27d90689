/**
 * Results of the tools that list databases, schemas and tables and describe a table, from the catalog that the caller
 * may see. No SQL runs here.
 */
import { checkNames, integerArgument, textArgument } from './checked-arguments.js';
import { TABLE_ARGUMENTS } from './select-arguments.js';
import { tableJson } from './select-statement.js';
import type { TableCatalog, Column, Table, VisibleTables } from './table.js';
import type { Arguments } from './tool.js';

/** Maximum of entries in a result. */
const MAX_ENTRIES = 1_000;

const PAGE = ['limit', 'offset'] as const;

export const SCHEMAS_ARGUMENTS = ['database', ...PAGE];
export const TABLES_ARGUMENTS = ['database', 'schema', ...PAGE];

/** databasesJson lists the databases: their aliases, and their names on the server. */
export function databasesJson(args: Arguments, { databases }: TableCatalog): string {
  checkNames(args, []);
  const entries = databases.map(({ alias, database }) => ({
    name: alias,
    datname: alias,
    physical_name: database,
  }));
  return JSON.stringify({ databases: entries });
}

export function schemasJson(args: Arguments, { tables }: VisibleTables): string {
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  return page(args, 'schemas', schemas, (schema) => ({ schema_name: schema }));
}

/** tablesJson lists the tables, of one schema if it is given. */
export function tablesJson(args: Arguments, { tables }: VisibleTables): string {
  const wanted = textArgument(args, 'schema');
  const all = wanted === undefined ? tables : tables.filter(({ schema }) => schema === wanted);
  return page(args, 'tables', all, ({ name, owner, schema, type }) => ({
    name,
    owner,
    schema,
    type,
  }));
}

/** A page of a list: by default its first MAX_ENTRIES. */
function page<Entry>(
  args: Arguments,
  member: string,
  all: readonly Entry[],
  written: (entry: Entry) => object,
): string {
  const note = ` (more than ${MAX_ENTRIES} is ${MAX_ENTRIES})`;
  const limit = Math.min(integerArgument(args, 'limit', 1, MAX_ENTRIES, note), MAX_ENTRIES);
  const offset = integerArgument(args, 'offset', 0, 0);
  const some = all.slice(offset, offset + limit);
  const next = offset + some.length;
  const more = next < all.length && some.length > 0;
  return JSON.stringify({
    [member]: some.map(written),
    ...(more ? { count: some.length, truncated: true, next_offset: next } : {}),
  });
}

export function checkDescribe(args: Arguments): void {
  checkNames(args, TABLE_ARGUMENTS);
}

export function descriptionJson(table: Table): string {
  const { columns, description } = table;
  const comment = description === undefined ? '' : `,"description":${JSON.stringify(description)}`;
  const list = JSON.stringify(columns.map(describeColumn));
  return `{${tableJson(table)}${comment},"columns":${list},"count":${columns.length}}`;
}

/** JSON.stringify leaves out undefined members. */
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
