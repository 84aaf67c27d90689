/**
 * Results of the tools that list databases, schemas and tables and describe a table, from the catalog that the caller
 * may see. No SQL runs here.
 */
import { inSlices } from '../../base/slices.js';
import {
  flagArgument,
  checkNames,
  integerArgument,
  textArgument,
} from '../arguments/checked-arguments.js';
import { plainText } from '../arguments/input-schema.js';
import { TABLE_ARGUMENTS } from '../rows/select-arguments.js';
import { tableJson } from '../rows/select-statement.js';
import { checksOf, expressionOf, indexesOf } from '../tables/table-facts.js';
import { Search, type Found } from '../tables/table-search.js';
import type { TableCatalog, Column, ForeignKey, Table, VisibleTables } from '../tables/table.js';
import type { Arguments } from '../arguments/tool.js';

const MAX_ENTRIES = 1_000;

const PAGE = ['limit', 'offset'] as const;

export const SCHEMAS_ARGUMENTS = ['database', ...PAGE];
export const TABLES_ARGUMENTS = ['database', 'schema', 'search', 'verbose', ...PAGE];
export const DESCRIBE_ARGUMENTS = [...TABLE_ARGUMENTS, 'verbose'];

/** Maximum of characters of a comment in a list of tables. */
const COMMENT = 200;

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

/**
 * tablesJson lists the tables, of one schema if it is given, or those that a search finds, the best first. Partitions are
 * left out unless it is verbose: their table stands for them.
 */
export async function tablesJson(args: Arguments, visible: VisibleTables): Promise<string> {
  const schema = textArgument(args, 'schema');
  const verbose = flagArgument(args, 'verbose');
  const search = textArgument(args, 'search');
  const partitions = new Map<Table, number>();
  const all: Table[] = [];
  for (const table of visible.tables) {
    const parent = visible.parentOf(table);
    if (parent !== undefined) partitions.set(parent, (partitions.get(parent) ?? 0) + 1);
    if ((schema === undefined || table.schema === schema) && (verbose || parent === undefined))
      all.push(table);
  }
  const written = (table: Table): object => ({
    name: table.name,
    ...(verbose ? { owner: table.owner } : {}),
    schema: table.schema,
    type: table.type,
    estimated_rows: table.estimate,
    partitions: partitions.get(table),
    description: table.description && plainText(table.description, COMMENT),
  });
  if (search === undefined) return page(args, 'tables', all, written);
  const found: Found[] = [];
  const wanted = new Search(search);
  // The columns of tables are parsed on first use.
  await inSlices(all, (table) => {
    const one = wanted.find(table);
    if (one !== undefined) found.push(one);
  });
  found.sort((a, b) => b.score - a.score);
  return page(args, 'tables', found, ({ table, columns }) => ({
    ...written(table),
    columns: columns.length === 0 ? undefined : columns,
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

/** descriptionJson describes a table; `visible` are all tables of the caller. */
export function descriptionJson(args: Arguments, table: Table, visible: VisibleTables): string {
  const verbose = flagArgument(args, 'verbose');
  const { primaryKey, foreignKeys, referencedBy } = visible.keysOf(table);
  const indexes = indexesOf(table);
  const checks = checksOf(table);
  const parent = visible.parentOf(table);
  const members = JSON.stringify({
    ...(verbose ? { owner: table.owner, type: table.type } : {}),
    description: table.description,
    estimated_rows: table.estimate,
    partition_of: parent && { schema: parent.schema, table: parent.name },
    primary_key: listed(primaryKey.map(({ name }) => name)),
    foreign_keys: listed(foreignKeys.map(outgoing)),
    referenced_by: listed(referencedBy.map(incoming)),
    unique: listed(
      indexes
        .filter(({ unique, condition }) => unique && condition === undefined)
        .map(({ keys }) => keys),
    ),
    indexes: listed(
      indexes
        .filter(({ unique, condition }) => !unique || condition !== undefined)
        .map(({ keys, unique, condition }) => ({
          columns: keys,
          unique: unique || undefined,
          where: condition,
        })),
    ),
    checks: listed(checks.expressions),
    columns: table.columns.map((column) => describeColumn(column, table, checks.values)),
    count: table.columns.length,
  });
  return `{${tableJson(table)},${members.slice(1)}`;
}

/** Undefined for an empty list, which JSON.stringify leaves out. */
function listed<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

function outgoing({ columns, referenced, references }: ForeignKey): object {
  return {
    columns: columns.map(({ name }) => name),
    schema: referenced.schema,
    table: referenced.name,
    references: references.map(({ name }) => name),
  };
}

function incoming({ table, columns, references }: ForeignKey): object {
  return {
    schema: table.schema,
    table: table.name,
    columns: columns.map(({ name }) => name),
    references: references.map(({ name }) => name),
  };
}

/** JSON.stringify leaves out undefined members. */
function describeColumn(
  column: Column,
  table: Table,
  values: ReadonlyMap<string, readonly string[]>,
): object {
  return {
    name: column.name,
    data_type: column.type,
    nullable: column.nullable,
    max_length: column.maxLength,
    identity: column.identity,
    generated: column.generated !== undefined || undefined,
    expression: expressionOf(column, table),
    default_value: column.defaultValue,
    position: column.position,
    description: column.description,
    values: column.labels ?? values.get(column.name),
  };
}
