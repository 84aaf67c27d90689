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

export interface Table {
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
}

/** VisibleTables are the tables of one database that a caller may read. */
export interface VisibleTables {
  /** Ordered by the bytes of schema and name. */
  readonly tables: readonly Table[];
  find(schema: string, name: string): Table | undefined;
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
