/** Tables and columns that a caller may see. Types only. */
import type { TypeOperators } from '../../postgres/statement/type-operators.js';
import type { TypeKind } from '../../base/sql-types.js';
import type { McpCall } from '../arguments/call.js';

/** The form of a column's values in JSON. */
export type ColumnKind = TypeKind | 'array' | 'enum';

export interface Column {
  readonly name: string;
  /** The type as written by PostgreSQL: `integer`, `character varying(20)`, `text[]`. */
  readonly type: string;
  readonly kind: ColumnKind;
  /** The values of an enumeration. */
  readonly labels: readonly string[] | undefined;
  readonly position: number;
  readonly nullable: boolean;
  /** Maximum length of a text in characters, or of a bit string in bits; undefined if unlimited. */
  readonly maxLength: string | undefined;
  /** For an identity column, whether other values may be inserted. */
  readonly identity: 'always' | 'by default' | undefined;
  /** For a generated column, its expression if that is known, and the positions of the columns in it. */
  readonly generated:
    { readonly expression: string | undefined; readonly columns: readonly number[] } | undefined;
  readonly defaultValue: string | undefined;
  /** The comment in the database. */
  readonly description: string | undefined;
  /** Undefined for types with PostgreSQL's own operators. */
  readonly operators?: TypeOperators | undefined;
  /** For a column of a joined table, the alias of that table in the statement. */
  readonly relation?: string | undefined;
}

/**
 * The keys of a table as the catalog has them, by the positions of columns, also of those that the caller may not read:
 * what a caller may see of them is in TableKeys.
 */
export interface CatalogKeys {
  /** Empty without a primary key. */
  readonly primary: readonly number[];
  readonly foreign: readonly {
    readonly columns: readonly number[];
    /** The OID of the referenced table. */
    readonly table: string;
    readonly references: readonly number[];
    /** Whether it belongs to a partitioned table, of which this one is a partition. */
    readonly inherited: boolean;
  }[];
}

/**
 * More about a table as the catalog has it, by the positions of columns, also of those that the caller may not read: what
 * a caller may see of it is in table-facts.ts.
 */
export interface CatalogFacts {
  readonly indexes: readonly {
    readonly unique: boolean;
    readonly primary: boolean;
    /** Positions of columns and texts of expressions; empty if they are not known. */
    readonly keys: readonly (number | string)[];
    /** For a partial index. */
    readonly condition: string | undefined;
    /** All columns in keys and condition. */
    readonly columns: readonly number[];
  }[];
  /** A position of 0 stands for the whole row. */
  readonly checks: readonly { readonly expression: string; readonly columns: readonly number[] }[];
}

/** ForeignKey is a foreign key between tables of a caller, all of whose columns the caller may read. */
export interface ForeignKey {
  readonly table: Table;
  readonly columns: readonly Column[];
  readonly referenced: Table;
  /** The referenced columns, in the order of `columns`. */
  readonly references: readonly Column[];
}

/** TableKeys are the keys of a table that a caller may know. */
export interface TableKeys {
  /** Empty without one, or if the caller may not read all of it. */
  readonly primaryKey: readonly Column[];
  /** The keys of the table itself, by name. */
  readonly foreignKeys: readonly ForeignKey[];
  /** The keys that reference the table, in the order of their tables; not the keys of partitions. */
  readonly referencedBy: readonly ForeignKey[];
}

export interface Table {
  /** The OID. */
  readonly id: string;
  /** The alias of its database. */
  readonly alias: string;
  readonly schema: string;
  readonly name: string;
  readonly type: 'table' | 'partitioned_table' | 'view' | 'materialized_view' | 'foreign_table';
  readonly owner: string;
  readonly description: string | undefined;
  /** For a partition, the OID of the table that it is one of. */
  readonly parent: string | undefined;
  /** The estimated number of rows, about two digits of it; undefined if it is not known. */
  readonly estimate: number | undefined;
  /** The columns that the caller may read, in their order: at least one. */
  readonly columns: readonly Column[];
  /** The same by name. */
  readonly byName: ReadonlyMap<string, Column>;
  readonly keys: CatalogKeys;
  readonly facts: CatalogFacts;
}

/** VisibleTables are the tables of one database that a caller may read. */
export interface VisibleTables {
  /** Ordered by the bytes of schema and name. */
  readonly tables: readonly Table[];
  find(schema: string, name: string): Table | undefined;
  keysOf(table: Table): TableKeys;
  /** parentOf is the table that a partition is one of, if the caller may read it. */
  parentOf(table: Table): Table | undefined;
  /** named lists the tables of a name in any schema. */
  named(name: string): readonly Table[];
}

export interface TableCatalog {
  /** In the order of the configuration; the first is the default one. */
  readonly databases: readonly { readonly alias: string; readonly database: string }[];
  /**
   * visible returns the tables that a caller may see, from the cached catalog. Throws, or rejects with, ServiceError if
   * nothing is cached and the database cannot be read.
   */
  visible(alias: string, call: McpCall): VisibleTables | Promise<VisibleTables>;
  /** renewed is visible after a refresh of the catalog, for callers that miss a table or column. */
  renewed(alias: string, call: McpCall): Promise<VisibleTables>;
}
