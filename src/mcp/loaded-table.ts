/**
 * A table read from the system catalog. Its columns are parsed on first use: there may be thousands of tables, most
 * never used. A LoadedTable is immutable, so derived values are cached by the object.
 */
import { kindOf, maxLengthOf, type BaseType } from './column-kind.js';
import type { CatalogKeys, Column, Table } from './table.js';

/** A row of READ (catalog-statements.ts). */
export type TableRow = readonly (string | null)[];

/** A column in such a row. */
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

/** The keys in such a row, by the positions of columns. */
type KeysRow = readonly [
  primary: number[] | null,
  foreign:
    | (readonly [columns: number[], table: string, references: number[], inherited: boolean])[]
    | null,
];

const TYPES: Readonly<Record<string, Table['type']>> = {
  r: 'table',
  p: 'partitioned_table',
  v: 'view',
  m: 'materialized_view',
  f: 'foreign_table',
};

export class LoadedTable implements Table {
  readonly id: string;
  readonly alias: string;
  readonly schema: string;
  readonly name: string;
  readonly type: Table['type'];
  readonly owner: string;
  readonly description: string | undefined;
  /** The row; its last values are the keys and the columns. */
  readonly #row: TableRow;
  #keys: CatalogKeys | undefined;
  #columns: readonly Column[] | undefined;
  #byName: ReadonlyMap<string, Column> | undefined;
  /** The table restricted to permitted columns, by their set. */
  readonly #restricted = new WeakMap<ReadonlySet<string>, { readonly table: Table | undefined }>();

  constructor(alias: string, row: TableRow) {
    const [id, , schema, name, kind, owner, description] = row;
    this.id = id!;
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

  get keys(): CatalogKeys {
    return (this.#keys ??= keysOf(JSON.parse(this.#row.at(-2)!) as KeysRow));
  }

  /** isAs tells whether a row has the same values. */
  isAs(row: TableRow): boolean {
    return row.every((value, i) => value === this.#row[i]);
  }

  /** restrictedTo is the table with only these columns; undefined if it has none of them. */
  restrictedTo(fields: ReadonlySet<string>): Table | undefined {
    let known = this.#restricted.get(fields);
    if (known === undefined)
      this.#restricted.set(fields, (known = { table: this.#restrict(fields) }));
    return known.table;
  }

  #restrict(fields: ReadonlySet<string>): Table | undefined {
    const columns = this.columns.filter(({ name }) => fields.has(name));
    if (columns.length === 0) return undefined;
    const { id, alias, schema, name, type, owner, description, keys } = this;
    const members = { id, alias, schema, name, type, owner, description, keys };
    return { ...members, columns, byName: byName(columns) };
  }
}

function byName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  return new Map(columns.map((column) => [column.name, column]));
}

function keysOf([primary, foreign]: KeysRow): CatalogKeys {
  return {
    primary: primary ?? [],
    foreign: (foreign ?? []).map(([columns, table, references, inherited]) => {
      return { columns, table, references, inherited };
    }),
  };
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
