/**
 * A table read from the system catalog. Its columns are parsed on first use: there may be thousands of tables, most
 * never used. A LoadedTable is immutable, so derived values are cached by the object.
 */
import type { TypeOperators } from '../../postgres/statement/type-operators.js';
import { kindOf, maxLengthOf, type BaseType } from './column-kind.js';
import type { CatalogFacts, CatalogKeys, Column, Table } from './table.js';

/** A row of READ (catalog-statements.ts). */
export type TableRow = readonly (string | null)[];

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
  identity: string,
  generated: boolean,
  expression: string | null,
  expressionColumns: number[] | null,
  description: string | null,
  operators: TypeOperators | null,
];

/** The keys in such a row, by the positions of columns. */
type KeysRow = readonly [
  primary: number[] | null,
  foreign:
    | (readonly [columns: number[], table: string, references: number[], inherited: boolean])[]
    | null,
];

/** More about the table in such a row, by the positions of columns. */
type FactsRow = readonly [
  indexes:
    | (readonly [
        unique: boolean,
        primary: boolean,
        keys: (number | string | null)[],
        condition: string | null,
        isPartial: boolean,
        columns: number[] | null,
      ])[]
    | null,
  checks: (readonly [expression: string, columns: number[] | null])[] | null,
];

const TYPES: Readonly<Record<string, Table['type']>> = {
  r: 'table',
  p: 'partitioned_table',
  v: 'view',
  m: 'materialized_view',
  f: 'foreign_table',
};

const IDENTITIES: Readonly<Record<string, Column['identity']>> = { a: 'always', d: 'by default' };

export class LoadedTable implements Table {
  readonly id: string;
  readonly alias: string;
  readonly schema: string;
  readonly name: string;
  readonly type: Table['type'];
  readonly owner: string;
  readonly description: string | undefined;
  readonly parent: string | undefined;
  readonly estimate: number | undefined;
  /** The row; its last values are the facts, the keys and the columns. */
  readonly #row: TableRow;
  #keys: CatalogKeys | undefined;
  #facts: CatalogFacts | undefined;
  #columns: readonly Column[] | undefined;
  #byName: ReadonlyMap<string, Column> | undefined;
  /** The table restricted to permitted columns, by their set. */
  readonly #restricted = new WeakMap<ReadonlySet<string>, { readonly table: Table | undefined }>();

  constructor(alias: string, row: TableRow) {
    const [id, , schema, name, kind, owner, description, parent, estimate] = row;
    this.id = id!;
    this.alias = alias;
    this.schema = schema!;
    this.name = name!;
    this.type = TYPES[kind!]!;
    this.owner = owner!;
    this.description = description ?? undefined;
    this.parent = parent ?? undefined;
    this.estimate = estimate == null ? undefined : Number(estimate);
    this.#row = row;
  }

  get columns(): readonly Column[] {
    return (this.#columns ??= (JSON.parse(this.#row.at(-1)!) as ColumnRow[]).map(columnOf));
  }

  get byName(): ReadonlyMap<string, Column> {
    return (this.#byName ??= byName(this.columns));
  }

  get keys(): CatalogKeys {
    const json = this.#row.at(-2)!;
    // Most tables of a large catalog may have none, and all are looked through for keys.
    return (this.#keys ??= json === '[null, null]' ? NO_KEYS : keysOf(JSON.parse(json) as KeysRow));
  }

  get facts(): CatalogFacts {
    return (this.#facts ??= factsOf(JSON.parse(this.#row.at(-3)!) as FactsRow));
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
    const { id, alias, schema, name, type, owner, description, parent, estimate } = this;
    const members = { id, alias, schema, name, type, owner, description, parent, estimate };
    const { keys, facts } = this;
    return { ...members, keys, facts, columns, byName: byName(columns) };
  }
}

function byName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  return new Map(columns.map((column) => [column.name, column]));
}

const NO_KEYS: CatalogKeys = { primary: [], foreign: [] };

function keysOf([primary, foreign]: KeysRow): CatalogKeys {
  return {
    primary: primary ?? [],
    foreign: (foreign ?? []).map(([columns, table, references, inherited]) => {
      return { columns, table, references, inherited };
    }),
  };
}

function factsOf([indexes, checks]: FactsRow): CatalogFacts {
  return {
    indexes: (indexes ?? []).map(([unique, primary, keys, condition, isPartial, columns]) => {
      const own = keys.filter((key) => typeof key === 'number');
      const known = keys.every((key) => key !== null) && (condition !== null || !isPartial);
      return {
        unique,
        primary,
        // Without the text of its expressions it is not known what it is of.
        keys: known ? keys : [],
        condition: condition ?? undefined,
        columns: [...new Set([...own, ...(columns ?? [])])],
      };
    }),
    checks: (checks ?? []).map(([expression, columns]) => ({ expression, columns: columns ?? [] })),
  };
}

function columnOf(row: ColumnRow): Column {
  const [name, type, oid, typeKind, category, modifier, labels, position, ...rest] = row;
  const [nullable, identity, generated, expression, expressionColumns, ...last] = rest;
  const [description, operators] = last;
  const base: BaseType = { oid, type: typeKind, category, modifier };
  return {
    name,
    type,
    kind: kindOf(base),
    labels: labels ?? undefined,
    position,
    nullable,
    maxLength: maxLengthOf(base),
    identity: IDENTITIES[identity],
    generated: generated
      ? { expression: expression ?? undefined, columns: expressionColumns ?? [] }
      : undefined,
    defaultValue: generated ? undefined : (expression ?? undefined),
    description: description ?? undefined,
    operators: operators ?? undefined,
  };
}
