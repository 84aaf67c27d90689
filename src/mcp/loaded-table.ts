/**
 * A table as it was read from the catalog. Its columns stay a text until somebody wants them: there may be thousands of
 * tables, and most are never asked for. What is made never changes, so that much can be kept by the object.
 */
import { kindOf, maxLengthOf, type BaseType } from './column-kind.js';
import type { Column, Table } from './table.js';

/** A row of READ (catalog-statements.ts). */
export type TableRow = readonly (string | null)[];

/** A column as it comes in such a row. */
type ColumnRow = readonly [
  name: string,
  type: string,
  oid: number,
  kind: string,
  category: string,
  modifier: number,
  labels: string[] | null,
  position: number,
  nullable: boolean,
  generated: boolean,
  updatable: boolean,
  defaultValue: string | null,
  description: string | null,
];

const TYPES: Readonly<Record<string, Table['type']>> = {
  r: 'table',
  p: 'partitioned_table',
  v: 'view',
  m: 'materialized_view',
  f: 'foreign_table',
};

export class LoadedTable implements Table {
  readonly alias: string;
  readonly schema: string;
  readonly name: string;
  readonly type: Table['type'];
  readonly owner: string;
  readonly description: string | undefined;
  /** All that was read; the columns are the last of it. */
  readonly #row: TableRow;
  #columns: readonly Column[] | undefined;
  #byName: ReadonlyMap<string, Column> | undefined;
  /** What is left of it for whom only some columns are permitted: the same for the same set. */
  readonly #parts = new WeakMap<ReadonlySet<string>, { readonly table: Table | undefined }>();

  constructor(alias: string, row: TableRow) {
    const [, , schema, name, kind, owner, description] = row;
    this.alias = alias;
    this.schema = schema!;
    this.name = name!;
    this.type = TYPES[kind!]!;
    this.owner = owner!;
    this.description = description ?? undefined;
    this.#row = row;
  }

  get columns(): readonly Column[] {
    return (this.#columns ??= (JSON.parse(this.#row.at(-1)!) as ColumnRow[]).map(columnOf));
  }

  get byName(): ReadonlyMap<string, Column> {
    return (this.#byName ??= byName(this.columns));
  }

  /** isAs tells whether a row says the same of it. */
  isAs(row: TableRow): boolean {
    return row.every((value, i) => value === this.#row[i]);
  }

  /** only is what there is of it besides other columns; undefined when that is nothing. */
  only(fields: ReadonlySet<string>): Table | undefined {
    let part = this.#parts.get(fields);
    if (part === undefined) this.#parts.set(fields, (part = { table: this.#only(fields) }));
    return part.table;
  }

  #only(fields: ReadonlySet<string>): Table | undefined {
    const columns = this.columns.filter(({ name }) => fields.has(name));
    if (columns.length === 0) return undefined;
    const { alias, schema, name, type, owner, description } = this;
    return { alias, schema, name, type, owner, description, columns, byName: byName(columns) };
  }
}

function byName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  return new Map(columns.map((column) => [column.name, column]));
}

function columnOf(row: ColumnRow): Column {
  const [name, type, oid, typeKind, category, modifier, labels, position, ...rest] = row;
  const [nullable, generated, updatable, defaultValue, description] = rest;
  const base: BaseType = { oid, type: typeKind, category, modifier };
  return {
    name,
    type,
    kind: kindOf(base),
    labels: labels ?? undefined,
    position,
    nullable,
    maxLength: maxLengthOf(base),
    generated,
    updatable,
    defaultValue: defaultValue ?? undefined,
    description: description ?? undefined,
  };
}
