/** Tables and columns that a caller may see. Types only. */
import type { McpCall } from './call.js';

/** The form of a column's values in JSON. */
export type ColumnKind =
  | 'integer'
  | 'number'
  | 'boolean'
  | 'string'
  | 'date'
  | 'time'
  | 'date-time'
  | 'uuid'
  | 'json'
  | 'array'
  | 'enum';

export interface Column {
  readonly name: string;
  /** The type as written by PostgreSQL: `integer`, `character varying(20)`, `text[]`. */
  readonly type: string;
  readonly kind: ColumnKind;
  /** The values of an enumeration. */
  readonly labels: readonly string[] | undefined;
  readonly position: number;
  readonly nullable: boolean;
  /** Maximum length in characters, or the precision of a number; undefined if unlimited. */
  readonly maxLength: string | undefined;
  readonly generated: boolean;
  readonly updatable: boolean;
  readonly defaultValue: string | undefined;
  /** The comment in the database. */
  readonly description: string | undefined;
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
    /** Whether it is that of a partitioned table, of which this one is a partition. */
    readonly inherited: boolean;
  }[];
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
  /** Empty if there is none, or the caller may not read all of it. */
  readonly primaryKey: readonly Column[];
  /** The keys of the table itself, by name. */
  readonly foreignKeys: readonly ForeignKey[];
  /** The keys that reference the table, in the order of their tables; without those of partitions. */
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
  /** The columns that the caller may read, in their order: at least one. */
  readonly columns: readonly Column[];
  /** The same by name. */
  readonly byName: ReadonlyMap<string, Column>;
  readonly keys: CatalogKeys;
}

/** VisibleTables are the tables of one database that a caller may read. */
export interface VisibleTables {
  /** Ordered by the bytes of schema and name. */
  readonly tables: readonly Table[];
  find(schema: string, name: string): Table | undefined;
  keysOf(table: Table): TableKeys;
}

/** TableCatalog has the tables of all databases. */
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
